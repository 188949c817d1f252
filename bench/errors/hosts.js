/** What keeps other machines from taking part. */

/** @import { ErrorEntry } from '../types.js' */

/** @satisfies {Record<string, ErrorEntry>} */
export const hosts = {
  'ssh-host-key': {
    exit: 1,
    what: (/** @type {{ host: string }} */ d) =>
      `The host key of ${d.host} is not known here, or is another one than the one that is known.`,
    remedy: (/** @type {{ host: string, ssh: string }} */ d) =>
      `Connect once by hand, compare its fingerprint and accept it: ${d.ssh} ${d.host}`
  },
  'ssh-denied': {
    exit: 1,
    what: (/** @type {{ host: string }} */ d) => `${d.host} does not let this account in without a question.`,
    remedy: (/** @type {{ host: string, ssh: string }} */ d) =>
      `Put a key there (ssh-copy-id), so that this ends without a question: ${d.ssh} ${d.host} true`
  },
  'ssh-failed': {
    exit: 1,
    what: (/** @type {{ host: string }} */ d) => `${d.host} cannot be reached over ssh.`,
    remedy: (/** @type {{ host: string, ssh: string }} */ d) =>
      `See to it that this works by hand: ${d.ssh} ${d.host} true`
  },
  'host-unfit': {
    exit: 1,
    what: (/** @type {{ host: string, why: string }} */ d) => `${d.host} cannot take part: ${d.why}.`,
    remedy: (/** @type {{ remedy: string }} */ d) => d.remedy
  },
  'hosts-differ': {
    exit: 1,
    what: (/** @type {{ what: string, hosts: [name: string, version: string][] }} */ d) =>
      `Load generators must be alike, and ${d.what} is ` +
      `${d.hosts.map(([name, version]) => `${version} on ${name}`).join(' and ')}.`,
    remedy: () => 'Install the same version on all of them, or name another --engine.'
  },
  'no-workers': {
    exit: 1,
    what: (/** @type {{ seconds: number }} */ d) =>
      `Locust's workers did not all connect to its master within ${d.seconds} s.`,
    remedy: () =>
      "See that they can reach the master's port, and that each one that you start is started with the command that " +
      'was printed.'
  },
  'host-unreachable': {
    exit: 1,
    what: (/** @type {{ host: string, url: string, why: string }} */ d) =>
      `The load generator on ${d.host} cannot reach the served side at ${d.url}: ${d.why}.`,
    remedy: () => 'Let the two machines reach each other: a firewall may be between them.'
  },
  'host-answer': {
    exit: 1,
    /** @param {{ host: string, why: string }} d */
    what: d => `${d.host} sent what hopbench never sends: ${d.why}.`,
    remedy: () =>
      'What was measured by then is kept. See who runs that machine, and that its shell prints nothing of its own ' +
      'when ssh runs a command there.'
  },
  'host-lost': {
    exit: 1,
    what: (/** @type {{ host: string, why: string }} */ d) => `${d.host} was lost during the run: ${d.why}.`,
    remedy: () => 'What was measured by then is kept. See to the link and that machine, and measure again.'
  }
}

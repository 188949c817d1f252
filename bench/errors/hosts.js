/** Errors of other machines that take part in a run. */

/** @import { ErrorEntry } from './words.js' */

/** @satisfies {Record<string, ErrorEntry>} */
export const hosts = {
  'ssh-host-key': {
    exit: 1,
    what: (/** @type {{ host: string }} */ d) =>
      `The host key of ${d.host} is unknown here, or differs from the known one.`,
    remedy: (/** @type {{ host: string, ssh: string }} */ d) =>
      `Connect once by hand, compare its fingerprint and accept it: ${d.ssh} ${d.host}`
  },
  'ssh-denied': {
    exit: 1,
    what: (/** @type {{ host: string }} */ d) => `${d.host} needs key-based login: it asked for a password.`,
    remedy: (/** @type {{ host: string, ssh: string }} */ d) =>
      `Put a key there (ssh-copy-id), so that this works without a prompt: ${d.ssh} ${d.host} true`
  },
  'ssh-failed': {
    exit: 1,
    what: (/** @type {{ host: string }} */ d) => `${d.host} cannot be reached over ssh.`,
    remedy: (/** @type {{ host: string, ssh: string }} */ d) =>
      `Make this work by hand first: ${d.ssh} ${d.host} true`
  },
  'host-unfit': {
    exit: 1,
    what: (/** @type {{ host: string, why: string }} */ d) => `${d.host} cannot take part: ${d.why}.`,
    remedy: (/** @type {{ remedy: string }} */ d) => d.remedy
  },
  'hosts-differ': {
    exit: 1,
    what: (/** @type {{ what: string, hosts: [name: string, version: string][] }} */ d) =>
      `The load generators differ: ${d.what} is ` +
      `${d.hosts.map(([name, version]) => `${version} on ${name}`).join(' and ')}.`,
    remedy: () => 'Install the same version on all of them, or name another --engine.'
  },
  'no-workers': {
    exit: 1,
    what: (/** @type {{ seconds: number }} */ d) =>
      `Locust's workers did not all connect to its master within ${d.seconds} s.`,
    remedy: () =>
      "Check that they can reach the master's port, and that each one that you start is started with the command " +
      'that was printed.'
  },
  'host-unreachable': {
    exit: 1,
    what: (/** @type {{ host: string, url: string, why: string }} */ d) =>
      `The load generator on ${d.host} cannot reach the served side at ${d.url}: ${d.why}.`,
    remedy: () => 'Check the network between the two machines: a firewall may block it.'
  },
  'host-answer': {
    exit: 1,
    /** @param {{ host: string, why: string }} d */
    what: d => `${d.host} sent an unexpected message: ${d.why}.`,
    remedy: () =>
      'What was measured until then is stored. Check who runs that machine, and that its shell prints nothing of ' +
      'its own when ssh runs a command there.'
  },
  'host-lost': {
    exit: 1,
    what: (/** @type {{ host: string, why: string }} */ d) => `${d.host} was lost during the run: ${d.why}.`,
    remedy: () => 'What was measured until then is stored. Check the link and that machine, and measure again.'
  }
}

/** Errors of other machines that make the load of a run. */
import { suppliedRemedy } from './words.js'

/** @import { ErrorEntry } from './words.js' */

/** @satisfies {Record<string, ErrorEntry>} */
export const hosts = {
  'ssh-host-key': {
    what: (/** @type {{ host: string }} */ d) =>
      `ssh does not know the host key of ${d.host}, or it differs from the known one.`,
    remedy: (/** @type {{ host: string, ssh: string }} */ d) =>
      `Compare the fingerprint and accept it, after removing an older key by ssh-keygen -R: ${d.ssh} ${d.host}`
  },
  'ssh-denied': {
    what: (/** @type {{ host: string }} */ d) =>
      `${d.host} accepts no key of this account, and hopbench needs login by key.`,
    remedy: (/** @type {{ host: string, ssh: string }} */ d) =>
      'Name an accepted key (--ssh), or add yours there (ssh-copy-id if it takes passwords), until this works ' +
      `without a prompt: ${d.ssh} ${d.host} true`
  },
  'ssh-failed': {
    what: (/** @type {{ host: string }} */ d) => `${d.host} cannot be reached over ssh.`,
    remedy: (/** @type {{ host: string, ssh: string }} */ d) =>
      `Make this command work by hand first: ${d.ssh} ${d.host} true`
  },
  'host-unfit': {
    what: (/** @type {{ host: string, why: string }} */ d) => `${d.host} cannot take part: ${d.why}.`,
    remedy: suppliedRemedy
  },
  'hosts-differ': {
    what: (/** @type {{ what: string, hosts: [name: string, version: string][] }} */ d) =>
      `${d.what} is ` +
      `${d.hosts.map(([name, version]) => `${version} on ${name}`).join(' and ')}, and has to be the same.`,
    remedy: 'Install the same version on all of them.'
  },
  'no-workers': {
    what: (/** @type {{ seconds: number }} */ d) =>
      `Locust's workers did not all connect to its master within ${d.seconds} s.`,
    remedy: "Check that they can reach the master's port."
  },
  'host-unreachable': {
    what: (/** @type {{ host: string, url: string, why: string }} */ d) =>
      `The load generator on ${d.host} cannot reach the served side at ${d.url}: ${d.why}.`,
    remedy: 'Check the network and the firewalls between the two machines.'
  },
  'host-answer': {
    /** @param {{ host: string, why: string }} d */
    what: d => `${d.host} sent an unexpected message: ${d.why}.`,
    remedy:
      'Check that its shell prints nothing when ssh runs a command there, and that you trust that machine. Earlier ' +
      'results are stored.'
  },
  'host-lost': {
    what: (/** @type {{ host: string, why: string }} */ d) =>
      `The connection to ${d.host} was lost during the run: ${d.why}.`,
    remedy: 'Check the network and that machine, and measure again. Earlier results are stored.'
  }
}

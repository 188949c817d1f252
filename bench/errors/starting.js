/** What goes wrong while programs and their networks are started, or ends them. */
import { itsWords } from './words.js'

/** @typedef {{ output?: string | null }} Said the program's own lines */

/** @satisfies {Record<string, import('../types.d.ts').ErrorEntry>} */
export const starting = {
  'start-failed': {
    exit: 1,
    /** @param {{ name: string, why: string }} d */
    what: d => `${d.name} could not be started: ${d.why}.`,
    remedy: () => 'See what this machine lacks with: npm run hopbench -- doctor'
  },
  'process-died': {
    exit: 1,
    /** @param {{ name: string, how: string }} d */
    what: d => `${d.name} ${d.how}.`,
    /** @param {Said} d */
    remedy: d => `${itsWords(d)}; of a run, the whole log lies in its folder under results/.`
  },
  'not-ready': {
    exit: 1,
    /** @param {{ name: string, seconds: number }} d */
    what: d => `${d.name} was not ready after ${d.seconds} s.`,
    /** @param {Said} d */
    remedy: d => `${itsWords(d)}; try again when the machine is less busy.`
  },
  'proxy-refused': {
    exit: 1,
    /** @param {{ name: string }} d */
    what: d => `${d.name} refuses its configuration.`,
    remedy: () => 'Its own words are above; the file is in the run\'s folder. An option, or the template in nginx/ or apache/, may be wrong for this version.'
  },
  'certificate-failed': {
    exit: 1,
    /** @param {{ kind: string, dir: string, why: string }} d */
    what: d => `The ${d.kind} certificate could not be made in ${d.dir}: ${d.why}.`,
    remedy: () => 'Another kind may do: +tls=rsa2048, rsa4096 or ecdsa-p256; a folder that can be written is named in TMPDIR.'
  },
  'module-missing': {
    exit: 1,
    /** @param {{ program: string, files: string[], folder: string | null, word: string }} d folder: of its modules; null: it was not found */
    what: d => `${d.program} has no ${d.files.join(', ')}${d.folder ? ` in ${d.folder}` : ''}, which ${d.word} needs.`,
    /** @param {{ folder: string | null }} d */
    remedy: d => d.folder ? 'Install the package that brings it, or leave out the option that asks for it.' : 'Its folder of modules was not found; install it from its package.'
  },
  'no-port': {
    exit: 1,
    /** @param {{ from: number, to: number, address: string }} d */
    what: d => `None of the TCP ports from ${d.from} to ${d.to} is free on ${d.address}.`,
    remedy: () => 'Close programs that hold many ports, or wait until TIME_WAIT is over.'
  },
  'port-in-use': {
    exit: 1,
    /** @param {{ what: string }} d what: "Port 8080", or a Unix socket with its path */
    what: d => `${d.what} is in use by another program.`,
    remedy: () => 'End that program or choose another port.'
  },
  'lab-failed': {
    exit: 1,
    /** @param {{ name: string }} d */
    what: d => `The private network for ${d.name} could not be made.`,
    remedy: () => 'Go without it: add --no-lab, or leave out --lab of hopbench up; npm run hopbench -- doctor says what this machine allows.'
  },
  'lab-needed': {
    exit: 1,
    /** @param {{ name: string, what: string }} d what: settings and options */
    what: d => `${d.name} asks for ${d.what}, which needs a private network, and there is none.`,
    remedy: () => 'Leave out --no-lab, on Linux with user namespaces allowed; npm run hopbench -- doctor says whether they are.'
  }
}

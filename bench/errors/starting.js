/** Errors of programs and their networks while they start, or that end them. */
import { itsWords } from './words.js'

/** @import { ErrorEntry } from './words.js' */

/** @satisfies {Record<string, ErrorEntry>} */
export const starting = {
  'start-failed': {
    exit: 1,
    what: (/** @type {{ name: string, why: string }} */ d) => `${d.name} could not be started: ${d.why}.`,
    remedy: () => 'See what is missing on this machine with: npm run hopbench -- doctor'
  },
  'process-died': {
    exit: 1,
    what: (/** @type {{ name: string, how: string }} */ d) => `${d.name} ${d.how}.`,
    remedy: (/** @type {{ output?: string | null }} */ d) =>
      `${itsWords(d)}; the whole log of a run is in its folder under results/.`
  },
  'not-ready': {
    exit: 1,
    what: (/** @type {{ name: string, seconds: number }} */ d) => `${d.name} was not ready after ${d.seconds} s.`,
    remedy: (/** @type {{ output?: string | null }} */ d) => `${itsWords(d)}; try again when the machine is less busy.`
  },
  'proxy-refused': {
    exit: 1,
    what: (/** @type {{ name: string }} */ d) => `${d.name} refuses its configuration.`,
    remedy: () =>
      "Its own message is above; the file is in the run's folder. An option, or the template in its folder, " +
      'may be wrong for this version.'
  },
  'config-value': {
    exit: 2,
    /** @param {{ what: string, value: string, program: string, why: string }} d */
    what: d => `${d.what} cannot be ${JSON.stringify(d.value)} in the configuration of ${d.program}: ${d.why}.`,
    remedy: () => 'Use a path without it, such as a symbolic link with another name.'
  },
  'certificate-failed': {
    exit: 1,
    what: (/** @type {{ kind: string, dir: string, why: string }} */ d) =>
      `The ${d.kind} certificate could not be made in ${d.dir}: ${d.why}.`,
    remedy: () =>
      'Choose another kind (+tls=rsa2048, rsa4096 or ecdsa-p256), or set TMPDIR to a folder that can be written.'
  },
  'module-missing': {
    exit: 1,
    /**
     * @param {{ program: string, files: string[], folder: string | null, word: string }} d folder: of its modules;
     * null: unknown
     */
    what: d => `${d.program} has no ${d.files.join(', ')}${d.folder ? ` in ${d.folder}` : ''}, which ${d.word} needs.`,
    remedy: (/** @type {{ folder: string | null }} */ d) =>
      d.folder
        ? 'Install the package that contains it, or leave out the option that requires it.'
        : 'Its folder of modules was not found; install it from its package.'
  },
  'no-port': {
    exit: 1,
    what: (/** @type {{ from: number, to: number, address: string }} */ d) =>
      `None of the TCP ports from ${d.from} to ${d.to} is free on ${d.address}.`,
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
    what: (/** @type {{ name: string }} */ d) => `The private network for ${d.name} could not be made.`,
    remedy: () =>
      'Go without it: add --no-lab, or leave out --lab of hopbench up; npm run hopbench -- doctor says what this ' +
      'machine allows.'
  },
  'lab-needed': {
    exit: 1,
    /** @param {{ name: string, what: string }} d what: settings and options */
    what: d => `${d.name} requires ${d.what}, which needs a private network, and there is none.`,
    remedy: () =>
      'Leave out --no-lab, on Linux with user namespaces allowed; npm run hopbench -- doctor says whether they are.'
  },
  'bad-sysctl': {
    exit: 1,
    what: (/** @type {{ name: string, value: string, why: string }} */ d) =>
      `The kernel setting ${JSON.stringify(`${d.name}=${d.value}`)} is refused: ${d.why}.`,
    remedy: () =>
      'Correct it in the experiment, or in the plan of the run that is resumed, as in net.ipv4.tcp_tw_reuse=1.'
  }
}

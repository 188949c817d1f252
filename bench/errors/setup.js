/** Errors of preparing this machine: Node, packages, programs, temporary folders. */
import { packagesFailed, remedyOr, shellWord, suppliedRemedy } from './words.js'

/** @import { ErrorEntry } from './words.js' */

/** @satisfies {Record<string, ErrorEntry>} */
export const setup = {
  'node-too-old': {
    what: (/** @type {{ wanted: string, found: string }} */ d) =>
      `hopbench requires Node ${d.wanted}, and this is Node ${d.found}.`,
    remedy: 'Install a current LTS version of Node.'
  },
  'install-failed': {
    what: (/** @type {{ why: string }} */ d) => `The npm packages could not be installed: ${d.why}.`,
    remedy: remedyOr('Check the network and the settings of npm, or run npm ci by hand to see its whole output.')
  },
  'npm-packages-failed': packagesFailed('npm', 'npm'),
  'still-installing': {
    /** @param {{ pid: number | null, file: string, seconds: number }} d pid: null: unknown */
    what: d =>
      `Another start${d.pid === null ? '' : ` (process ${d.pid})`} has been installing for ` +
      `${Math.round(d.seconds)} s and holds ${d.file}.`,
    remedy: (/** @type {{ file: string }} */ d) =>
      'End that process if it is stopped or stuck. If there is no such process, delete the lock: ' +
      `rm ${shellWord(d.file)}`
  },
  'tool-missing': {
    /** @param {{ program: string, why: string }} d program: one, or several separated by commas */
    what: d => `${d.program} ${d.program.includes(',') ? 'are' : 'is'} not on PATH, and ${d.why}.`,
    remedy: suppliedRemedy
  },
  'release-unavailable': {
    /** @param {{ programs: string, why: string }} d programs: "nginx of sid", or several separated by commas */
    what: d => `${d.programs} cannot be had: ${d.why}.`,
    remedy: remedyOr('Check the network and the sources of apt, or leave out the release to use the installed program.')
  },
  'tool-broken': {
    what: (/** @type {{ path: string, why: string }} */ d) => `${d.path} does not run: ${d.why}.`,
    remedy: 'Install it again, or put another copy before it on PATH.'
  },
  'cache-nearly-full': {
    /** @param {{ what: string, folder: string, free: number, needed: number }} d free, needed: MiB */
    what: d => `${d.what} would take up to ${d.needed} MiB in ${d.folder}, and ${d.free} MiB are free there.`,
    remedy: 'Free some space, or set HOPBENCH_CACHE to a folder on another disk.'
  },
  'runtime-no-build': {
    /** @param {{ title: string, platform: string }} d platform: "linux-riscv64" */
    what: d => `There is no build of ${d.title} for ${d.platform}.`,
    remedy: (/** @type {{ known: string[] }} */ d) =>
      `Leave out +runtime to use the Node that runs hopbench, or measure on ${d.known.join(' or ')}.`
  },
  'runtime-not-fetched': {
    what: (/** @type {{ title: string, why: string }} */ d) => `${d.title} could not be fetched: ${d.why}.`,
    remedy: 'Check the network, and the registry that npm uses (npm config get registry).'
  },
  'runtime-checksum': {
    /** @param {{ title: string, name: string, found: string, integrity: string }} d integrity: as pinned */
    what: d =>
      `The download of ${d.title} from the npm registry was discarded: the checksum of ${d.name} is ${d.found}, and ` +
      `${d.integrity} is pinned.`,
    remedy: 'Check the registry that npm uses (npm config get registry), or update hopbench.'
  },
  'python-missing': {
    what: (/** @type {{ program: string, least: string, why: string }} */ d) =>
      `${d.program} requires Python ${d.least} or newer, and ${d.why}.`,
    remedy:
      'Install it (on Debian and Ubuntu with "sudo apt-get install python3 python3-venv"), or put a working Python ' +
      'earlier on PATH.'
  },
  'python-without-venv': {
    what: (/** @type {{ path: string, why: string | null }} */ d) =>
      `${d.path} cannot create a virtual environment: ${d.why ?? 'its module venv or ensurepip is missing'}.`,
    remedy: 'Install the module venv (on Debian and Ubuntu with "sudo apt-get install python3-venv").'
  },
  'python-packages-failed': packagesFailed('Python', 'pip'),
  'python-environment-broken': {
    what: (/** @type {{ program: string, folder: string }} */ d) =>
      `${d.program} does not run in its Python environment, ${d.folder}.`,
    remedy: (/** @type {{ folder: string }} */ d) =>
      `Delete that folder, so that the next start creates it again: rm -r ${shellWord(d.folder)}`
  },
  'temp-not-writable': {
    what: (/** @type {{ dir: string, why: string }} */ d) =>
      `No temporary folder can be created in ${d.dir}: ${d.why}.`,
    remedy: 'Set TMPDIR to a folder that can be written.'
  },
  'socket-path-too-long': {
    what: (/** @type {{ path: string, bytes: number, limit: number }} */ d) =>
      `The Unix socket path ${d.path} would be ${d.bytes} bytes long, and the system's limit is ${d.limit}.`,
    remedy: 'Set TMPDIR to a folder with a shorter path, as in TMPDIR=/tmp.'
  }
}

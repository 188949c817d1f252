/** Errors of preparing this machine: Node, packages, programs, temporary folders. */

/** @import { ErrorEntry } from './words.js' */

/** @satisfies {Record<string, ErrorEntry>} */
export const setup = {
  'node-too-old': {
    exit: 1,
    what: (/** @type {{ wanted: string, found: string }} */ d) =>
      `hopbench needs Node ${d.wanted}, and this is Node ${d.found}.`,
    remedy: () => 'Install a current LTS version of Node; nothing else has to be installed by hand.'
  },
  'install-failed': {
    exit: 1,
    what: (/** @type {{ why: string }} */ d) => `The npm packages could not be installed: ${d.why}.`,
    remedy: (/** @type {{ remedy?: string }} */ d) =>
      d.remedy ?? 'Check the network and npm\'s settings, or run npm ci by hand to see its whole output.'
  },
  'npm-packages-failed': {
    exit: 1,
    what: (/** @type {{ name: string, why: string }} */ d) =>
      `The npm packages of ${d.name} could not be installed: ${d.why}.`,
    remedy: (/** @type {{ remedy?: string }} */ d) =>
      d.remedy ?? "Check the network and npm's settings; the next start tries again."
  },
  'still-installing': {
    exit: 1,
    /** @param {{ pid: number | null, file: string, seconds: number }} d pid: null: unknown */
    what: d =>
      `Another start${d.pid === null ? '' : ` (process ${d.pid})`} has been installing for ${Math.round(d.seconds)} ` +
      's ' +
      `and holds ${d.file}.`,
    remedy: (/** @type {{ file: string }} */ d) =>
      `End that process if it is stopped or stuck; where there is none, delete the lock: rm ${d.file}`
  },
  'tool-missing': {
    exit: 1,
    /** @param {{ program: string, why: string }} d program: one, or several separated by commas */
    what: d => `${d.program} ${d.program.includes(',') ? 'are' : 'is'} not on PATH, and ${d.why}.`,
    remedy: (/** @type {{ remedy: string }} */ d) => d.remedy
  },
  'tool-broken': {
    exit: 1,
    what: (/** @type {{ path: string, why: string }} */ d) => `${d.path} does not run: ${d.why}.`,
    remedy: () => 'Install it again, or put another one before it on PATH.'
  },
  'cache-nearly-full': {
    exit: 1,
    /** @param {{ what: string, folder: string, free: number, needed: number }} d free, needed: MiB */
    what: d => `${d.what} would take up to ${d.needed} MiB in ${d.folder}, and ${d.free} MiB are free there.`,
    remedy: () => 'Free some space, or name a folder on another disk with HOPBENCH_CACHE.'
  },
  'runtime-no-build': {
    exit: 1,
    /** @param {{ title: string, platform: string }} d platform: "linux-riscv64" */
    what: d => `There is no build of ${d.title} for ${d.platform}.`,
    remedy: (/** @type {{ known: string[] }} */ d) =>
      `There are builds for ${d.known.join(' and ')}; leave +runtime out to take the Node that runs hopbench.`
  },
  'runtime-not-fetched': {
    exit: 1,
    what: (/** @type {{ title: string, why: string }} */ d) => `${d.title} could not be fetched: ${d.why}.`,
    remedy: () =>
      'Check the network and the registry that npm is set to (npm config get registry); what was fetched once needs ' +
      'neither.'
  },
  'runtime-checksum': {
    exit: 1,
    /** @param {{ title: string, name: string, found: string, integrity: string }} d integrity: as pinned */
    what: d =>
      `What the npm registry sent for ${d.title} was discarded: the checksum of ${d.name} is ${d.found}, and ` +
      `${d.integrity} is pinned.`,
    remedy: () =>
      'Ask the registry that npm is set to (npm config get registry) why; a newer hopbench may pin another version.'
  },
  'python-missing': {
    exit: 1,
    what: (/** @type {{ program: string, least: string, why: string }} */ d) =>
      `${d.program} needs Python ${d.least} or newer, and ${d.why}.`,
    remedy: () =>
      'Install it: on Debian and Ubuntu with "sudo apt-get install python3 python3-venv"; or put a working ' +
      'Python earlier on PATH.'
  },
  'python-without-venv': {
    exit: 1,
    what: (/** @type {{ path: string, why: string | null }} */ d) =>
      `${d.path} cannot make a virtual environment: ${d.why ?? 'its modules venv and ensurepip are not all there'}.`,
    remedy: () => 'Install what is missing: on Debian and Ubuntu with "sudo apt-get install python3-venv".'
  },
  'python-packages-failed': {
    exit: 1,
    what: (/** @type {{ program: string, why: string }} */ d) =>
      `The Python packages of ${d.program} could not be installed: ${d.why}.`,
    remedy: (/** @type {{ remedy?: string }} */ d) =>
      d.remedy ?? 'Check the network and the settings of pip; the next start tries again.'
  },
  'python-environment-broken': {
    exit: 1,
    what: (/** @type {{ program: string, folder: string }} */ d) =>
      `${d.program} does not run in its Python environment, ${d.folder}.`,
    remedy: (/** @type {{ folder: string }} */ d) =>
      `Delete that folder: rm -r ${d.folder}; the next start creates it again.`
  },
  'temp-not-writable': {
    exit: 1,
    what: (/** @type {{ dir: string, why: string }} */ d) => `No temporary folder can be made in ${d.dir}: ${d.why}.`,
    remedy: () => 'Name a folder that can be written in TMPDIR.'
  },
  'socket-path-too-long': {
    exit: 1,
    what: (/** @type {{ path: string, bytes: number, limit: number }} */ d) =>
      `The Unix socket path ${d.path} would be ${d.bytes} bytes long, and the system's limit is ${d.limit}.`,
    remedy: () => 'Name a folder with a shorter path: TMPDIR=/tmp.'
  }
}

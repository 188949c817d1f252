/** What keeps this machine from being made ready: Node, packages, programs, temporary folders. */

/** @satisfies {Record<string, import('../types.d.ts').ErrorEntry>} */
export const setup = {
  'node-too-old': {
    exit: 1,
    /** @param {{ wanted: string, found: string }} d */
    what: d => `hopbench needs Node ${d.wanted}, and this is Node ${d.found}.`,
    remedy: () => 'Install a current LTS version of Node; nothing else has to be installed by hand.'
  },
  'install-failed': {
    exit: 1,
    /** @param {{ why: string }} d */
    what: d => `The npm packages could not be installed: ${d.why}.`,
    /** @param {{ remedy?: string }} d */
    remedy: d => d.remedy ?? 'Check the network and npm\'s settings, or run npm ci by hand to see all it says.'
  },
  'tool-missing': {
    exit: 1,
    /** @param {{ program: string, why: string }} d program: or several, with commas between them */
    what: d => `${d.program} ${d.program.includes(',') ? 'are' : 'is'} not on PATH, and ${d.why}.`,
    /** @param {{ remedy: string }} d */
    remedy: d => d.remedy
  },
  'tool-broken': {
    exit: 1,
    /** @param {{ path: string, why: string }} d */
    what: d => `${d.path} does not run: ${d.why}.`,
    remedy: () => 'Install it anew, or put another one before it on PATH.'
  },
  'python-missing': {
    exit: 1,
    /** @param {{ program: string, least: string, why: string }} d */
    what: d => `${d.program} needs Python ${d.least} or newer, and ${d.why}.`,
    remedy: () => 'Install it: on Debian and Ubuntu with "sudo apt-get install python3 python3-venv"; or put one that runs before the others on PATH.'
  },
  'python-without-venv': {
    exit: 1,
    /** @param {{ path: string, why: string | null }} d */
    what: d => `${d.path} cannot make a virtual environment: ${d.why ?? 'its modules venv and ensurepip are not all there'}.`,
    remedy: () => 'Install what is missing: on Debian and Ubuntu with "sudo apt-get install python3-venv".'
  },
  'python-packages-failed': {
    exit: 1,
    /** @param {{ program: string, why: string }} d */
    what: d => `The Python packages of ${d.program} could not be installed: ${d.why}.`,
    /** @param {{ remedy?: string }} d */
    remedy: d => d.remedy ?? 'Check the network and the settings of pip; it is tried again at the next start.'
  },
  'python-environment-broken': {
    exit: 1,
    /** @param {{ program: string, folder: string }} d */
    what: d => `${d.program} does not run in its Python environment, ${d.folder}.`,
    /** @param {{ folder: string }} d */
    remedy: d => `Delete that folder: rm -r ${d.folder}; the next start makes it anew.`
  },
  'temp-not-writable': {
    exit: 1,
    /** @param {{ dir: string, why: string }} d */
    what: d => `No temporary folder can be made in ${d.dir}: ${d.why}.`,
    remedy: () => 'Name a folder that can be written in TMPDIR.'
  },
  'socket-path-too-long': {
    exit: 1,
    /** @param {{ path: string, bytes: number, limit: number }} d */
    what: d => `The Unix socket path ${d.path} would be ${d.bytes} bytes long, and the system's limit is ${d.limit}.`,
    remedy: () => 'Name a folder with a shorter path: TMPDIR=/tmp.'
  }
}

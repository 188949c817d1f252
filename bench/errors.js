/**
 * Every error a person can meet: what failed, where, and what to try.
 * docs/errors.md lists the same codes; a test keeps the two together.
 */

/** @typedef {Record<string, any>} Details */
/**
 * @typedef {object} Entry
 * @property {1 | 2 | 3} exit 2: the command was wrong; 1: something failed; 3: slower than the baseline
 * @property {(d: Details) => string} what one sentence: what failed, and where
 * @property {(d: Details) => string} remedy one sentence: what to try
 */

const ms = (/** @type {unknown} */ value) => `${Number(value).toFixed(2)} ms`
const did = (/** @type {Details} */ d) => d.nearest ? ` Did you mean "${d.nearest}"?` : ''

/** @type {Record<string, Entry>} */
export const catalog = {
  'unknown-experiment': {
    exit: 2,
    what: d => `There is no experiment or topology "${d.name}".${did(d)}`,
    remedy: () => 'List what there is with: npm run hopbench -- list'
  },
  'unknown-plugin': {
    exit: 2,
    what: d => `There is no ${d.kind} "${d.name}" in ${d.folder}/.${did(d)}`,
    remedy: d => `Known: ${d.known.join(', ')}.`
  },
  'bad-plugin': {
    exit: 1,
    what: d => `The plug-in ${d.file} does not keep its contract: ${d.why}.`,
    remedy: () => 'CONTRIBUTING.md shows the contract of each kind of plug-in.'
  },
  'bad-topology': {
    exit: 2,
    what: d => `"${d.word}" is not a topology: ${d.why}.`,
    remedy: () => 'A topology is written [proxy[:transport][+option=value]/]server[@manager:instances], as in nginx:uds/express-json.'
  },
  'node-too-old': {
    exit: 1,
    what: d => `hopbench needs Node ${d.wanted}, and this is Node ${d.found}.`,
    remedy: () => 'Install a current LTS version of Node; nothing else has to be installed by hand.'
  },
  'install-failed': {
    exit: 1,
    what: d => `The npm packages could not be installed: ${d.why}.`,
    remedy: d => d.remedy ?? 'Check the network and npm\'s settings, or run npm ci by hand to see all it says.'
  },
  'tool-missing': {
    exit: 1,
    what: d => `${d.program} ${d.program.includes(',') ? 'are' : 'is'} not on PATH${d.why ? `, and ${d.why}` : ''}.`,
    remedy: d => d.remedy
  },
  'tool-broken': {
    exit: 1,
    what: d => `${d.path} does not run: ${d.why}.`,
    remedy: d => d.remedy ?? 'Install it anew, or put another one before it on PATH.'
  },
  'python-missing': {
    exit: 1,
    what: d => `${d.program} needs Python ${d.least} or newer, and ${d.why}.`,
    remedy: () => 'Install it: on Debian and Ubuntu with "sudo apt-get install python3 python3-venv"; or put one that runs before the others on PATH.'
  },
  'python-without-venv': {
    exit: 1,
    what: d => `${d.path} cannot make a virtual environment${d.why ? `: ${d.why}` : ', for its modules venv and ensurepip are not all there'}.`,
    remedy: () => 'Install what is missing: on Debian and Ubuntu with "sudo apt-get install python3-venv".'
  },
  'python-packages-failed': {
    exit: 1,
    what: d => `The Python packages of ${d.program} could not be installed: ${d.why}.`,
    remedy: d => d.remedy ?? 'Check the network and the settings of pip; it is tried again at the next start.'
  },
  'python-environment-broken': {
    exit: 1,
    what: d => `${d.program} does not run in its Python environment, ${d.folder}.`,
    remedy: d => `Delete that folder: rm -r ${d.folder}; the next start makes it anew.`
  },
  'start-failed': {
    exit: 1,
    what: d => `${d.name} could not be started (${d.argv}).`,
    remedy: () => 'See what this machine lacks with: npm run hopbench -- doctor'
  },
  'process-died': {
    exit: 1,
    what: d => `${d.name} ${d.how}.`,
    remedy: () => 'Its last lines are above; the whole log lies in the run\'s folder under results/.'
  },
  'not-ready': {
    exit: 1,
    what: d => `${d.name} was not ready after ${d.seconds} s.`,
    remedy: () => 'Its last lines are above; try again when the machine is less busy.'
  },
  'lab-failed': {
    exit: 1,
    what: d => `The private network for ${d.name} could not be made.`,
    remedy: () => 'Go without it: add --no-lab.'
  },
  'lab-needed': {
    exit: 1,
    what: d => `${d.name} changes ${d.what}, which needs a private network, and this machine gives none.`,
    remedy: () => 'Run it on Linux with user namespaces allowed; hopbench doctor says why they are not.'
  },
  'no-port': {
    exit: 1,
    what: () => 'There is no free TCP port on 127.0.0.1.',
    remedy: () => 'Close programs that hold many connections, or wait until TIME_WAIT is over.'
  },
  'temp-not-writable': {
    exit: 1,
    what: d => `No temporary folder can be made in ${d.dir}: ${d.why}.`,
    remedy: () => 'Name a folder that can be written in TMPDIR.'
  },
  'socket-path-too-long': {
    exit: 1,
    what: d => `The Unix socket path ${d.path} would be ${d.bytes} bytes long, and the system's limit is ${d.limit}.`,
    remedy: () => 'Name a folder with a shorter path: TMPDIR=/tmp.'
  },
  'results-not-writable': {
    exit: 1,
    what: d => `The results cannot be written in ${d.dir}: ${d.why}.`,
    remedy: () => 'Name a folder that can be written with --results.'
  },
  'disk-full': {
    exit: 1,
    what: d => `There is no space left to write ${d.file}; what was stored before is intact.`,
    remedy: d => d.run ? `Free some space and go on where it stopped: npm run hopbench -- run --resume ${d.run}` : 'Free some space and try again.'
  },
  'unknown-run': {
    exit: 2,
    what: d => `There is no run "${d.name}" in ${d.dir}.${did(d)}`,
    remedy: () => 'Give the name of a folder there, or the path of one elsewhere.'
  },
  'unknown-suite': {
    exit: 2,
    what: d => d.name ? `There is no suite "${d.name}" in ${d.dir}.${did(d)}` : `There is no suite in ${d.dir} to go on with.`,
    remedy: () => 'Start one with: npm run bench:all'
  },
  'page-not-writable': {
    exit: 1,
    what: d => `The page ${d.file} cannot be written: ${d.why}.`,
    remedy: () => 'Print it instead, and keep it where you may: npm run hopbench -- claims'
  },
  'bad-run-file': {
    exit: 1,
    what: d => `${d.file}${d.line ? `, line ${d.line},` : ''} cannot be read: ${d.why}.`,
    remedy: () => 'Restore the file from a copy, or leave this run out.'
  },
  'newer-run': {
    exit: 1,
    what: d => `${d.file} has the format ${d.schema}, and this hopbench reads up to ${d.known}.`,
    remedy: () => 'Read it with the hopbench that wrote it, or a newer one.'
  },
  'proxy-refused': {
    exit: 1,
    what: d => `${d.name} refuses its configuration.`,
    remedy: () => 'Its own words are above; the file is in the run\'s folder. A template in nginx/ or an option may be wrong for this version.'
  },
  'certificate-failed': {
    exit: 1,
    what: d => `The ${d.kind} certificate could not be made in ${d.dir}: ${d.why}.`,
    remedy: () => 'Another kind may do: +tls=rsa2048, rsa4096 or ecdsa-p256; a folder that can be written is named in TMPDIR.'
  },
  'module-missing': {
    exit: 1,
    what: d => `${d.program} has no ${d.files.join(', ')}${d.folder ? ` in ${d.folder}` : ''}, which ${d.word} needs.`,
    remedy: d => d.folder ? 'Install the package that brings it, or leave out the option that asks for it.' : 'Its folder of modules was not found; install it from its package.'
  },
  'port-in-use': {
    exit: 1,
    what: d => `${d.what} is in use by another program.`,
    remedy: d => d.remedy ?? 'End that program or choose another port.'
  },
  'gate-refused': {
    exit: 1,
    what: d => `${d.name} does not answer what it should: ${d.why}.`,
    remedy: () => 'Arms that answer differently cannot be compared; ask it by hand with: npm run hopbench -- up <topology>'
  },
  'engine-report': {
    exit: 1,
    what: d => `The report of ${d.name} for ${d.arm} cannot be read.`,
    remedy: () => 'Its output is above; its version may be one that hopbench does not know. Try another with --engine.'
  },
  'no-module': {
    exit: 2,
    what: d => `There is no file ${d.file} for the server ${d.name}.`,
    remedy: () => 'A server of your own is a module whose default export is a (req, res) handler or an Express app, as in ./my-app.js.'
  },
  'root-missing': {
    exit: 2,
    what: d => `There is no folder ${d.dir} to serve: ${d.why}.`,
    remedy: () => 'Name the folder that holds your files, as in --root ./public.'
  },
  'root-unreadable': {
    exit: 2,
    what: d => `The folder ${d.dir} cannot be read: ${d.why}.`,
    remedy: () => 'Let this account read it (chmod -R a+rX), or name another folder with --root.'
  },
  'root-empty': {
    exit: 2,
    what: d => `There is no file to serve in ${d.dir}; hidden files and symbolic links do not count.`,
    remedy: () => 'Name the folder that your build writes to, as in --root ./dist.'
  },
  'engine-cannot': {
    exit: 2,
    what: d => `${d.engine} cannot ${d.what}, which ${d.arm} asks for.`,
    remedy: () => 'hopbench list shows the engines; name another with --engine.'
  },
  'too-many-connections': {
    exit: 2,
    what: d => `${d.connections} connections to ${d.name} need about ${d.needed} open files in one process, and the limit here is ${d.openFiles}.`,
    // Node has raised its own limit to the hard one already, and what it starts inherits that.
    remedy: d => `It is the hard limit: raise it as root, with ulimit -Hn ${d.needed} or nofile in /etc/security/limits.conf, or ask for fewer with --connections.`
  },
  'no-runs': {
    exit: 2,
    what: () => 'There is no stored run yet.',
    remedy: () => 'Make one with: npm run bench:uds'
  },
  'bad-order': {
    exit: 2,
    what: d => `The page asked for something that cannot be run: ${d.why}.`,
    remedy: () => 'Name an experiment or topologies, as in: uds, or express-json nginx:uds/express-json'
  },
  'already-running': {
    exit: 1,
    what: () => 'A run is under way already, and two would measure each other.',
    remedy: () => 'Wait for its end, or stop it.'
  },
  'cannot-listen': {
    exit: 1,
    what: d => `The page cannot listen on ${d.host}, port ${d.port}: ${d.why}.`,
    remedy: () => 'Take another port with --port, or any free one with --port 0.'
  },
  'no-users': {
    exit: 1,
    what: d => `There were no users in ${d.run}: its load was of another kind.`,
    remedy: () => 'hopbench report --samples prints every trial; npm run bench:users makes a run with users.'
  },
  'nothing-to-draw': {
    exit: 1,
    what: d => `${d.run} has no ratio that could be drawn.`,
    remedy: () => 'See why with: npm run hopbench -- report'
  },
  'paths-unreadable': {
    exit: 2,
    what: d => `The list of paths ${d.file} cannot be read: ${d.why}.`,
    remedy: () => 'It is a text with a path on each line, or an access log.'
  },
  'paths-empty': {
    exit: 2,
    what: d => `None of the ${d.listed} paths in ${d.file} is a file below ${d.root}.`,
    remedy: () => 'Paths begin with a slash and are relative to --root; of an access log the answers with 200 count.'
  },
  'no-limits': {
    exit: 1,
    what: d => `The limits of a plan cannot be set on this machine: ${d.why}.`,
    remedy: () => 'Leave out --verify, and the table stands on what was measured without limits; or run it as root on Linux.'
  },
  'plan-too-small': {
    exit: 1,
    what: d => `${d.name} does not fit into the memory of ${d.plan} (${d.memoryMiB} MiB): the kernel ended it for want of memory.`,
    remedy: () => 'Name a plan with more memory.'
  },
  'unknown-plan': {
    exit: 2,
    what: d => `There is no plan "${d.name}".${did(d)}`,
    remedy: () => 'hopbench size --list shows the plans; a file of your own goes with --plans.'
  },
  'bad-plans': {
    exit: 2,
    what: d => `The plans in ${d.file} cannot be used: ${d.why}.`,
    remedy: () => 'It is a JSON file with a list "plans"; bench/sizing/plans.json shows what is in one.'
  },
  'goal-below-floor': {
    exit: 1,
    what: d => `No load meets a p99 of ${d.p99Ms} ms: unloaded, half of the answers of ${d.name} take ${ms(d.p50Ms)} or longer, and one in a hundred ${ms(d.floorMs)}.`,
    remedy: d => `Set a goal above that, as in --p99 ${Math.ceil(2 * Number(d.floorMs)) || 50}ms.`
  },
  'goal-out-of-reach': {
    exit: 1,
    what: d => `${d.name} does not hold a p99 of ${d.p99Ms} ms at any rate that was tried: ${d.why}. Unloaded its p99 is ${ms(d.floorMs)}.`,
    remedy: () => 'Set a goal well above the unloaded latency, or try again when the machine is less busy.'
  },
  'cannot-size': {
    exit: 1,
    what: d => `${d.name} cannot be sized: ${d.why}.`,
    remedy: d => `Ask it by hand with: npm run hopbench -- up ${d.name}`
  },
  'ssh-host-key': {
    exit: 1,
    what: d => `The host key of ${d.host} is not known here, or is another one than the one that is known.`,
    remedy: d => `Connect once by hand, compare its fingerprint and accept it: ${d.ssh} ${d.host}`
  },
  'ssh-denied': {
    exit: 1,
    what: d => `${d.host} does not let this account in without a question.`,
    remedy: d => `Put a key there (ssh-copy-id), so that this ends without a question: ${d.ssh} ${d.host} true`
  },
  'ssh-failed': {
    exit: 1,
    what: d => `${d.host} cannot be reached over ssh.`,
    remedy: d => `Try it by hand: ${d.ssh} ${d.host} true`
  },
  'host-unfit': {
    exit: 1,
    what: d => `${d.host} cannot take part: ${d.why}.`,
    remedy: d => d.remedy
  },
  'no-workers': {
    exit: 1,
    what: d => `Locust's workers did not all connect to its master within ${d.seconds} s.`,
    remedy: () => 'See that they can reach the master\'s port, and that each was started with the command that was printed.'
  },
  'hosts-differ': {
    exit: 1,
    what: d => `Load generators must be alike, and ${d.what} is ${d.hosts.map((/** @type {string[]} */ [name, version]) => `${version} on ${name}`).join(' and ')}.`,
    remedy: () => 'Install the same version on all of them, or name another --engine.'
  },
  'host-unreachable': {
    exit: 1,
    what: d => `The load generator on ${d.host} cannot reach the served side at ${d.url}: ${d.why}.`,
    remedy: () => 'Let the two machines reach each other: a firewall may be between them.'
  },
  'host-lost': {
    exit: 1,
    what: d => `${d.host} was lost during the run: ${d.why}.`,
    remedy: () => 'What was measured by then is kept. See to the link and that machine, and measure again.'
  },
  'bad-option': {
    exit: 2,
    what: d => `${d.option} cannot be "${d.value}": ${d.why}.`,
    remedy: d => d.remedy ?? 'The command\'s --help shows what it takes.'
  }
}

/** A failure with a code. Its message is one sentence, `remedy` another. */
export class HopbenchError extends Error {
  /**
   * @param {string} code a key of the catalog
   * @param {Details} [details]
   * @param {{ cause?: unknown }} [options]
   */
  constructor (code, details = {}, options = {}) {
    const entry = catalog[code]
    if (!entry) throw new TypeError(`error code "${code}" is not in the catalog`)
    super(entry.what(details), options)
    this.name = 'HopbenchError'
    this.code = code
    this.details = details
    this.exit = entry.exit
    this.remedy = entry.remedy(details)
  }
}

/**
 * The words for a terminal: the sentence, what to try, and the program's own lines if there are any.
 * @param {unknown} error
 * @returns {{ text: string, exit: number }}
 */
export function explain (error) {
  if (error instanceof HopbenchError) {
    const quoted = error.details.output ? `\n${indent(error.details.output)}` : ''
    return { text: `${error.message}${quoted}\nTry: ${error.remedy}`, exit: error.exit }
  }
  const message = error instanceof Error ? error.message : String(error)
  return {
    text: `hopbench itself failed: ${message}\nTry: set HOPBENCH_DEBUG=1 for the stack and report it.`,
    exit: 1
  }
}

/** @param {string} output */
const indent = output => String(output).trim().split('\n').slice(-8).map(line => `    ${line}`).join('\n')

/** `hopbench doctor`: whether this machine can measure, as data. Changes and fetches nothing. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hasTurbo, watchCpu } from './environment.js'
import { satisfies, whatIsMissing } from './setup/install.js'
import { isWritable } from './setup/path.js'
import { cacheFolders } from './setup/tool-cache.js'
import { canFetch, installHint, locateTool, toolVersion } from './tools.js'

/** Load of others that a run's interleaving can still average out. */
const QUIET_SHARE = 0.1
const STEAL_SHARE = 0.01
/** A connection needs a file on each side, and both sides run in one process tree. */
const ENOUGH_FILES = 4096

/**
 * @typedef {object} Finding
 * @property {string} name what was looked at: "nginx"
 * @property {'ok' | 'warn' | 'fail'} status fail: the headline experiments do not run
 * @property {string} text what was found, one sentence
 * @property {string | null} remedy what to do; null where nothing is wrong
 */
/** @typedef {import('./tools.js').ToolSpec & { version: null | { args: string[], parse: (output: string) => string | null } }} VersionedSpec */
/**
 * @typedef {object} Deps
 * @property {import('./types.js').Environment} environment
 * @property {VersionedSpec[]} tools programs that plug-ins ask for
 * @property {string} resultsDir
 * @property {NodeJS.ProcessEnv} [env]
 * @property {string} [root] stands before /proc and /sys
 * @property {() => Promise<{ busy: number, steal: number } | null>} [watch] how busy the cores are
 */

/**
 * @param {Deps} deps
 * @returns {Promise<Finding[]>}
 */
export async function examine ({ environment, tools, resultsDir, env = process.env, root = '/', watch = () => watchCpu({ root, seconds: 1 }) }) {
  const shares = await watch()
  return [
    await nodeVersion(environment),
    dependencies(),
    ...await Promise.all(tools.map(spec => tool(spec, env))),
    toolCache(env),
    lab(environment),
    cores(environment),
    openFiles(environment),
    governor(environment),
    turbo(root),
    others(shares, environment),
    steal(shares),
    cgroup(root),
    results(resultsDir)
  ]
}

const project = fileURLToPath(new URL('..', import.meta.url))

/** @returns {Finding} */
const ok = (/** @type {string} */ name, /** @type {string} */ text) => ({ name, status: 'ok', text, remedy: null })
/** @returns {Finding} */
const warn = (/** @type {string} */ name, /** @type {string} */ text, /** @type {string} */ remedy) => ({ name, status: 'warn', text, remedy })
/** @returns {Finding} */
const fail = (/** @type {string} */ name, /** @type {string} */ text, /** @type {string} */ remedy) => ({ name, status: 'fail', text, remedy })

/** @typedef {import('./types.js').Environment} Environment */

/** @param {Environment} environment */
async function nodeVersion ({ node }) {
  const { engines } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8'))
  if (satisfies(node, engines.node)) return ok('node', `Node ${node}`)
  return fail('node', `Node ${node} is not ${engines.node}.`, 'Install a current LTS version of Node.')
}

function dependencies () {
  const missing = whatIsMissing(project)
  return missing ? fail('npm packages', `${missing}.`, 'Any command brings them; by hand: npm ci') : ok('npm packages', 'As package-lock.json says')
}

/**
 * @param {VersionedSpec} spec
 * @param {NodeJS.ProcessEnv} env
 */
async function tool (spec, env) {
  const found = locateTool(spec, env)
  if (!found) {
    const fetchable = canFetch(env) && (spec.packages?.debian ?? []).length > 0
    if (fetchable) return ok(spec.program, 'Not here yet; fetched when it is first needed')
    return warn(spec.program, 'Neither on PATH nor to be fetched on this system; what needs it does not run.', installHint([spec]))
  }
  if (!spec.version) return ok(spec.program, found.path)
  try {
    return ok(spec.program, `${await toolVersion(found.path, spec.version, found.env)}, ${found.path}`)
  } catch (error) {
    const { message, remedy } = /** @type {import('./errors.js').HopbenchError} */ (error)
    return fail(spec.program, message, found.from === 'cache' ? `Delete ${found.root}, and it is fetched anew.` : remedy)
  }
}

/** @param {NodeJS.ProcessEnv} env */
function toolCache (env) {
  const folder = cacheFolders(env).find(isWritable)
  if (folder) return ok('cache', folder)
  return warn('cache', `None of ${cacheFolders(env).join(', ')} can be written: programs cannot be fetched.`, 'Name a folder that can be written in HOPBENCH_CACHE.')
}

/** @param {Environment} environment */
function lab ({ lab }) {
  if (lab.network === 'namespaces') return ok('network', 'A private network namespace for each topology')
  return warn('network', `All topologies share the loopback of this machine: ${lab.why ?? 'no namespaces'}.`, 'Run it on Linux with user namespaces allowed, or as root.')
}

/** @param {Environment} environment */
function cores ({ cpu, cores }) {
  const { load, served } = cores
  if (load.some(core => served.includes(core)) || served.length === 0) {
    const remedy = cpu.cores === 1 ? 'Use a machine with two cores or more.' : 'Use Linux with taskset (util-linux), which gives each side cores of its own.'
    return warn('cores', `The load generator and what it measures share ${cpu.cores === 1 ? 'one core' : `${cpu.cores} cores`} and take time from each other.`, remedy)
  }
  return ok('cores', `${load.length} for load, ${served.length} for what is served (${cpu.model})`)
}

/** @param {Environment} environment */
function openFiles ({ limits: { openFiles } }) {
  if (openFiles === null) return ok('open files', 'No limit known')
  if (openFiles >= ENOUGH_FILES) return ok('open files', `Up to ${openFiles}`)
  return warn('open files', `Up to ${openFiles}: experiments with many connections need more.`, 'Raise it in this shell: ulimit -n 65536')
}

/** @param {Environment} environment */
function governor ({ cpu: { governor } }) {
  if (governor === null) return ok('governor', 'Not told by this system')
  if (governor === 'performance') return ok('governor', governor)
  return warn('governor', `The CPU's speed is set by "${governor}": it follows the load.`, 'sudo cpupower frequency-set -g performance')
}

/** @param {string} root */
function turbo (root) {
  const on = hasTurbo({ root })
  if (!on) return ok('turbo', on === null ? 'Not told by this system' : 'Off')
  return warn('turbo', 'On: the CPU\'s speed depends on its temperature.', 'Interleaving averages it out; for absolute figures switch it off in the firmware.')
}

/**
 * @param {{ busy: number } | null} shares
 * @param {Environment} environment
 */
function others (shares, { busy: { loadAverage } }) {
  const text = `${shares ? `${percent(shares.busy)} of the cores at work` : 'CPU use unknown'}, load average ${loadAverage.toFixed(2)}`
  if (!shares || shares.busy <= QUIET_SHARE) return ok('other load', text)
  return warn('other load', `${text}, before anything is measured.`, 'Close other programs; results stay right but need more time.')
}

/** @param {{ steal: number } | null} shares */
function steal (shares) {
  if (!shares) return ok('steal', 'Not told by this system')
  if (shares.steal <= STEAL_SHARE) return ok('steal', percent(shares.steal))
  return warn('steal', `${percent(shares.steal)} of the cores' time is taken by the hypervisor.`, 'Use a machine of its own for figures that others shall rely on.')
}

/** @param {string} root */
function cgroup (root) {
  const base = join(root, 'sys/fs/cgroup')
  const folder = ['cgroup.controllers', 'cpu'].map(name => join(base, name)).find(path => existsSync(path))
  if (!folder) return warn('cgroup', 'There is no cgroup file system: the limits of a plan cannot be tried.', 'Nothing to do, but for hopbench size --verify.')
  const writable = isWritable(folder.endsWith('cpu') ? folder : base)
  if (writable) return ok('cgroup', folder.endsWith('cpuacct') ? 'Version 1, can be written' : 'Version 2, can be written')
  return warn('cgroup', 'Cannot be written by this account: the limits of a plan cannot be tried.', 'Nothing to do, but for hopbench size --verify: run that as root.')
}

/** @param {string} dir */
function results (dir) {
  if (isWritable(dir)) return ok('results', dir)
  return fail('results', `${dir} cannot be written.`, 'Make it writable, or name another with --results.')
}

/** @param {number} share */
const percent = share => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`

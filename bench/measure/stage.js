/** All topologies of a plan: each is started in a network of its own, passes the gate, and runs until the end of the
 * run. */
import { join } from 'node:path'
import { describeArm } from './describe-arm.js'
import { findProxies, findRuntimes } from './find-programs.js'
import { fetchResponses } from './gate/gate.js'
import { passGate } from './gate/pass.js'
import { refuseDifferent } from './gate/same-answers.js'
import { configPaths, keepFiles } from './kept-files.js'
import { NO_NETWORK, toStagedUrl } from './url-arm.js'
import { HopbenchError } from '../errors.js'
import { openNetwork } from '../machine/lab.js'
import { makeTempDir } from '../machine/temp.js'
import { cacheIsOn } from '../plan/topology-options.js'
import { secretsOf } from '../shared/secrets.js'
import { getFixturePaths, writeFixtures } from '../topology/fixtures/fixtures.js'
import { loadOriginPlugin } from '../topology/proxy-origin.js'
import { startTopology } from '../topology/start.js'

/** @import { Network } from '../machine/shapes.js' */
/** @import { Address, Arm, GateRefusal } from '../types.js' */
/** @import { ArmOptions, PreparedArm, Stage, StagedArm, StageOptions } from './shapes.js' */

/**
 * Starts all arms, and compares the responses of each with the expected ones.
 * @param {Arm[]} arms
 * @param {StageOptions} options
 * @returns {Promise<Stage>}
 * @throws {HopbenchError} answers-differ, and errors of starting a program
 */
export async function openStage (arms, options) {
  const root = options.root ?? writeFixtures(join(options.temp, 'files'), getFixturePaths(arms))
  const proxies = await findProxies(arms)
  const runtimes = await findRuntimes(arms)
  const dirs = arms.map((_, i) => makeTempDir(options.temp, String(i)))
  // Waits for all before an error is thrown, because whatever was started must be ended.
  const preparing = await Promise.allSettled(arms.map((arm, i) =>
    prepareArm(arm, { ...options, root, dir: dirs[i], proxies })))
  const prepared = getValues(preparing)
  const starting = prepared.length < arms.length ? [] : await Promise.allSettled(prepared.map(startArm))
  const started = getValues(starting)
  const configsIn = (/** @type {string} */ dir) => prepared.find(arm => arm.dir === dir)?.configs ?? []
  const close = async () => {
    await Promise.all([
      ...started.map(({ running }) => running.stop()),
      ...prepared.map(({ network }) => network.close())
    ])
    const folders = arms.map((arm, i) => ({ arm, dir: dirs[i], configs: configsIn(dirs[i]) }))
    if (options.keepIn) keepFiles(folders, options.keepIn)
  }
  try {
    throwFirst([...preparing, ...starting])
    const { passed, refused } = await passGates(started, root)
    return {
      arms: new Map(passed.map(staged => [staged.arm.name, staged])),
      refused,
      tools: Object.fromEntries([
        ...[...proxies].map(([name, { version }]) => [name, version]),
        ...[...runtimes].map(([name, { runtime }]) => [name, runtime.version])
      ]),
      configs: dir => configsIn(dir).map(file => join(dir, file)),
      close
    }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Returns an arm that has passed the gate.
 * @param {Stage} stage
 * @param {string} name
 * @throws {HopbenchError} gate-refused
 */
export function getStagedArm ({ arms, refused }, name) {
  const staged = arms.get(name)
  if (!staged) throw new HopbenchError('gate-refused', { name, why: String(refused.get(name)?.params.why) })
  return staged
}

/**
 * Sends all arms through the gate.
 * @param {StagedArm[]} started
 * @param {string} root
 * @returns {Promise<{ passed: StagedArm[], refused: Map<string, GateRefusal> }>} passed: in the order of `started`
 * @throws {HopbenchError} answers-differ, gate-refused
 */
async function passGates (started, root) {
  const gates = await Promise.allSettled(started.map(async staged => {
    const passed = await passGate(staged, root)
    await staged.running.gatePassed?.()
    return passed
  }))
  throwFirst(gates)
  /** @type {StagedArm[]} */
  const passed = []
  /** @type {Map<string, GateRefusal>} */
  const refused = new Map()
  for (const [i, result] of getValues(gates).entries()) {
    const staged = started[i]
    if (typeof result === 'string') refused.set(staged.arm.name, { code: 'gate-refused', params: { why: result } })
    else passed.push({ ...staged, ...result, target: { ...staged.target, ...result.target } })
  }
  refuseDifferent(passed)
  return { passed, refused }
}

/**
 * Starts one arm without the gate.
 * @param {Arm} arm
 * @param {ArmOptions} options
 * @returns {Promise<{ staged: StagedArm, close: () => Promise<void> }>}
 */
export async function openArm (arm, options) {
  const prepared = await prepareArm(arm, options)
  try {
    const staged = await startArm(prepared)
    return {
      staged,
      async close () {
        await staged.running.stop()
        await prepared.network.close()
      }
    }
  } catch (error) {
    await prepared.network.close()
    throw error
  }
}

/**
 * Opens the network of an arm and describes its processes.
 * @param {Arm} arm
 * @param {ArmOptions} options
 * @returns {Promise<PreparedArm>}
 */
async function prepareArm (arm, options) {
  const { dir, proxies, cores } = options
  const { proxy, url } = arm.topology
  if (url !== undefined) return { arm, dir, network: NO_NETWORK, configs: [], described: null }
  const network = await openArmNetwork(arm, options)
  try {
    const { description, confinement } = await describeArm(arm, network, options)
    const proxyPlugin = proxy ? proxies.get(proxy.name)?.plugin ?? null : null
    return {
      arm, dir, network, configs: configPaths(description), described: { description, confinement, cores, proxyPlugin }
    }
  } catch (error) {
    await network.close()
    throw error
  }
}

/**
 * @param {PreparedArm} prepared
 * @returns {Promise<StagedArm>}
 */
async function startArm ({ arm, dir, network, described }) {
  if (!described) return toStagedUrl(arm, dir)
  const { description, ...site } = described
  const running = await startTopology(description, {
    ...site,
    name: arm.name,
    dir,
    network,
    originPlugin: await loadOriginPlugin(arm.topology),
    ...arm.topology.server?.command && toCommandSite(arm, network)
  })
  const isCountedByLoad = running.loadedBy && !running.proxied
  const target = { ...running.target, expectBody: null, ...isCountedByLoad && { tellStatuses: true } }
  return { arm, dir, network, running, target, bytesPerResponse: null }
}

/**
 * Returns what only a command needs to start.
 * @param {Arm} arm
 * @param {Network} network
 */
const toCommandSite = ({ topology, load }, network) => ({
  secrets: secretsOf(load, process.env),
  caches: cacheIsOn(topology),
  // Any response means ready. The gate validates the content.
  answers: async (/** @type {Address} */ listen) => {
    const target = listen.kind === 'unix'
      ? { url: 'http://localhost', socketPath: listen.path }
      : { url: `http://${listen.host}:${listen.port}`, socketPath: null }
    const { answers } = await fetchResponses({ target, load: { path: '/', headers: {} }, network, times: 1 })
    return answers.length > 0
  }
})

/**
 * Opens a network whose served processes are under the limits.
 * @param {Arm} arm
 * @param {ArmOptions} options
 * @returns {Promise<Network>}
 */
async function openArmNetwork ({ name, topology: { lab } }, { dir, lab: isPrivate, address, limit = [] }) {
  const network = await openNetwork({ name, dir, private: isPrivate, sysctl: lab?.sysctl, net: lab?.net, address })
  return { ...network, enterServed: [...limit, ...network.enterServed] }
}

/**
 * @template T
 * @param {PromiseSettledResult<T>[]} results
 * @returns {T[]}
 */
const getValues = results => results.flatMap(result => result.status === 'fulfilled' ? [result.value] : [])

/** @param {PromiseSettledResult<unknown>[]} results */
function throwFirst (results) {
  const failed = results.find(result => result.status === 'rejected')
  if (failed) throw failed.reason
}

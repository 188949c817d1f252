/** Starts all arms of a plan, each in a network of its own, and sends them through the gate, which compares their
 * responses with the expected ones before any load. */
import { join } from 'node:path'
import { describeArm } from './describe-arm.js'
import { findProxies, findRuntimes } from './find-programs.js'
import { fetchResponses } from './gate/gate.js'
import { passGate } from './gate/pass.js'
import { refuseDifferent } from './gate/same-answers.js'
import { configPaths, keepFiles } from './kept-files.js'
import { NO_NETWORK, toStagedUrl } from './url-arm.js'
import { HopbenchError } from '../errors.js'
import { openNetwork } from '../machine/network/lab.js'
import { makeTempDir } from '../machine/files/temp.js'
import { computeAppShare } from '../plan/file-prefixes.js'
import { isCached } from '../plan/predicates.js'
import { getProgramKey, toVersionText } from '../shared/releases.js'
import { secretsOf } from '../shared/secrets.js'
import { getFixturePaths, writeFixtures } from '../topology/fixtures/fixtures.js'
import { loadOriginPlugin } from '../topology/proxy-origin.js'
import { startTopology } from '../topology/start/start.js'

/** @import { Network } from '../machine/types.js' */
/** @import { Address, Arm, GateRefusal } from '../types.js' */
/** @import { ArmOptions, PreparedArm, Stage, StagedArm, StageOptions } from './types.js' */

/**
 * Opens a stage. The arms run until the stage is closed.
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
  // Waits until every start has succeeded or failed before an error is thrown, so that all processes can be ended.
  const preparing = await Promise.allSettled(arms.map((arm, i) =>
    prepareArm(arm, { ...options, root, dir: dirs[i], proxies })))
  const prepared = getValues(preparing)
  // If an arm could not be prepared, starts no processes.
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
    const { passed, refused } = await passGates(started, root, options.contrasts)
    return {
      arms: new Map(passed.map(staged => [staged.arm.name, staged])),
      refused,
      // A twin has the same files as its arm.
      fileDifferences: passed.flatMap(({ arm, files }) => (arm.twinOf === null && files?.differences) || []),
      tools: Object.fromEntries([
        ...[...proxies].map(([key, program]) => [key, toVersionText(program)]),
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
 * @param {StageOptions['contrasts']} contrasts
 * @returns {Promise<{ passed: StagedArm[], refused: Map<string, GateRefusal> }>} passed: in the order of `started`
 * @throws {HopbenchError} answers-differ, gate-refused
 */
async function passGates (started, root, contrasts) {
  const gates = await Promise.allSettled(started.map(async staged => {
    const result = await passGate(staged, root)
    await staged.running.endGateCounting?.()
    return result
  }))
  throwFirst(gates)
  /** @type {StagedArm[]} */
  const passed = []
  /** @type {Map<string, GateRefusal>} */
  const refused = new Map()
  for (const [i, result] of getValues(gates).entries()) {
    const staged = started[i]
    if ('refused' in result) {
      refused.set(staged.arm.name, { code: 'gate-refused', params: { why: result.refused } })
    } else {
      passed.push({ ...staged, ...result.passed, target: { ...staged.target, ...result.passed.target } })
    }
  }
  refuseDifferent(passed, contrasts)
  return { passed, refused }
}

/**
 * Starts one arm without the gate.
 * @param {Arm} arm
 * @param {ArmOptions} options
 * @returns {Promise<{ staged: StagedArm, close: () => Promise<void> }>} close: ends the arm and its network
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
 * Opens the network of an arm and describes its processes. The app of a URL needs neither, because it is already up.
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
    const proxyPlugin = proxy ? proxies.get(getProgramKey(proxy))?.plugin ?? null : null
    return {
      arm, dir, network, configs: configPaths(description), described: { description, confinement, cores, proxyPlugin }
    }
  } catch (error) {
    await network.close()
    throw error
  }
}

/**
 * Starts the processes of a prepared arm and waits until they respond.
 * @param {PreparedArm} prepared
 * @returns {Promise<StagedArm>}
 */
async function startArm ({ arm, dir, network, described }) {
  if (!described) return toStagedUrl(arm, dir)
  const { description, ...startOptions } = described
  const running = await startTopology(description, {
    ...startOptions,
    name: arm.name,
    dir,
    network,
    originPlugin: await loadOriginPlugin(arm.topology),
    ...arm.topology.server?.command && getCommandOptions(arm, network)
  })
  // A command without a proxy has no counters, so its load generator counts requests and error responses.
  const isCountedByLoad = running.setLoadCounter && !running.proxied
  const { files } = arm.topology
  const target = {
    ...running.target,
    expectBody: null,
    ...isCountedByLoad && { countsErrorResponses: true },
    ...files && { filePrefixes: files.map(({ prefix }) => prefix) }
  }
  return { arm, dir, network, running, target, bytesPerResponse: null }
}

/**
 * Returns the start options of a topology whose server is a shell command (--app): secrets, cache, share of requests,
 * readiness probe.
 * @param {Arm} arm
 * @param {Network} network
 */
const getCommandOptions = ({ topology, load }, network) => ({
  secrets: secretsOf(load, process.env),
  caches: isCached(topology),
  share: computeAppShare(topology, load),
  // Any response means ready. The gate validates the content.
  isResponding: async (/** @type {Address} */ listen) => {
    const target = listen.kind === 'unix'
      ? { url: 'http://localhost', socketPath: listen.path }
      : { url: `http://${listen.host}:${listen.port}`, socketPath: null }
    const { answers } = await fetchResponses({ target, load: { path: '/', headers: {} }, network, times: 1 })
    return answers.length > 0
  }
})

/**
 * Opens the network of an arm. Served processes enter it through the argv of `options.limit`, which puts them under
 * limits of CPU time and memory.
 * @param {Arm} arm
 * @param {ArmOptions} options
 * @returns {Promise<Network>}
 */
async function openArmNetwork ({ name, topology: { lab: settings } }, { dir, lab: isPrivate, address, limit = [] }) {
  const { sysctl, net } = settings ?? {}
  const network = await openNetwork({ name, dir, private: isPrivate, sysctl, net, address })
  return { ...network, enterServed: [...limit, ...network.enterServed] }
}

/**
 * Returns the values of the fulfilled promises, in order.
 * @template T
 * @param {PromiseSettledResult<T>[]} results
 * @returns {T[]}
 */
const getValues = results => results.flatMap(result => result.status === 'fulfilled' ? [result.value] : [])

/** Throws the error of the first rejected promise, if there is one. @param {PromiseSettledResult<unknown>[]} results */
function throwFirst (results) {
  const failed = results.find(result => result.status === 'rejected')
  if (failed) throw failed.reason
}

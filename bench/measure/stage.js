/** Starts all arms of a plan, each in a network of its own, and sends them through the gate, which compares their
 * responses with the expected ones before any load. */
import { dirname, join } from 'node:path'
import { findModule, findProxies, findRuntimes } from './find-programs.js'
import { fetchResponses } from './gate/gate.js'
import { passGate } from './gate/pass.js'
import { configPaths, keepFiles } from './kept-files.js'
import { NO_NETWORK, toStagedUrl } from './url-arm.js'
import { HopbenchError } from '../errors.js'
import { now } from '../machine/clocks.js'
import { LOOPBACK, openNetwork } from '../machine/network/lab.js'
import { makeTempDir, memoryDir } from '../machine/files/temp.js'
import { computeAppShare } from '../plan/file-prefixes.js'
import { isCached } from '../plan/predicates.js'
import { getProgramKey, toVersionText } from '../shared/releases.js'
import { findMix } from '../plan/request-mix.js'
import { findBuilt } from './built-folders.js'
import { listPackages } from '../machine/files/app-packages.js'
import { LOOK_HEADERS, findFault } from '../shared/first-response.js'
import { pathWithoutSecrets, secretsOf } from '../shared/secrets.js'
import { getFixturePaths, writeFixtures } from '../topology/fixtures/fixtures.js'
import { loadOriginPlugin } from '../topology/proxy-origin.js'
import { startTopology } from '../topology/start/start.js'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { getTlsSettings } from '../plan/tls.js'
import { isPath } from '../plan/spec.js'
import { countWorkers, isSpread } from '../plan/workers.js'
import { loadPlugin } from '../plan/plugins.js'
import { isWithin } from '../shared/paths.js'
import { findWatcher } from '../topology/app-watch.js'
import { findCertificate } from '../topology/certificates.js'
import { confine } from '../topology/confinement/confinement.js'
import { describe } from '../topology/describe/describe.js'
import { getListenWay } from '../topology/describe/describe-command.js'
import { pm2Folder, serverFile } from '../topology/server-packages.js'

/** @import { Network } from '../machine/types.js' */
/** @import { Address, Arm, Confinement, GateRefusal } from '../types.js' */
/** @import { ArmOptions, PreparedArm, Stage, StageOptions, StagedArm } from './types.js' */

/** Limit of an app's first response. An app that still uses CPU time is requested again (start-command.js). */
const LOOK_SECONDS = 10
/** Differences that an error lists. */
const MAX_LISTED = 10

/**
 * Compares the responses of arms that are compared with each other. Other arms may have another path or another app.
 * @param {StagedArm[]} staged arms that have passed the gate
 * @param {[string, string][]} [contrasts] pairs of names; omitted: each arm with the first one
 * @throws {HopbenchError} answers-differ
 */
export function rejectDifferent (staged, contrasts) {
  const own = new Map(staged.filter(({ answer, answers }) => answer ?? answers).map(arm => [arm.arm.name, arm]))
  const [first, ...others] = own.keys()
  const found = (contrasts ?? others.map(name => [name, first])).flatMap(([name, baseline]) => {
    const [arm, base] = [own.get(name), own.get(baseline)]
    const differences = arm && base ? listDifferences(base, arm) : []
    return differences.map(how => ({ first: baseline, second: name, how, ...arm && base && toPaths(base, arm) }))
  })
  if (found.length === 0) return
  const [{ how, ...pair }, ...more] = found
  const listed = more.slice(0, MAX_LISTED - 1).map(({ first, second, how }) =>
    first === pair.first && second === pair.second ? how : `${first} and ${second} ${how}`)
  const left = more.length - listed.length
  throw new HopbenchError('answers-differ', {
    ...pair, how: [how, ...listed, ...left > 0 ? [`${left} further differences`] : []].join('; ')
  })
}

/**
 * Returns the paths of two arms if these differ.
 * @param {StagedArm} first
 * @param {StagedArm} second
 * @returns {{ paths?: [string, string] }}
 */
function toPaths ({ arm: first }, { arm: second }) {
  const paths = /** @type {[string, string]} */ ([first, second].map(({ load }) => pathWithoutSecrets(load.path)))
  return paths[0] === paths[1] ? {} : { paths }
}

/**
 * @param {StagedArm} first
 * @param {StagedArm} second
 * @returns {string[]}
 */
function listDifferences (first, second) {
  const comparesBodies = !first.arm.load.compare
  if (first.answers && second.answers) return listDifferentRequests(first.answers, second.answers, comparesBodies)
  const how = first.answer && second.answer ? compareAnswers(first.answer, second.answer, comparesBodies) : null
  return how === null ? [] : [how]
}

/**
 * Lists the requests to which two arms respond differently. Compares decoded bodies, because one app may compress, and
 * lengths only if --compare names them.
 * @param {NonNullable<StagedArm['answers']>} first
 * @param {NonNullable<StagedArm['answers']>} second
 * @param {boolean} comparesBodies
 * @returns {string[]}
 */
const listDifferentRequests = (first, second, comparesBodies) => [...first].flatMap(([request, expected]) => {
  const other = second.get(request)
  if (!other) return []
  const [one, two] = [expected, other].map(({ status, sha256, bytes, exactBytes }) =>
    ({ status, sha256, bytes: exactBytes ? bytes : null }))
  const how = compareAnswers(one, two, comparesBodies)
  return how === null ? [] : [`at ${pathWithoutSecrets(request)}, ${how}`]
})

/**
 * @param {NonNullable<StagedArm['answer']>} first
 * @param {NonNullable<StagedArm['answer']>} second
 * @param {boolean} comparesBodies false: --compare excludes them
 * @returns {string | null}
 */
function compareAnswers (first, second, comparesBodies) {
  if (first.status !== second.status) return `with status ${first.status} and ${second.status}`
  if (first.bytes !== null && second.bytes !== null && first.bytes !== second.bytes) {
    return `with ${first.bytes} and ${second.bytes} bytes`
  }
  if (comparesBodies && (first.sha256 === null) !== (second.sha256 === null)) {
    return 'with a body that varies from response to response in only one of them'
  }
  return first.sha256 !== null && second.sha256 !== null && first.sha256 !== second.sha256
    ? `with ${first.bytes === null ? 'bodies' : `${first.bytes} bytes each`} that are not the same`
    : null
}

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
  const params = refused.get(name)?.params ?? { why: 'it is not part of the plan' }
  if (!staged) throw new HopbenchError('gate-refused', { name, ...params })
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
      refused.set(staged.arm.name, { code: 'gate-refused', params: result.refused })
    } else {
      passed.push({ ...staged, ...result.passed, target: { ...staged.target, ...result.passed.target } })
    }
  }
  rejectDifferent(passed, contrasts)
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
  if (url !== undefined) {
    return { arm, dir, network: NO_NETWORK, configs: [], described: null, address: options.urlAddresses?.[url] }
  }
  const network = await openArmNetwork(arm, options)
  try {
    const { description, confinement } = await describeArm(arm, network, options)
    const proxyPlugin = proxy ? proxies.get(getProgramKey(proxy))?.plugin ?? null : null
    const described = { description, confinement, cores, proxyPlugin }
    return { arm, dir, network, keepIn: options.keepIn, configs: configPaths(description), described }
  } catch (error) {
    await network.close()
    throw error
  }
}

/**
 * Starts the processes of a prepared arm and waits until they respond.
 * @param {PreparedArm} prepared
 * @returns {Promise<StagedArm>}
 * @throws {HopbenchError} app-watched, and errors of starting a program
 */
async function startArm ({ arm, dir, network, described, address, keepIn }) {
  if (!described) return toStagedUrl(arm, dir, address)
  const { description, ...startOptions } = described
  const startedAt = now()
  const running = await startTopology(description, {
    ...startOptions,
    name: arm.name,
    dir,
    network,
    originPlugin: await loadOriginPlugin(arm.topology),
    ...arm.topology.server?.command && getCommandOptions(arm, network)
  })
  const startSeconds = now() - startedAt
  const { command } = arm.topology.server ?? {}
  const watcher = command && keepIn && isWithin(command.cwd, keepIn) ? findWatcher(running.pids().server) : null
  if (command && watcher) {
    await running.stop()
    const add = ['--results', '../hopbench-results']
    throw new HopbenchError('app-watched', { name: arm.name, watcher, folder: command.cwd, add })
  }
  // A command without a proxy has no counters, so its load generator counts requests and error responses.
  const isCountedByLoad = running.setLoadCounter && !running.proxied
  const { files } = arm.topology
  const target = {
    ...running.target,
    expectBody: null,
    ...isCountedByLoad && { countsErrorResponses: true },
    ...files && { filePrefixes: files }
  }
  return { arm, dir, network, running, target, bytesPerResponse: null, startSeconds }
}

/**
 * Returns the start options of a topology whose server is a shell command (--app): secrets, cache, share of requests,
 * inspection of the first response.
 * @param {Arm} arm
 * @param {Network} network
 */
const getCommandOptions = ({ topology, load }, network) => ({
  secrets: secretsOf(load, process.env),
  caches: isCached(topology),
  share: computeAppShare(topology, load),
  findFault: (/** @type {Address} */ listen, /** @type {string} */ output) => {
    const target = listen.kind === 'unix'
      ? { url: 'http://localhost', socketPath: listen.path }
      : { url: `http://${listen.host}:${listen.port}`, socketPath: null }
    const seconds = Math.min(LOOK_SECONDS, (topology.server?.command?.readySeconds ?? Infinity) / 2)
    return findFirstFault(target, { load, network, output, seconds })
  }
})

/**
 * Requests an app for the first time: by GET, because other requests may change data.
 * @param {{ url: string, socketPath: string | null }} target
 * @param {{ load: Arm['load'], network: Network, output: string, seconds: number }} app output: its text so far;
 * seconds: limit of the response
 */
async function findFirstFault (target, { load, network, output, seconds }) {
  const mix = findMix(load)
  const { method = 'GET', body, ...first } = mix ? mix.requests[0] : load
  const isGet = method === 'GET' && !body
  const path = isGet ? first.path : '/'
  const headers = isGet ? { ...first.headers, ...load.headers } : {}
  const { answers, failures, isTls } = await fetchResponses({
    target, load: { path, headers }, network, times: 1, headerNames: LOOK_HEADERS, firstSeconds: seconds
  })
  return findFault({
    request: `GET ${pathWithoutSecrets(path)}`,
    answer: answers[0]?.answer,
    failure: failures[0],
    isTls,
    output,
    isPrivate: network.enter.length > 0,
    isMix: mix !== null,
    packages: listPackages()
  })
}

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

const LAUNCHER = fileURLToPath(new URL('../topology/launch.js', import.meta.url))
/** Wanted ports. In a network of its own every topology has the same ones. */
const PORTS = { front: 8080, origin: 3000 }

/**
 * @param {Arm} arm
 * @param {Network} network
 * @param {ArmOptions} options
 */
async function describeArm (arm, network, options) {
  const { root, dir, proxies, cores } = options
  const { topology } = arm
  const { proxy, server } = topology
  const proxyProgram = proxy ? proxies.get(getProgramKey(proxy)) ?? null : null
  const origin = server && await loadOriginPlugin(topology) ? proxies.get(getProgramKey(server)) ?? null : null
  const module = server && !origin && !server.command ? await findLaunchedModule(server.name, options.cwd) : null
  const about = module && server && !isPath(server.name) ? (await loadPlugin('server', server.name)).about : null
  const pm2 = server?.manager === 'pm2' ? await pm2Folder() : null
  const servedCores = cores?.length ?? availableParallelism()
  const originCount = server && isSpread(topology) ? countWorkers(topology, servedCores) : 1
  const ports = proxy?.config
    ? { front: proxy.config.port, origin: proxy.config.apps[0], origins: proxy.config.apps }
    : {
        front: options.frontPort ?? await network.port(getFrontPort(topology)),
        ...await findOriginPorts(network, originCount)
      }
  const { address } = network
  const tls = getTlsSettings(topology)
  const certificate = tls && await findCertificate(tls.kind, options.certificates ?? join(options.temp, 'tls'), address)
  const [runtime] = (await findRuntimes([arm])).values()
  const node = runtime?.program ?? process.execPath
  const code = [...module ? findCode(module, pm2) : [], ...certificate && !proxy ? Object.values(certificate) : []]
  const enterBeside = [...options.limit ?? [], ...network.enterBeside]
  const confinement = about?.vulnerable !== undefined
    ? await confineVulnerable(arm.name, address, { dir, root, reach: options.reach, code, enterBeside, node })
    : null
  const description = describe(topology, {
    dir,
    memory: (proxyProgram?.plugin.folders && memoryDir(dir)) ?? undefined,
    root,
    built: findBuilt(topology, root),
    address,
    ports,
    cores: servedCores,
    clients: arm.load.connections,
    launcher: LAUNCHER,
    node,
    nodeVersion: runtime?.runtime.kind === 'node' ? runtime.runtime.version : process.versions.node,
    module,
    about,
    pm2,
    confinement,
    proxy: proxyProgram,
    origin,
    pinned: cores,
    certificate
  })
  return { description, confinement }
}

/**
 * Returns the preferred port of clients, which differs from a fixed port of the app.
 * @param {Arm['topology']} topology
 */
const getFrontPort = topology => getListenWay(topology) === PORTS.front ? PORTS.front + 1 : PORTS.front

/**
 * Confines a plug-in's server that is marked as vulnerable. You judge your own modules yourself.
 * @param {string} name of the arm
 * @param {string} address
 * @param {Parameters<typeof confine>[0]} order
 * @returns {Promise<Confinement>}
 * @throws {HopbenchError} host-unfit
 */
async function confineVulnerable (name, address, order) {
  const confinement = await confine(order)
  if (confinement.by === 'nothing' && address !== LOOPBACK) {
    throw new HopbenchError('host-unfit', {
      host: address,
      why:
        `${name} has known vulnerabilities, other machines can reach it there, and nothing can confine it ` +
        `(${confinement.why})`,
      remedy: 'Leave it out, or measure it on one machine.'
    })
  }
  return confinement
}

/**
 * Returns the files of a server and its packages, and of PM2 with its own. Both may be in the cache.
 * @param {string} module
 * @param {string | null} pm2
 */
const findCode = (module, pm2) => [module, join(dirname(module), '../node_modules'), ...pm2 ? [dirname(pm2)] : []]

/**
 * @param {Network} network
 * @param {number} count of processes, with a port each
 */
async function findOriginPorts (network, count) {
  const origins = []
  for (let i = 0; i < count; i++) origins.push(await network.port(PORTS.origin + i))
  return { origin: origins[0], origins }
}

/**
 * Returns the file of a server, where its packages are installed.
 * @param {string} name
 * @param {string} cwd
 */
const findLaunchedModule = async (name, cwd) => isPath(name) ? findModule(name, cwd) : serverFile(name)

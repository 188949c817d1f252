/** All topologies of a plan: started, each in a network of its own, asked for the right bytes, and held until the run
 * is over. */
import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { certificateOf } from '../topology/certificates.js'
import { confine } from '../topology/confinement/confinement.js'
import { HopbenchError } from '../errors.js'
import { pathsOf, writeFixtures } from '../topology/fixtures/fixtures.js'
import { ask } from './gate/gate.js'
import { passGate } from './gate/pass.js'
import { refuseDifferent } from './gate/same-answers.js'
import { configsOf, keepFiles } from './kept-files.js'
import { holdUrl } from './url-arm.js'
import { LOOPBACK, openNetwork } from '../machine/lab.js'
import { findModules } from '../machine/setup/modules.js'
import { modulesOfVariant, specOf, variantFor } from '../topology/variants.js'
import { findRuntime } from '../machine/setup/runtime.js'
import { hasProxyOrigin, originPluginOf } from '../topology/proxy-origin.js'
import { loadPlugin, pluginFile } from '../plugins.js'
import { makeTempDir, memoryDir } from '../machine/temp.js'
import { findTool, toolVersion } from '../machine/tools.js'
import { describe } from '../topology/describe.js'
import { pm2Folder, serverFile } from '../topology/server-packages.js'
import { startTopology } from '../topology/start.js'
import { tlsOf } from '../plan/tls.js'
import { cacheIsOn } from '../plan/topology-options.js'
import { secretsOf } from '../shared/secrets.js'
import { isOwn, isPath } from '../plan/word.js'
import { runtimeOf } from '../plan/runtimes.js'
import { isSpread, workersOf } from '../plan/workers.js'

/** @import { Network } from '../machine/shapes.js'
 * @import { Address, Arm, CertificateFiles, Confinement, DescribeContext as Context } from '../types.js'
 * @import { FoundRuntime } from '../types.js'
 * @import { ServerAbout, Topology } from '../types.js'
 * @import * as Shapes from './shapes.js' */

const launcher = fileURLToPath(new URL('../topology/launch.js', import.meta.url))
/** In a network of its own every topology has the same addresses. */
const PORTS = { front: 8080, origin: 3000 }

/** @typedef {Shapes.StagedArm} StagedArm */
/** @typedef {Shapes.Stage} Stage */
/** @typedef {Shapes.StageOptions} StageOptions */

/** Starts all arms and asks each for its bytes. @param {Arm[]} arms @param {StageOptions} options
 * @returns {Promise<Stage>} @throws {HopbenchError} whatever kept a program from starting */
export async function openStage (arms, options) {
  const root = options.root ?? writeFixtures(join(options.temp, 'files'), pathsOf(arms))
  /** @type {(() => Promise<void>)[]} */
  const closers = []
  const proxies = await findProxies(arms)
  const runtimes = await findRuntimes(arms)
  const dirs = arms.map((_, i) => makeTempDir(options.temp, String(i)))
  /** @type {Map<string, string[]>} */
  const configs = new Map()
  const close = async () => {
    await Promise.all(closers.map(close => close()))
    if (options.keepIn) keepFiles(arms, dirs, { into: options.keepIn, configs })
  }
  try {
    const started = await allOrError(
      arms.map((arm, i) => startArm(arm, { ...options, root, dir: dirs[i], proxies, closers, configs }))
    )
    /** @type {Stage} */
    const stage = {
      arms: new Map(),
      refused: new Map(),
      tools: Object.fromEntries([
        ...[...proxies].map(([name, { version }]) => [name, version]),
        ...[...runtimes].map(([name, { runtime }]) => [name, runtime.version])
      ]),
      configs: dir => (configs.get(dir) ?? []).map(file => join(dir, file)),
      close
    }
    await allOrError(started.map(async staged => {
      const why = await passGate(staged, root)
      await staged.running.gatePassed?.()
      if (why) stage.refused.set(staged.arm.name, { code: 'gate-refused', text: why })
    }))
    refuseDifferent(started.filter(({ arm }) => !stage.refused.has(arm.name)))
    // In the plan's order, whatever the order in which the gate was passed.
    for (const staged of started) if (!stage.refused.has(staged.arm.name)) stage.arms.set(staged.arm.name, staged)
    return stage
  } catch (error) {
    await close()
    throw error
  }
}

/** Finds the programs of all proxies in use. @param {Arm[]} arms */
export async function findProxies (arms) {
  /** @type {Map<string, NonNullable<Context['proxy']>>} */
  const proxies = new Map()
  for (const name of new Set(arms.flatMap(({ topology }) => proxyNames(topology)))) {
    const { default: plugin } = await loadPlugin('proxy', name)
    const variant = variantFor(name, plugin, arms)
    const tool = await findTool(specOf(plugin, variant))
    const version = await toolVersion(tool.path, plugin.version, tool.env)
    const modules = variant ? modulesOfVariant(variant, tool) : await findModules(plugin, tool)
    proxies.set(name, { plugin, program: tool.path, env: tool.env, version, modules })
  }
  return proxies
}

/** Finds the runtimes that servers name, and fetches those that are missing. @param {Pick<Arm, 'topology'>[]} arms
 * @returns {Promise<Map<string, FoundRuntime>>} @throws {HopbenchError} runtime-no-build, runtime-not-fetched,
 * runtime-checksum, tool-broken, cache-nearly-full */
export async function findRuntimes (arms) {
  /** @type {Map<string, FoundRuntime>} */
  const found = new Map()
  for (const { topology: { server } } of arms) {
    const runtime = server && runtimeOf(server)
    const name = String(server?.options.runtime)
    if (runtime && !found.has(name)) found.set(name, await findRuntime(name, runtime))
  }
  return found
}

/** The proxy programs of a topology: the one in front, and the one that stands in the server's place.
 * @param {Topology} topology */
export const proxyNames = topology => [
  ...topology.proxy ? [topology.proxy.name] : [],
  ...topology.server && hasProxyOrigin(topology) ? [topology.server.name] : []
]

/** @param {Arm} arm
 * @param {StageOptions & { root: string, dir: string, closers: (() => Promise<void>)[], proxies:
 * Awaited<ReturnType<typeof findProxies>>, configs?: Map<string, string[]> }} options configs: takes the names of what
 * is rendered into `dir` @returns {Promise<StagedArm>} */
export async function startArm (arm, options) {
  const { dir, cores, closers } = options
  if (arm.topology.url !== undefined) return holdUrl(arm, dir)
  const network = await networkOf(arm, options)
  closers.push(() => network.close())
  const { description, confinement } = await describeArm(arm, network, options)
  options.configs?.set(dir, configsOf(description))
  const running = await startTopology(description, {
    name: arm.name,
    dir,
    network,
    cores,
    proxyPlugin: proxyOf(arm, options)?.plugin ?? null,
    originPlugin: await originPluginOf(arm.topology),
    confinement,
    ...arm.topology.server?.command && commandSite(arm, network)
  })
  closers.push(() => running.stop())
  const uncounted = running.loadedBy && !running.proxied
  const target = { ...running.target, expectBody: null, ...uncounted && { tellStatuses: true } }
  return { arm, dir, network, running, target, bytesPerResponse: null }
}

/** What starting a command takes beside what all servers do. @param {Arm} arm @param {Network} network */
const commandSite = ({ topology, load }, network) => ({
  secrets: secretsOf(load, process.env),
  caches: cacheIsOn(topology),
  // Whatever it answers: what is right is the gate's to say.
  answers: async (/** @type {Address} */ listen) => {
    const target = listen.kind === 'unix'
      ? { url: 'http://localhost', socketPath: listen.path }
      : { url: `http://${listen.host}:${listen.port}`, socketPath: null }
    const { answers } = await ask({ target, load: { path: '/', headers: {} }, network, times: 1 })
    return answers.length > 0
  }
})

/** @typedef {Parameters<typeof startArm>[1]} ArmOptions */

/** @param {Arm} arm @param {Pick<ArmOptions, 'proxies'>} options */
const proxyOf = ({ topology: { proxy } }, { proxies }) => proxy ? proxies.get(proxy.name) ?? null : null

/** Who is served in it is under the limits. @param {Arm} arm @param {ArmOptions} options @returns {Promise<Network>} */
async function networkOf ({ name, topology: { lab } }, { dir, lab: isPrivate, address, limit = [] }) {
  const open = await openNetwork({ name, dir, private: isPrivate, sysctl: lab?.sysctl, net: lab?.net, address })
  return { ...open, enterServed: [...limit, ...open.enterServed] }
}

/** @param {Arm} arm @param {Network} network @param {ArmOptions} options */
async function describeArm (arm, network, options) {
  const { root, dir, proxies, cores } = options
  const { topology } = arm
  const origin = await originPluginOf(topology) && topology.server ? proxies.get(topology.server.name) ?? null : null
  const isModule = topology.server && !origin && !topology.server.command
  const module = isModule && topology.server ? await launchedModule(topology.server.name, options.cwd) : null
  const about = module && topology.server && !isPath(topology.server.name)
    ? (await loadPlugin('server', topology.server.name)).about
    : null
  const pm2 = topology.server?.manager === 'pm2' ? await pm2Folder() : null
  const served = cores?.length ?? availableParallelism()
  const origins = isSpread(topology) && topology.server ? workersOf(topology, served) : 1
  const ports = { front: options.frontPort ?? await network.port(PORTS.front), ...await originPorts(network, origins) }
  const { address } = network
  const folder = options.certificates ?? join(options.temp, 'tls')
  const enterBeside = [...options.limit ?? [], ...network.enterBeside]
  const certificate = await certificateFor(topology, { folder, address })
  const files = certificate && !topology.proxy ? Object.values(certificate) : []
  const [runtime] = (await findRuntimes([arm])).values()
  const node = runtime?.program ?? process.execPath
  const confinement = module && topology.server
    ? await confinementOf(arm,
      { dir, root, reach: options.reach, code: [...codeOf(module, pm2), ...files], enterBeside, address, node })
    : null
  const description = describe(topology, {
    dir,
    memory: (proxyOf(arm, options)?.plugin.folders && memoryDir(dir)) ?? undefined,
    root,
    address,
    ports,
    cores: served,
    clients: arm.load.connections,
    launcher,
    node,
    nodeVersion: process.versions.node,
    module,
    about,
    pm2,
    confinement,
    proxy: proxyOf(arm, options),
    origin,
    pinned: cores,
    certificate
  })
  return { description, confinement }
}

/** Of a plug-in that says that it is vulnerable. A person's own module is theirs to judge. @param {Arm} arm
 * @param {Parameters<typeof confine>[0] & { address: string }} where
 * @returns {Promise<Confinement | null>} null: it needs none @throws {HopbenchError} host-unfit */
async function confinementOf ({ name, topology: { server } }, { address, ...where }) {
  if (!server || isOwn(server)) return null
  /** @type {{ about: ServerAbout }} */
  const { about } = await loadPlugin('server', server.name)
  if (about.vulnerable === undefined) return null
  const confinement = await confine(where)
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

/** A server and its packages, and PM2 with its own: either may lie in the cache. @param {string} module
 * @param {string | null} pm2 */
const codeOf = (module, pm2) => [module, join(dirname(module), '../node_modules'), ...pm2 ? [dirname(pm2)] : []]

/** @param {Topology} topology @param {{ folder: string, address: string }} where
 * @returns {Promise<CertificateFiles | null>} null: it answers in plain HTTP */
async function certificateFor (topology, { folder, address }) {
  const tls = tlsOf(topology)
  return tls && certificateOf(tls.kind, folder, address)
}

/** @param {Network} network @param {number} count of processes with a port each */
async function originPorts (network, count) {
  const origins = []
  for (let i = 0; i < count; i++) origins.push(await network.port(PORTS.origin + i))
  return { origin: origins[0], origins }
}

/** The file of a server: a plug-in's, or a person's own. @param {string} name @param {string} cwd */
export async function moduleOf (name, cwd) {
  if (!isPath(name)) {
    await loadPlugin('server', name)
    return pluginFile('server', name)
  }
  const file = resolve(cwd, name)
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new HopbenchError('no-module', { name, file })
  return file
}

/** The same, where its packages are. @param {string} name @param {string} cwd */
const launchedModule = async (name, cwd) => isPath(name) ? moduleOf(name, cwd) : serverFile(name)

/** Like Promise.all, but waits for all before it throws the first error: what was started while another failed must be
 * known, to be ended. @template T @param {Promise<T>[]} promises @returns {Promise<T[]>} */
async function allOrError (promises) {
  const results = await Promise.allSettled(promises)
  const failed = results.find(result => result.status === 'rejected')
  if (failed) throw failed.reason
  return results.map(result => /** @type {PromiseFulfilledResult<T>} */ (result).value)
}

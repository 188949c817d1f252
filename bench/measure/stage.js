/**
 * All topologies of a plan: started, each in a network of its own, asked for the right bytes, and
 * held until the run is over.
 */
import { cpSync, readdirSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { certificateOf } from '../certificates.js'
import { confine } from '../confinement.js'
import { HopbenchError } from '../errors.js'
import { pathsOf, writeFixtures } from '../fixtures.js'
import { passGate } from '../gate/pass.js'
import { LOOPBACK, openNetwork } from '../lab.js'
import { findModules } from '../setup/modules.js'
import { hasProxyOrigin, originPluginOf } from '../origin.js'
import { loadPlugin, pluginFile } from '../plugins.js'
import { makeTempDir, memoryDir } from '../temp.js'
import { findTool, toolVersion } from '../tools.js'
import { describe } from '../topology/describe.js'
import { startTopology } from '../topology/start.js'
import { isPath } from '../topology/word.js'
import { isSpread, workersOf } from '../topology/workers.js'

/** @typedef {import('../types.d.ts').Arm} Arm */
/** @typedef {import('../types.d.ts').Reason} Reason */

const launcher = fileURLToPath(new URL('../launch.js', import.meta.url))
/** In a network of its own every topology has the same addresses. */
const PORTS = { front: 8080, origin: 3000 }

/**
 * @typedef {object} StagedArm
 * @property {Arm} arm
 * @property {string} dir
 * @property {import('../lab.js').Network} network
 * @property {import('../topology/start.js').Running} running
 * @property {import('../types.d.ts').Target} target
 * @property {number | null} bytesPerResponse of one answer on the wire, headers counted; null: not known yet
 */

/**
 * @typedef {object} Stage
 * @property {Map<string, StagedArm>} arms those that may be measured
 * @property {Map<string, Reason>} refused by the gate
 * @property {Record<string, string>} tools version by program
 * @property {(dir: string) => string[]} configs paths of the configurations in an arm's folder
 * @property {() => Promise<void>} close
 */

/**
 * @typedef {object} StageOptions
 * @property {string} temp short absolute folder
 * @property {string} [certificates] folder of the run's certificates; left out: one in `temp`
 * @property {string} [keepIn] folder that takes the configurations and logs when the stage closes
 * @property {boolean} lab private networks
 * @property {string} [address] where there are none: of this host, that clients on other machines ask; left out: its loopback
 * @property {number[] | null} cores of the served side
 * @property {string} [root] a person's own folder in place of the fixtures
 * @property {number} [frontPort] this port and no other
 * @property {string[]} [limit] argv that puts what is served under limits; left out: there are none
 * @property {string} [reach] a folder around `root` that a confined server may read and write too; left out: none
 * @property {string} cwd what a path to a person's own module is relative to
 */

/**
 * Starts all arms and asks each for its bytes.
 * @param {Arm[]} arms
 * @param {StageOptions} options
 * @returns {Promise<Stage>}
 * @throws {HopbenchError} whatever kept a program from starting
 */
export async function openStage (arms, options) {
  const root = options.root ?? writeFixtures(join(options.temp, 'files'), pathsOf(arms))
  /** @type {(() => Promise<void>)[]} */
  const closers = []
  const proxies = await findProxies(arms)
  const dirs = arms.map((_, i) => makeTempDir(options.temp, String(i)))
  const close = async () => {
    await Promise.all(closers.map(close => close()))
    if (options.keepIn) keepFiles(arms, dirs, options.keepIn)
  }
  try {
    const started = await allOrError(arms.map((arm, i) => startArm(arm, { ...options, root, dir: dirs[i], proxies, closers })))
    /** @type {Stage} */
    const stage = {
      arms: new Map(),
      refused: new Map(),
      tools: Object.fromEntries([...proxies].map(([name, { version }]) => [name, version])),
      configs: dir => readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.conf')).sort().map(file => join(dir, file)),
      close
    }
    await allOrError(started.map(async staged => {
      const why = await passGate(staged, root)
      if (why) stage.refused.set(staged.arm.name, { code: 'gate-refused', text: why })
    }))
    // In the plan's order, whatever the order in which the gate was passed.
    for (const staged of started) if (!stage.refused.has(staged.arm.name)) stage.arms.set(staged.arm.name, staged)
    return stage
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Finds the programs of all proxies in use.
 * @param {Arm[]} arms
 */
export async function findProxies (arms) {
  /** @type {Map<string, NonNullable<import('../topology/describe.js').Context['proxy']>>} */
  const proxies = new Map()
  for (const name of new Set(arms.flatMap(({ topology }) => proxyNames(topology)))) {
    const { default: plugin } = await loadPlugin('proxy', name)
    const tool = await findTool({ program: plugin.about.program, packages: plugin.about.packages })
    const version = await toolVersion(tool.path, plugin.version, tool.env)
    proxies.set(name, { plugin, program: tool.path, env: tool.env, version, modules: await findModules(plugin, tool) })
  }
  return proxies
}

/**
 * The proxy programs of a topology: the one in front, and the one that stands in the server's place.
 * @param {import('../types.d.ts').Topology} topology
 */
export const proxyNames = topology => [
  ...topology.proxy ? [topology.proxy.name] : [],
  ...topology.server && hasProxyOrigin(topology) ? [topology.server.name] : []
]

/**
 * @param {Arm} arm
 * @param {StageOptions & { root: string, dir: string, closers: (() => Promise<void>)[],
 *   proxies: Awaited<ReturnType<typeof findProxies>> }} options
 * @returns {Promise<StagedArm>}
 */
export async function startArm (arm, { root, dir, proxies, closers, lab, address, cores, cwd, frontPort, temp, limit = [], reach, certificates = join(temp, 'tls') }) {
  const proxy = arm.topology.proxy ? proxies.get(arm.topology.proxy.name) ?? null : null
  const originPlugin = await originPluginOf(arm.topology)
  const origin = originPlugin && arm.topology.server ? proxies.get(arm.topology.server.name) ?? null : null
  const module = arm.topology.server && !origin ? await moduleOf(arm.topology.server.name, cwd) : null
  const open = await openNetwork({ name: arm.name, dir, private: lab, sysctl: arm.topology.lab?.sysctl, net: arm.topology.lab?.net, address })
  closers.push(() => open.close())
  const network = { ...open, enterServed: [...limit, ...open.enterServed] }
  const served = cores?.length ?? availableParallelism()
  const origins = isSpread(arm.topology) && arm.topology.server ? workersOf(arm.topology, served) : 1
  const ports = {
    front: frontPort ?? await network.port(PORTS.front),
    ...await originPorts(network, origins)
  }
  const confinement = module && arm.topology.server ? await confinementOf(arm, { dir, root, reach, module, enterBeside: [...limit, ...open.enterBeside], address: network.address }) : null
  const description = describe(arm.topology, {
    dir,
    memory: (proxy?.plugin.folders && memoryDir(dir)) ?? undefined,
    root,
    address: network.address,
    ports,
    cores: served,
    clients: arm.load.connections,
    launcher,
    node: process.execPath,
    module,
    confinement,
    proxy,
    origin,
    pinned: cores,
    certificate: await certificateFor(arm.topology, { folder: certificates, address: network.address })
  })
  const running = await startTopology(description, { name: arm.name, dir, network, cores, proxyPlugin: proxy?.plugin ?? null, originPlugin, confinement })
  closers.push(() => running.stop())
  return { arm, dir, network, running, target: { ...running.target, expectBody: null }, bytesPerResponse: null }
}

/**
 * Of a plug-in that says that it is vulnerable. A person's own module is theirs to judge.
 * @param {Arm} arm
 * @param {Parameters<typeof confine>[0] & { address: string }} where
 * @returns {Promise<import('../types.d.ts').Confinement | null>} null: it needs none
 * @throws {HopbenchError} host-unfit
 */
async function confinementOf ({ name, topology: { server } }, { address, ...where }) {
  if (!server || isPath(server.name)) return null
  /** @type {{ about: import('../types.d.ts').ServerAbout }} */
  const { about } = await loadPlugin('server', server.name)
  if (about.vulnerable === undefined) return null
  const confinement = await confine(where)
  if (confinement.by === 'nothing' && address !== LOOPBACK) {
    throw new HopbenchError('host-unfit', {
      host: address, why: `${name} has known vulnerabilities, other machines can reach it there, and nothing can confine it (${confinement.why})`, remedy: 'Leave it out, or measure it on one machine.'
    })
  }
  return confinement
}

/**
 * @param {import('../types.d.ts').Topology} topology
 * @param {{ folder: string, address: string }} where
 * @returns {Promise<import('../certificates.js').CertificateFiles | null>} null: it answers in plain HTTP
 */
async function certificateFor ({ proxy }, { folder, address }) {
  const { tls = 'off' } = proxy?.options ?? {}
  return tls === 'off' || tls === false ? null : certificateOf(String(tls), folder, address)
}

/**
 * @param {import('../lab.js').Network} network
 * @param {number} count of processes with a port each
 */
async function originPorts (network, count) {
  const origins = []
  for (let i = 0; i < count; i++) origins.push(await network.port(PORTS.origin + i))
  return { origin: origins[0], origins }
}

/**
 * The file of a server: a plug-in's, or a person's own.
 * @param {string} name
 * @param {string} cwd
 */
export async function moduleOf (name, cwd) {
  if (!isPath(name)) {
    await loadPlugin('server', name)
    return pluginFile('server', name)
  }
  const file = resolve(cwd, name)
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new HopbenchError('no-module', { name, file })
  return file
}

/**
 * Like Promise.all, but waits for all before it throws the first error: what was started while
 * another failed must be known, to be ended.
 * @template T
 * @param {Promise<T>[]} promises
 * @returns {Promise<T[]>}
 */
async function allOrError (promises) {
  const results = await Promise.allSettled(promises)
  const failed = results.find(result => result.status === 'rejected')
  if (failed) throw failed.reason
  return results.map(result => /** @type {PromiseFulfilledResult<T>} */ (result).value)
}

/**
 * Copies configurations and logs, those of the load generators too. Whatever they would have told,
 * that they cannot be copied (a full disk) is not what failed.
 * @param {Arm[]} arms
 * @param {string[]} dirs
 * @param {string} into
 */
function keepFiles (arms, dirs, into) {
  try {
    arms.forEach((arm, i) => {
      const kept = readdirSync(dirs[i], { recursive: true, encoding: 'utf8' }).filter(file => /\.(conf|log|err)$/.test(file))
      for (const file of kept) cpSync(join(dirs[i], file), join(into, fileName(arm.name), file))
    })
  } catch {}
}

/** @param {string} armName */
export const fileName = armName => armName.replace(/[^\w.@+=-]+/g, '_')

/** Finds the programs and files that arms run: proxies, runtimes and modules of servers. */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { HopbenchError, isHopbenchError } from '../errors.js'
import { writeLine } from '../machine/guard-output.js'
import { findModules } from '../machine/setup/modules.js'
import { findRuntime, locateRuntime } from '../machine/setup/runtime.js'
import { findTools, toolVersion } from '../machine/tools.js'
import { getServerRuntime } from '../plan/runtimes.js'
import { isPath } from '../plan/spec.js'
import { loadPlugin, pluginFile } from '../plan/plugins.js'
import { getProgramKey, getRelease } from '../shared/releases.js'
import { hasProxyOrigin } from '../topology/proxy-origin.js'
import { getServerRuntimeHere, hasDefaultRuntime } from '../topology/server-node.js'
import { modulesOfVariant, getOptionSpec, variantFor } from '../topology/variants.js'

/** @import { SetupOptions, ToolSpec } from '../machine/types.js' */
/** @import { Arm, FoundRuntime, ProxyPlugin, ProxyProgram, ProxyVariant, Topology } from '../types.js' */

/** Finds the programs of all proxies of these arms. @param {Pick<Arm, 'topology'>[]} arms */
export async function findProxies (arms) {
  /** @type {Map<string, ProxyProgram>} */
  const proxies = new Map()
  const specs = await proxySpecs(arms)
  const tools = await findTools(specs.map(({ spec }) => spec))
  for (const [i, { key, plugin, variant }] of specs.entries()) {
    const tool = tools[i]
    const version = await toolVersion(tool.path, plugin.version, tool.env)
    const modules = variant ? modulesOfVariant(variant, tool) : await findModules(plugin, tool)
    proxies.set(key, { plugin, program: tool.path, env: tool.env, version, modules, release: tool.release ?? null })
  }
  return proxies
}

/**
 * Returns the programs of all proxies of these arms, each once.
 * @param {Pick<Arm, 'topology'>[]} arms
 * @returns {Promise<{ key: string, plugin: ProxyPlugin, variant: ProxyVariant | null, spec: ToolSpec }[]>} key: as
 * getProgramKey returns it
 */
export async function proxySpecs (arms) {
  const hops = new Map(arms.flatMap(({ topology }) => proxyHops(topology)).map(hop => [getProgramKey(hop), hop]))
  return Promise.all([...hops].map(async ([key, { name, options }]) => {
    const { default: plugin } = await loadPlugin('proxy', name)
    const variant = variantFor(key, plugin, arms)
    return { key, plugin, variant, spec: getOptionSpec(plugin, variant, getRelease({ options })) }
  }))
}

/**
 * Finds the runtimes that servers name, and fetches missing ones. Finds the Node of the other built-in servers without
 * fetching it.
 * @param {Pick<Arm, 'topology'>[]} arms
 * @returns {Promise<Map<string, FoundRuntime>>} by the value of `+runtime=`; "node": of built-in servers without one,
 *   left out if they run under the Node that runs hopbench
 * @throws {HopbenchError} runtime-no-build, runtime-not-fetched, runtime-checksum, tool-broken, cache-nearly-full
 */
export async function findRuntimes (arms) {
  /** @type {Map<string, FoundRuntime>} */
  const found = new Map()
  for (const { topology: { server } } of arms) {
    const runtime = server && getServerRuntime(server)
    const name = String(server?.options.runtime)
    if (runtime && !found.has(name)) found.set(name, await findRuntime(name, runtime))
  }
  const serverNode = arms.some(({ topology }) => hasDefaultRuntime(topology)) ? locateServerNode() : null
  if (serverNode) found.set(serverNode.name, serverNode)
  return found
}

/** @type {FoundRuntime | null | undefined} undefined: not searched yet */
let serverNodeHere

/**
 * Finds the Node of built-in servers in the cache, once, because its checksum is computed from all of its files.
 * @returns {FoundRuntime | null} null: the Node that runs hopbench
 */
function locateServerNode () {
  if (serverNodeHere !== undefined) return serverNodeHere
  const wanted = getServerRuntimeHere()
  const program = wanted && locateRuntime(wanted.name, wanted.runtime)
  serverNodeHere = wanted && program ? { name: 'node', runtime: wanted.runtime, program } : null
  return serverNodeHere
}

/**
 * Fetches the Node of built-in servers if the Node that runs hopbench is past its end of life. If that fails, as
 * without a network, prints why, and the servers run under the Node that runs hopbench.
 * @param {SetupOptions & { version?: string, today?: string }} [options] version: of the Node that runs hopbench
 */
export async function bringServerNode ({ version = process.versions.node, today, ...options } = {}) {
  const { printProgress = writeLine } = options
  const wanted = getServerRuntimeHere(version, today)
  if (!wanted) return
  const { name, runtime } = wanted
  const own = `Node ${version}, which is past its end of life`
  const purpose = `for the built-in servers, in place of ${own},`
  try {
    const { program } = await findRuntime(name, runtime, { ...options, printProgress, purpose, retries: 0 })
    serverNodeHere = { name: 'node', runtime, program }
  } catch (error) {
    if (!isHopbenchError(error)) throw error
    printProgress(`${error.message} The built-in servers run under ${own}.`)
  }
}

/** Returns the proxy in front, and the proxy in the server's place. @param {Topology} topology */
export const proxyHops = topology => [
  ...topology.proxy ? [topology.proxy] : [],
  ...topology.server && hasProxyOrigin(topology) ? [topology.server] : []
]

/**
 * Returns the file of a plug-in's server, or of your own.
 * @param {string} name
 * @param {string} cwd
 */
export async function findModule (name, cwd) {
  if (!isPath(name)) {
    await loadPlugin('server', name)
    return pluginFile('server', name)
  }
  const file = resolve(cwd, name)
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new HopbenchError('no-module', { name, file })
  return file
}

/** Finds the programs and files that arms run: proxies, runtimes and modules of servers. */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { HopbenchError } from '../errors.js'
import { findModules } from '../machine/setup/modules.js'
import { findRuntime } from '../machine/setup/runtime.js'
import { findTool, toolVersion } from '../machine/tools.js'
import { getServerRuntime } from '../plan/runtimes.js'
import { isPath } from '../plan/word.js'
import { loadPlugin, pluginFile } from '../plugins.js'
import { hasProxyOrigin } from '../topology/proxy-origin.js'
import { modulesOfVariant, getOptionSpec, variantFor } from '../topology/variants.js'

/** @import { Arm, FoundRuntime, ProxyProgram, Topology } from '../types.js' */

/** Finds the programs of all proxies of these arms. @param {Arm[]} arms */
export async function findProxies (arms) {
  /** @type {Map<string, ProxyProgram>} */
  const proxies = new Map()
  for (const name of new Set(arms.flatMap(({ topology }) => proxyNames(topology)))) {
    const { default: plugin } = await loadPlugin('proxy', name)
    const variant = variantFor(name, plugin, arms)
    const tool = await findTool(getOptionSpec(plugin, variant))
    const version = await toolVersion(tool.path, plugin.version, tool.env)
    const modules = variant ? modulesOfVariant(variant, tool) : await findModules(plugin, tool)
    proxies.set(name, { plugin, program: tool.path, env: tool.env, version, modules })
  }
  return proxies
}

/**
 * Finds the runtimes that servers name, and fetches missing ones.
 * @param {Pick<Arm, 'topology'>[]} arms
 * @returns {Promise<Map<string, FoundRuntime>>}
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
  return found
}

/** Returns the names of the proxy in front, and of the proxy in the server's place. @param {Topology} topology */
export const proxyNames = topology => [
  ...topology.proxy ? [topology.proxy.name] : [],
  ...topology.server && hasProxyOrigin(topology) ? [topology.server.name] : []
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

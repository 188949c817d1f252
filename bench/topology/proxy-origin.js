/** Finds the proxy plug-in that a topology's server hop names, as in nginx:uds/nginx. */
import { HopbenchError } from '../errors.js'
import { loadPlugin, pluginNames } from '../plan/plugins.js'
import { print } from '../plan/spec.js'
import { isSpread } from '../plan/workers.js'

/** @import { ProxyPlugin, Topology } from '../types.js' */

/** Returns whether the server is a proxy program. @param {Topology} topology */
export const hasProxyOrigin = ({ server }) =>
  server !== null && !server.command && !pluginNames('server').includes(server.name) &&
  pluginNames('proxy').includes(server.name)

/** Returns whether hopbench's launcher starts the server, which then counts. @param {Topology} topology */
export const hasNodeServer = topology =>
  topology.server !== null && !topology.server.command && !hasProxyOrigin(topology)

/**
 * @param {Topology} topology
 * @returns {Promise<ProxyPlugin | null>}
 * @throws {HopbenchError} bad-topology
 */
export async function loadOriginPlugin (topology) {
  const { server } = topology
  if (!server || !hasProxyOrigin(topology)) return null
  const { default: plugin } = /** @type {{ default: ProxyPlugin }} */ (await loadPlugin('proxy', server.name))
  const why = whyNoOrigin(topology, plugin)
  if (why !== null) throw new HopbenchError('bad-topology', { spec: print(topology), why })
  return plugin
}

/**
 * @param {Topology} topology
 * @param {ProxyPlugin} plugin
 */
function whyNoOrigin (topology, { about }) {
  const { proxy, server } = topology
  if (!server) return null
  const { name, manager, instances } = server
  if (!proxy) return `${name} alone, as a static server, is written ${name}/files`
  if (!about.origin) return `${about.title} cannot run behind another proxy in this version`
  if (manager !== 'node' || instances !== 1) return `${name} manages its own processes: ${name}+workers=4`
  if (!isSpread(topology)) return null
  return `${name} has one address, and balance=${proxy.options.balance} spreads over several`
}

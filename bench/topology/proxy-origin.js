/** Which proxy plug-in, if any, a topology's server hop names: nginx behind nginx serves the files. */
import { HopbenchError } from '../errors.js'
import { loadPlugin, pluginNames } from '../plugins.js'
import { print } from '../plan/word.js'
import { isSpread } from '../plan/workers.js'

/** @import { ProxyPlugin, Topology } from '../types.js' */

/** Is the server a proxy program, rather than a Node server? @param {Topology} topology */
export const hasProxyOrigin = ({ server }) =>
  server !== null && !server.command && !pluginNames('server').includes(server.name) &&
  pluginNames('proxy').includes(server.name)

/** @param {Topology} topology @returns {Promise<ProxyPlugin | null>} @throws {HopbenchError} bad-topology */
export async function originPluginOf (topology) {
  const { proxy, server } = topology
  if (!server || !hasProxyOrigin(topology)) return null
  const { default: plugin } = /** @type {{ default: ProxyPlugin }} */ (await loadPlugin('proxy', server.name))
  const why = !proxy
    ? `${server.name} alone, as a static server, is written ${server.name}/files`
    : !plugin.about.origin
        ? `${plugin.about.title} cannot stand behind another proxy in this version`
        : server.manager !== 'node' || server.instances !== 1
          ? `${server.name} manages its own processes: ${server.name}+workers=4`
          : isSpread(topology)
            ? `${server.name} has one address, and balance=${proxy.options.balance} spreads over several`
            : null
  if (why) throw new HopbenchError('bad-topology', { word: print(topology), why })
  return plugin
}

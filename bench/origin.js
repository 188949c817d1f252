/** Which proxy plug-in, if any, a topology's server hop names: nginx behind nginx serves the files. */
import { HopbenchError } from './errors.js'
import { loadPlugin, pluginNames } from './plugins.js'
import { print } from './topology/word.js'
import { isSpread } from './topology/workers.js'

/** @typedef {import('./types.d.ts').Topology} Topology */

/**
 * Is the server a proxy program, rather than a Node server?
 * @param {Topology} topology
 */
export const hasProxyOrigin = ({ server }) => server !== null && !pluginNames('server').includes(server.name) && pluginNames('proxy').includes(server.name)

/**
 * The proxy plug-in in the server's place.
 * @param {Topology} topology
 * @returns {Promise<import('./types.d.ts').ProxyPlugin | null>} null: there is no server, or it is a Node server
 * @throws {HopbenchError} bad-topology, where it cannot stand there
 */
export async function originPluginOf (topology) {
  if (!hasProxyOrigin(topology)) return null
  const { proxy, server } = /** @type {Topology & { server: NonNullable<Topology['server']> }} */ (topology)
  const { default: plugin } = /** @type {{ default: import('./types.d.ts').ProxyPlugin }} */ (await loadPlugin('proxy', server.name))
  const why = !proxy
    ? `${server.name} alone, as a server of files, is written ${server.name}/files`
    : !plugin.about.origin
        ? `${plugin.about.title} cannot stand behind another proxy in this version`
        : server.manager !== 'node' || server.instances !== 1
          ? `${server.name} manages its own processes: ${server.name}+workers=4`
          : isSpread(topology) ? `${server.name} has one address, and balance=${proxy.options.balance} spreads over several` : null
  if (why) throw new HopbenchError('bad-topology', { word: print(topology), why })
  return plugin
}

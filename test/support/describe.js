/** Topologies as they are described on an imaginary machine. */
import { parse } from '../../bench/plan/spec.js'
import { describe } from '../../bench/topology/describe/describe.js'
import { describeAtHome } from '../../bench/topology/describe/recommended-config.js'

/** @import { DescribeContext } from '../../bench/topology/types.js' */
/** @import { ProxyPlugin, Topology } from '../../bench/types.js' */

/**
 * @param {string | Topology} topology
 * @param {Partial<DescribeContext>} [context]
 * @param {'measure' | 'home'} [purpose]
 */
export const describeSpec = (topology, context, purpose) =>
  describe(typeof topology === 'string' ? parse(topology) : topology, {
    dir: '/tmp/t',
    root: '/srv',
    ports: { front: 8080, origin: 3000 },
    clients: 100,
    launcher: '/app/bench/topology/launch.js',
    node: '/bin/node',
    module: '/app/servers/st.js',
    proxy: null,
    ...context
  }, purpose)

/**
 * Describes a proxy as it runs in production, or in a measurement with the same folders.
 * @param {ProxyPlugin} plugin
 * @param {string} spec
 * @param {'measure' | 'home'} purpose
 * @param {{ version: string, clients: number }} options
 */
export function describeProxyOf (plugin, spec, purpose, { version, clients }) {
  const [program] = spec.split(/[:/]/)
  const programs = new Map([[program, { plugin, program, env: {}, version }]])
  const { proxy } = describeAtHome(parse(spec), { clients, programs }, purpose)
  if (!proxy) throw new TypeError('no proxy')
  return proxy
}

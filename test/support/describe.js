/** Topologies as they are described on an imaginary machine. */
import { parse } from '../../bench/plan/spec.js'
import { describe } from '../../bench/topology/describe/describe.js'

/** @import { DescribeContext } from '../../bench/topology/types.js' */
/** @import { Topology } from '../../bench/types.js' */

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

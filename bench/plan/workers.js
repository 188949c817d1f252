/** How many processes a server has, and whether each has an address of its own (pure). */
import { HopbenchError } from '../errors.js'

/** @import { ServerHop, Topology } from '../types.js' */

const MOST_WORKERS = 64 // More processes than this on one machine measure its scheduler and its memory, not a server.
const MOST_WORKERS_PER_CORE = 16

/**
 * Has every process of the server an address of its own, over which the proxy spreads requests?
 * @param {Topology} topology
 */
export const isSpread = ({ proxy }) =>
  ![undefined, 'none'].includes(/** @type {string | undefined} */ (proxy?.options.balance))

/** Do all processes of the server listen on the same port, each by itself? @param {Topology} topology */
export const sharesPort = ({ server }) => server?.options.reuseport === true

/**
 * How many processes answer requests.
 * @param {Topology} topology with a server
 * @param {number} cores that the served side may use
 * @returns {number}
 * @throws {HopbenchError} bad-topology
 */
export function workersOf (topology, cores) {
  const { manager, instances, name } = /** @type {ServerHop} */ (topology.server)
  const refuse = (/** @type {string} */ why) =>
    new HopbenchError('bad-topology', { word: `${name}@${manager}:${instances}`, why })
  const workers = instances === 'max' ? cores : instances
  const most = Math.min(Math.max(MOST_WORKERS, cores), MOST_WORKERS_PER_CORE * cores)
  if (workers > most) {
    throw refuse(
      `${workers} processes are more than makes sense on ${cores === 1 ? 'one core' : `${cores} cores`}: ${most} at ` +
      'most'
    )
  }
  if (isSpread(topology) && manager !== 'node') {
    throw refuse(
      `balance=${topology.proxy?.options.balance} spreads over processes with an address each, and those of ` +
      `${manager} share one: ${name}@node:${instances}`
    )
  }
  if (!isSpread(topology) && !sharesPort(topology) && manager === 'node' && workers > 1) {
    throw refuse(
      `several processes without a manager need an address each, and a proxy that spreads over them: nginx:${
        topology.proxy?.transport ?? 'uds'
      }+balance=round-robin/${name}@node:${instances}; or ${name}@cluster:${instances}, which share one`
    )
  }
  return workers
}

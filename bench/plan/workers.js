/** Number of a server's processes, and whether each has its own address (pure). */
import { HopbenchError } from '../errors.js'

/** @import { ServerHop, Topology } from '../types.js' */

const MAX_WORKERS = 64 // With more processes, one machine measures its scheduler and its memory, not a server.
const MAX_WORKERS_PER_CORE = 16

/** Returns whether the proxy distributes requests over processes with an address each. @param {Topology} topology */
export const isSpread = ({ proxy }) =>
  ![undefined, 'none'].includes(/** @type {string | undefined} */ (proxy?.options.balance))

/** Returns whether each process of the server listens on the same port by itself. @param {Topology} topology */
export const sharesPort = ({ server }) => server?.options.reuseport === true

/**
 * Returns the number of processes that handle requests.
 * @param {Topology} topology with a server
 * @param {number} cores that the served side may use
 * @returns {number}
 * @throws {HopbenchError} bad-topology
 */
export function countWorkers (topology, cores) {
  const { manager, instances, name } = /** @type {ServerHop} */ (topology.server)
  const reject = (/** @type {string} */ why) =>
    new HopbenchError('bad-topology', { spec: `${name}@${manager}:${instances}`, why })
  const workers = instances === 'max' ? cores : instances
  const most = Math.min(Math.max(MAX_WORKERS, cores), MAX_WORKERS_PER_CORE * cores)
  if (workers > most) {
    throw reject(
      `${workers} processes are more than makes sense on ${cores === 1 ? 'one core' : `${cores} cores`}: ${most} at ` +
      'most'
    )
  }
  if (isSpread(topology) && manager !== 'node') {
    throw reject(
      `balance=${topology.proxy?.options.balance} spreads over processes with an address each, and those of ` +
      `${manager} share one: ${name}@node:${instances}`
    )
  }
  if (!isSpread(topology) && !sharesPort(topology) && manager === 'node' && workers > 1) {
    throw reject(
      `several processes without a manager need an address each, and a proxy that spreads over them: nginx:${
        topology.proxy?.transport ?? 'uds'
      }+balance=round-robin/${name}@node:${instances}; or ${name}@cluster:${instances}, which share one`
    )
  }
  return workers
}

/** Detects that the client side has run out of ports, because a connection that fails for that reason is not a fault of
 * the server. */
import { timeWaits } from './net.js'
import { run } from '../machine/process.js'

/** @import { Network } from '../machine/shapes.js' */
/** @import { ErrorCounts, Reason } from '../types.js' */
/** @import { WindowOrder } from './shapes.js' */

/** Share of the client's ports in TIME_WAIT from which failures to connect are due to missing ports. */
const EXHAUSTED_SHARE = 0.9

/**
 * @param {Pick<WindowOrder, 'arm' | 'staged'>} order
 * @param {Pick<ErrorCounts, 'resets'>} errors
 * @returns {Promise<Reason | null>}
 */
export async function findPortExhaustion ({ arm: { load }, staged: { running, network } }, { resets }) {
  if (!load.fresh || resets === 0) return null
  const waiting = timeWaits(running.pids())
  const ports = await countPorts(network)
  if (waiting === null || ports === null || waiting < EXHAUSTED_SHARE * ports) return null
  return { code: 'ports-exhausted', params: { waiting, ports } }
}

/**
 * Counts the ports that clients can connect from.
 * @param {Pick<Network, 'enter'>} network
 * @returns {Promise<number | null>} null: the kernel does not show it
 */
async function countPorts ({ enter }) {
  const { stdout } = await run([...enter, 'cat', '/proc/sys/net/ipv4/ip_local_port_range'])
  const [first, last] = stdout.trim().split(/\s+/).map(Number)
  return last >= first ? last - first + 1 : null
}

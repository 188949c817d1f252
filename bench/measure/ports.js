/** Ports that run out where the clients are: what fails to connect without them is not the server's fault. */
import { timeWaits } from './net.js'
import { run } from '../machine/process.js'

/** @import { Network } from '../machine/shapes.js' @import { ErrorCounts, Reason } from '../types.js'
 * @import { WindowOrder } from './shapes.js' */

/** From so many of the client's ports in TIME_WAIT on, what fails to connect is short of ports. */
const PORTS_GONE_SHARE = 0.9

/** @param {Pick<WindowOrder, 'arm' | 'staged'>} order @param {Pick<ErrorCounts, 'resets'>} errors
 * @returns {Promise<Reason | null>} */
export async function portsGone ({ arm: { load }, staged: { running, network } }, { resets }) {
  if (!load.fresh || resets === 0) return null
  const [waiting, ports] = [timeWaits(running.pids()), await portsOf(network)]
  if (waiting === null || ports === null || waiting < PORTS_GONE_SHARE * ports) return null
  return {
    code: 'ports-exhausted',
    text: `the client side ran out of ports: ${waiting} sockets were in TIME_WAIT, and there are ${ports} ports`
  }
}

/** How many ports the clients' connections may leave from. @param {Pick<Network, 'enter'>} network
 * @returns {Promise<number | null>} null: its kernel does not show it */
export async function portsOf ({ enter }) {
  const { stdout } = await run([...enter, 'cat', '/proc/sys/net/ipv4/ip_local_port_range'])
  const [first, last] = stdout.trim().split(/\s+/).map(Number)
  return last >= first ? last - first + 1 : null
}

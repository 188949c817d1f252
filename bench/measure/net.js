/** Reads what the kernel counts in a topology's network, through a process in it. */
import { readText } from '../machine/files/system-files.js'
import { readTcpSockets } from '../machine/kernel-counts.js'
import { run } from '../machine/process.js'

/** @import { Network } from '../machine/types.js' */
/** @import { Running } from '../types.js' */

/**
 * Returns the bytes sent through a device, headers of TCP and IP included. A device that the host shares counts the
 * bytes of all programs; all other arms are paused meanwhile.
 * @param {ReturnType<Running['pids']>} pids
 * @param {string} [device] omitted: the loopback
 * @throws {Error} if the kernel does not show it
 */
export function bytesThrough (pids, device = 'lo') {
  const row = read(pids, 'dev').split('\n').map(line => line.trim().split(/[:\s]+/)).find(([name]) => name === device)
  // Eight columns of received data stand before those of sent data (proc_pid_net(5)).
  const bytes = Number(row?.[9] ?? NaN)
  if (Number.isNaN(bytes)) throw new Error(`the bytes that cross ${device} cannot be read`)
  return bytes
}

/**
 * Returns which share of a link's capacity was used.
 * @param {Pick<Network, 'link'>} network
 * @param {number | null} bytes sent through the link; null: not read
 * @param {number} seconds
 * @returns {{ linkShare: number } | {}} empty: the network has no link of a known rate
 */
export const linkUse = ({ link }, bytes, seconds) =>
  link?.bitsPerSecond && bytes !== null ? { linkShare: bytes * 8 / seconds / link.bitsPerSecond } : {}

/**
 * Returns the bytes sent through the link so far; null: there is no link of a known rate.
 * @param {Network} network
 * @param {ReturnType<Running['pids']>} pids
 */
export const linkBytes = ({ link }, pids) => link?.bitsPerSecond ? bytesThrough(pids, link.device) : null

/**
 * Counts sockets in TIME_WAIT.
 * @param {ReturnType<Running['pids']>} pids
 * @returns {number | null} null: the kernel does not show it
 */
export function timeWaits (pids) {
  const sockets = /^TCP:.*\btw (\d+)/m.exec(read(pids, 'sockstat'))?.[1]
  return sockets === undefined ? null : Number(sockets)
}

/**
 * @param {ReturnType<Running['pids']>} pids
 * @param {string} table
 */
function read ({ proxy, server }, table) {
  for (const pid of [...proxy, ...server]) {
    // Empty if the process has ended. The next one is in the same network.
    const text = readText(`/proc/${pid}/net/${table}`)
    if (text !== '') return text
  }
  return ''
}

/**
 * Counts clients whose connection a front has accepted and holds. For the client a connection is open as soon as the
 * kernel has taken it, so engines do not notice a connection that is never accepted.
 * @param {ReturnType<Running['pids']>} pids
 * @param {number} port that the front listens on
 * @returns {number | null} null: the kernel does not show it
 */
export function acceptedClients ({ proxy, server }, port) {
  const sockets = readTcpSockets([...proxy, ...server], ['tcp']).filter(socket => socket.port === port)
  if (sockets.length === 0) return null
  const open = sockets.filter(({ state }) => state === 'established').length
  // With reuseport each worker has a listening socket with a queue.
  const queues = sockets.filter(({ state }) => state === 'listen').map(({ backlog }) => backlog)
  return open - queues.reduce((a, b) => a + b, 0)
}

const SS_SECONDS = 5 // Listing thousands of connections takes a fraction of a second.
/** A client and the bytes that it has acknowledged, in a row of ss(8) with -i. */
const ANSWERED = /^\s*\d+\s+\d+\s+\S+\s+(\S+)(?:.*\bbytes_acked:(\d+))?/

/**
 * Returns the bytes that each open connection has brought its client, read at the front's end.
 * @param {Pick<Network, 'enterBeside'>} network
 * @param {number} port that the front listens on
 * @returns {Promise<Map<string, number> | null>} by client; null: the kernel does not show it, or ss is missing
 */
export async function answeredBytes ({ enterBeside }, port) {
  const { exit, stdout } = await run(
    [...enterBeside, 'ss', '-tinOH', 'state', 'established', 'sport', '=', `:${port}`], { timeoutSeconds: SS_SECONDS })
  if (exit !== 0) return null
  return new Map(stdout.split('\n').flatMap(line => {
    const row = ANSWERED.exec(line)
    return row ? [[row[1], Number(row[2] ?? 0)]] : []
  }))
}

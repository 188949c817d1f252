/** What the kernel counts in a topology's own network, read by way of a process that is in it. */
import { readFileSync } from 'node:fs'

/**
 * Bytes that have crossed the loopback, headers of TCP and IP counted. Where the host's loopback is
 * shared, those of everybody: all other arms are frozen then.
 * @param {{ proxy: number[], server: number[] }} pids of the topology
 * @returns {number}
 * @throws {Error} where the kernel does not tell
 */
export function bytesThrough (pids) {
  const bytes = Number(/^\s*lo:\s*(\d+)/m.exec(read(pids, 'dev'))?.[1] ?? NaN)
  if (Number.isNaN(bytes)) throw new Error('the bytes that cross the loopback cannot be read')
  return bytes
}

/**
 * Sockets in TIME_WAIT.
 * @param {{ proxy: number[], server: number[] }} pids of the topology
 * @returns {number | null} null: the kernel does not tell
 */
export function timeWaits (pids) {
  const sockets = /^TCP:.*\btw (\d+)/m.exec(read(pids, 'sockstat'))?.[1]
  return sockets === undefined ? null : Number(sockets)
}

/**
 * @param {{ proxy: number[], server: number[] }} pids
 * @param {string} table
 */
function read ({ proxy, server }, table) {
  for (const pid of [...proxy, ...server]) {
    try {
      return readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
    } catch {
      // It has ended, and its network is that of the next one.
    }
  }
  return ''
}

/** States of a socket in /proc/net/tcp (include/net/tcp_states.h of the kernel). */
const ESTABLISHED = '01'
const LISTEN = '0A'

/**
 * Clients whose connection a front has accepted and holds. For the client a connection is open as
 * soon as the kernel has taken it, and an engine takes no notice of one that is never accepted.
 * @param {{ proxy: number[], server: number[] }} pids of the topology
 * @param {number} port that its front listens on
 * @returns {number | null} null: the kernel does not tell
 */
export function acceptedClients (pids, port) {
  const here = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = read(pids, 'tcp').split('\n').slice(1).map(row => row.trim().split(/\s+/)).filter(([, local]) => local?.endsWith(here))
  if (rows.length === 0) return null
  const open = rows.filter(([, , , state]) => state === ESTABLISHED).length
  // Those that wait to be accepted are the receive queue of a listening socket. With reuseport each worker has one.
  const waiting = rows.filter(([, , , state]) => state === LISTEN).map(([, , , , queues]) => parseInt(queues.split(':')[1], 16))
  return open - waiting.reduce((a, b) => a + b, 0)
}

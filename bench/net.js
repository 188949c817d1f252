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

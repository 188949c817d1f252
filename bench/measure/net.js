/** What the kernel counts in a topology's own network, read by way of a process that is in it. */
import { readFileSync } from 'node:fs'
import { run } from '../machine/process.js'

/** @import { Network } from '../machine/shapes.js' */

/** Bytes that have been sent through a device, headers of TCP and IP counted. Where the host's loopback, or a host's
 * own wire, is shared, those of everybody: all other arms are paused then.
 * @param {{ proxy: number[], server: number[] }} pids of the topology @param {string} [device] left out: the loopback
 * @returns {number} @throws {Error} where the kernel does not show it */
export function bytesThrough (pids, device = 'lo') {
  const row = read(pids, 'dev').split('\n').map(line => line.trim().split(/[:\s]+/)).find(([name]) => name === device)
  // Eight columns of what was received come before those of what was sent (proc_pid_net(5)).
  const bytes = Number(row?.[9] ?? NaN)
  if (Number.isNaN(bytes)) throw new Error(`the bytes that cross ${device} cannot be read`)
  return bytes
}

/** How much of what a link carries was used. @param {Pick<Network, 'link'>} network
 * @param {number | null} bytes sent through it; null: not read @param {number} seconds
 * @returns {{ linkShare: number } | {}} empty: it has no link of a known rate */
export const linkUse = ({ link }, bytes, seconds) =>
  link?.bitsPerSecond && bytes !== null ? { linkShare: bytes * 8 / seconds / link.bitsPerSecond } : {}

/** @param {Network} network @param {{ proxy: number[], server: number[] }} pids of the topology
 * @returns {number | null} bytes sent so far; null: there is no link, or its rate is not known */
export const linkBytes = ({ link }, pids) => link?.bitsPerSecond ? bytesThrough(pids, link.device) : null

/** Sockets in TIME_WAIT. @param {{ proxy: number[], server: number[] }} pids of the topology
 * @returns {number | null} null: the kernel does not show it */
export function timeWaits (pids) {
  const sockets = /^TCP:.*\btw (\d+)/m.exec(read(pids, 'sockstat'))?.[1]
  return sockets === undefined ? null : Number(sockets)
}

/** @param {{ proxy: number[], server: number[] }} pids @param {string} table */
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

const ESTABLISHED = '01' // States of a socket in /proc/net/tcp (include/net/tcp_states.h of the kernel).
const LISTEN = '0A'

/** Clients whose connection a front has accepted and holds. For the client a connection is open as soon as the kernel
 * has taken it, and an engine takes no notice of one that is never accepted.
 * @param {{ proxy: number[], server: number[] }} pids of the topology @param {number} port that its front listens on
 * @returns {number | null} null: the kernel does not show it */
export function acceptedClients (pids, port) {
  const here = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = read(pids, 'tcp').split('\n').slice(1).map(row => row.trim().split(/\s+/)).filter(([, local]) =>
    local?.endsWith(here)
  )
  if (rows.length === 0) return null
  const open = rows.filter(([, , , state]) => state === ESTABLISHED).length
  // Those that wait to be accepted are the receive queue of a listening socket. With reuseport each worker has one.
  const waiting = rows.filter(([, , , state]) => state === LISTEN).map(([, , , , queues]) =>
    parseInt(queues.split(':')[1], 16)
  )
  return open - waiting.reduce((a, b) => a + b, 0)
}

const SS_SECONDS = 5
/** A client, and what it has acknowledged, in a row of ss(8) with -i. */
const ANSWERED = /^\s*\d+\s+\d+\s+\S+\s+(\S+)(?:.*\bbytes_acked:(\d+))?/

/** Bytes that each open connection has brought its client, as the front's end shows: wherever the load is made.
 * @param {Pick<Network, 'enterBeside'>} network @param {number} port that its front listens on
 * @returns {Promise<Map<string, number> | null>} by client; null: the kernel does not show it, or there is no ss */
export async function answeredBytes ({ enterBeside }, port) {
  const { exit, stdout } = await run(
    [...enterBeside, 'ss', '-tinOH', 'state', 'established', 'sport', '=', `:${port}`], { timeoutSeconds: SS_SECONDS })
  if (exit !== 0) return null
  return new Map(stdout.split('\n').flatMap(line => {
    const row = ANSWERED.exec(line)
    return row ? [[row[1], Number(row[2] ?? 0)]] : []
  }))
}

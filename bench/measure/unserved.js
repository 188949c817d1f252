/** Counts the clients of a window that are not served, as the kernel shows it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { acceptedClients } from './net.js'

/** @import { WindowOrder } from './types.js' */

const LOOK_MS = 250 // Time between two looks while clients are missing.
/** Share of a window before the first look. A look may be late, and the clients must still be connected then. */
const LOOK_FROM = 0.5

/**
 * Counts clients whose connection was closed or is not accepted. Engines ignore such clients, or estimate them. The
 * first look is in the middle of the window. While clients are missing there are further looks until the generator
 * ends, because a slow machine may have begun late. The lowest count is the result: an unserved client is missing in
 * all looks, and a generator that has just ended is missing only in the last one.
 * @param {Pick<WindowOrder, 'arm' | 'staged' | 'engine' | 'seconds'>} order
 * @returns {{ stop: () => Promise<number> }}
 */
export function unservedClients ({ arm: { load }, staged: { running, target }, engine, seconds }) {
  // A schedule opens connections as needed, and an unserved request times out. A waiting user may have lost its
  // connection, and opens another one for its next request.
  if (load.fresh || load.rate !== undefined || engine.plugin.about.users) return { stop: async () => 0 }
  const ended = new AbortController()
  const { signal } = ended
  const count = async () => {
    let fewest = Infinity
    await sleep(seconds * 1000 * LOOK_FROM, undefined, { signal }).catch(() => {})
    // Looked up once, because this takes longer than all looks if there are thousands of processes.
    const pids = running.pids()
    const port = Number(new URL(target.url).port)
    while (fewest > 0 && !signal.aborted) {
      const accepted = acceptedClients(pids, port)
      if (accepted === null) return 0
      fewest = Math.max(0, Math.min(fewest, load.connections - accepted))
      if (fewest > 0) await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
    }
    // A generator that ended before the first look has no waiting clients.
    return Number.isFinite(fewest) ? fewest : 0
  }
  const counted = count()
  return {
    stop () {
      ended.abort()
      return counted
    }
  }
}

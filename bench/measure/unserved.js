/** Which of a window's clients are not served, as the kernel shows it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { acceptedClients } from './net.js'

/** @import { WindowOrder } from './shapes.js' */

const LOOK_MS = 250 // While any are missing they are looked at again after this time.
/** From this share of a window on its clients are looked at: a look may be late, and they must still be there. */
const LOOK_FROM = 0.5

/** Clients that nobody serves: their connections were closed, or wait to be accepted. Engines take no notice of them,
 * or guess. The first look is in the middle of the window; a slow machine may have begun late, so while any are missing
 * there are more, until the generator has ended, and the fewest count: who is not served is missing in all of them, a
 * generator that leaves only in the last. @param {Pick<WindowOrder, 'arm' | 'staged' | 'engine' | 'seconds'>} order
 * @returns {{ stop: () => Promise<number> }} */
export function unservedClients ({ arm: { load }, staged: { running, target }, engine, seconds }) {
  // On a schedule there are as many connections as are needed, and who is not served has no answer. A user that waits
  // may have lost its connection, and opens another one when it asks again.
  if (load.fresh || load.rate !== undefined || engine.plugin.about.users) return { stop: async () => 0 }
  const ended = new AbortController()
  const { signal } = ended
  const look = async () => {
    let fewest = Infinity
    await sleep(seconds * 1000 * LOOK_FROM, undefined, { signal }).catch(() => {})
    // Looked up once: of thousands of processes that takes longer than all looks together.
    const pids = running.pids()
    while (fewest > 0 && !signal.aborted) {
      const accepted = acceptedClients(pids, Number(new URL(target.url).port))
      if (accepted === null) return 0
      fewest = Math.max(0, Math.min(fewest, load.connections - accepted))
      if (fewest > 0) await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
    }
    // A generator that ended before anyone looked has no clients that wait.
    return Number.isFinite(fewest) ? fewest : 0
  }
  const looked = look()
  return {
    stop () {
      ended.abort()
      return looked
    }
  }
}

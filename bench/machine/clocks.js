/**
 * The clocks of this machine, and a watch over a trial that detects when it was measured by clocks that do not agree:
 * the machine was suspended, the suite was stopped, or the time of day was set. `monotonic` stands still while the
 * machine is suspended and cannot be set, `boot` goes on, `wall` is the time of day.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** @import { Clocks } from './shapes.js' */

/** A reading that was interrupted for longer than this between its clocks is made again, so often at most. */
const TOGETHER_MS = 1
const TRIES = 5

/** Reads all clocks as good as at once. @param {{ root?: string }} [options] `root` stands before /proc */
export function readClocks ({ root = '/' } = {}) {
  let best = /** @type {Clocks | null} */ (null)
  let apart = Infinity
  for (let tries = 0; tries < TRIES && apart > TOGETHER_MS; tries++) {
    const before = performance.now()
    const [boot, wall] = [bootSeconds(root), Date.now() / 1000]
    const after = performance.now()
    if (after - before >= apart) continue
    apart = after - before
    best = { monotonic: (before + after) / 2000, boot, wall, apart: apart / 1000 }
  }
  return /** @type {Clocks} */ (best)
}

/** /proc/uptime is CLOCK_BOOTTIME in hundredths of a second (proc_uptime(5)). @returns {number | null} */
function bootSeconds (/** @type {string} */ root) {
  try {
    return Number(/^\d+\.\d+/.exec(readFileSync(join(root, 'proc/uptime'), 'latin1'))?.[0] ?? NaN) || null
  } catch {
    return null
  }
}

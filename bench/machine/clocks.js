/**
 * Reads the clocks of this machine. `monotonic` stops during a suspension and cannot be set, `boot` continues during a
 * suspension, and `wall` is the time of day. Comparing them shows whether the machine was suspended, the suite was
 * stopped, or the time of day was set.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** @import { Clocks } from './shapes.js' */

/**
 * Longest acceptable time between the readings of two clocks. A reading that took longer is repeated, up to TRIES
 * times.
 */
const TOGETHER_MS = 1
const TRIES = 5

/** Reads all clocks at almost the same instant. @param {{ root?: string }} [options] `root` is prepended to /proc */
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

/** Reads /proc/uptime, which is CLOCK_BOOTTIME in hundredths of a second (proc_uptime(5)). @returns {number | null} */
function bootSeconds (/** @type {string} */ root) {
  try {
    return Number(/^\d+\.\d+/.exec(readFileSync(join(root, 'proc/uptime'), 'latin1'))?.[0] ?? NaN) || null
  } catch {
    return null
  }
}

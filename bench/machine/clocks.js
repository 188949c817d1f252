/**
 * Reads the clocks of this machine. `monotonic` stops during a suspension and cannot be set, `boot` continues during a
 * suspension, and `wall` is the time of day. Comparing them shows whether the machine was suspended, the suite was
 * stopped, or the time of day was set.
 */
import { join } from 'node:path'
import { readText } from './files/system-files.js'

/** @import { Clocks } from './types.js' */

/**
 * Longest acceptable time between the readings of two clocks. A reading that took longer is repeated, up to TRIES
 * times.
 */
const TOGETHER_SECONDS = 0.001
const TRIES = 5

/** Returns the time of a monotonic clock, in seconds. */
export const now = () => performance.now() / 1000

/** Reads all clocks at almost the same instant. @param {{ root?: string }} [options] `root` is prepended to /proc */
export function readClocks ({ root = '/' } = {}) {
  let best = readOnce(root)
  for (let tries = 1; tries < TRIES && best.apart > TOGETHER_SECONDS; tries++) {
    const next = readOnce(root)
    if (next.apart < best.apart) best = next
  }
  return best
}

/**
 * @param {string} root
 * @returns {Required<Clocks>}
 */
function readOnce (root) {
  const before = performance.now()
  // CLOCK_BOOTTIME in hundredths of a second (proc_uptime(5)).
  const uptime = /^\d+\.\d+/.exec(readText(join(root, 'proc/uptime')))?.[0]
  const wall = Date.now() / 1000
  const after = performance.now()
  return { monotonic: (before + after) / 2000, boot: Number(uptime) || null, wall, apart: (after - before) / 1000 }
}

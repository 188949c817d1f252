/**
 * The clocks of this machine, and a watch over a trial that tells when it was measured by clocks that do not agree: the machine was
 * suspended, the suite was stopped, or somebody set the time of day.
 *
 * `monotonic` stands still while the machine is suspended and cannot be set, `boot` goes on, `wall` is the time of day.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { disturbanceOf } from './verdict.js'

/** @typedef {import('./types.d.ts').Reason} Reason */
/**
 * @typedef {object} Clocks in seconds, each from a beginning of its own
 * @property {number} monotonic
 * @property {number | null} boot null: not told here
 * @property {number} wall
 * @property {number} [apart] the time between the first of them and the last; left out: none
 */

/** A reading that was interrupted for longer than this between its clocks is made again, so often at most. */
const TOGETHER_MS = 1
const TRIES = 5
/** So often the suite looks whether it runs: four times a second cost it nothing. */
const BEAT_MS = 250

/**
 * Reads all clocks as good as at once.
 * @param {{ root?: string }} [options] `root` stands before /proc
 * @returns {Clocks}
 */
export function readClocks ({ root = '/' } = {}) {
  /** @type {Clocks | null} */
  let best = null
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

/**
 * /proc/uptime is CLOCK_BOOTTIME in hundredths of a second (proc_uptime(5)).
 * @param {string} root
 * @returns {number | null}
 */
function bootSeconds (root) {
  try {
    return Number(/^\d+\.\d+/.exec(readFileSync(join(root, 'proc/uptime'), 'latin1'))?.[0] ?? NaN) || null
  } catch {
    return null
  }
}

/**
 * Watches over a trial from now on. Between trials nothing is watched: what happens there is in no number.
 * @param {{ read?: () => Clocks }} [options] read: the clocks
 * @returns {{ end: () => Reason | null }} why what was measured in the meantime does not count; null: nothing is wrong with the time
 */
export function watchTrial ({ read = readClocks } = {}) {
  const first = read()
  let [beatAt, longest] = [performance.now(), 0]
  const beat = () => {
    const now = performance.now()
    longest = Math.max(longest, now - beatAt)
    beatAt = now
  }
  const timer = setInterval(beat, BEAT_MS)
  // A trial that is given up is no reason to stay.
  timer.unref()
  return {
    end () {
      clearInterval(timer)
      beat()
      const last = read()
      return disturbanceOf({
        seconds: last.monotonic - first.monotonic,
        bootSeconds: first.boot === null || last.boot === null ? null : last.boot - first.boot,
        wallSeconds: last.wall - first.wall,
        stillSeconds: Math.max(0, longest - BEAT_MS) / 1000,
        blurSeconds: ((first.apart ?? 0) + (last.apart ?? 0)) / 2
      })
    }
  }
}

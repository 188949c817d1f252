/** A watch over a trial: was it measured by clocks that agree? */
import { readClocks } from '../machine/clocks.js'
import { disturbanceOf } from '../shared/disturbance.js'

/** @import { Clocks } from '../machine/shapes.js' @import { Reason } from '../types.js' */

const BEAT_MS = 250 // So often the suite looks whether it runs: four times a second cost it nothing.

/** Watches over a trial from now on. Between trials nothing is watched: what happens there is in no number.
 * @param {{ read?: () => Clocks }} [options] read: the clocks
 * @returns {{ end: () => Reason | null }} why what was measured in the meantime is invalid; null: nothing is wrong
 * with the time */
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

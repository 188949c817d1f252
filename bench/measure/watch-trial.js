/** Watches the clocks during a trial, because a suspended machine or a set clock makes its figures wrong. */
import { readClocks } from '../machine/clocks.js'
import { findDisturbance } from '../shared/disturbance.js'

/** @import { Clocks } from '../machine/types.js' */
/** @import { Reason } from '../types.js' */

const BEAT_MS = 250 // Period of a timer that shows whether the suite runs. Four times a second is cheap.

/**
 * Starts to watch a trial. Changes of clocks between trials do not affect results.
 * @param {{ read?: () => Clocks }} [options]
 * @returns {{ end: () => Reason | null }} why the trial is invalid
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
  // The timer of an abandoned trial must not keep the process running.
  timer.unref()
  return {
    end () {
      clearInterval(timer)
      beat()
      const last = read()
      return findDisturbance({
        seconds: last.monotonic - first.monotonic,
        bootSeconds: first.boot === null || last.boot === null ? null : last.boot - first.boot,
        wallSeconds: last.wall - first.wall,
        stillSeconds: Math.max(0, longest - BEAT_MS) / 1000,
        blurSeconds: ((first.apart ?? 0) + (last.apart ?? 0)) / 2
      })
    }
  }
}

/** A change of state within a start: from some block to its end an arm is another one. */
import { median } from './quantile.js'

/** Blocks before and after, at least: one wild slice is no state. */
const LEAST = 2
/** All blocks after the change lie so many sd beyond all those before it. Chosen by simulation, so that one run of a
 * hundred without any change names one, two where tails are heavy (docs/statistics.md). */
const GAP = 5

/**
 * @param {readonly number[]} residuals of an arm within a start, in order
 * @param {number} sd of such a residual
 * @returns {{ at: number, by: number } | null} index of the first block after the change, and the difference of the
 *   medians
 */
export function shiftAt (residuals, sd) {
  let best = null
  let widest = GAP * sd
  for (let at = LEAST; at <= residuals.length - LEAST; at++) {
    const [before, after] = [residuals.slice(0, at), residuals.slice(at)]
    const gap = Math.max(Math.min(...after) - Math.max(...before), Math.min(...before) - Math.max(...after))
    if (!(gap > widest)) continue
    widest = gap
    best = { at, by: median(after) - median(before) }
  }
  return best
}

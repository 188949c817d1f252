/** Changes of state within a start: from one block on the rate of an arm differs until the end of the start. */
import { median } from './quantile.js'

/** Fewest blocks before and after a change, because a single outlier is not a state. */
const LEAST = 2
/**
 * Gap between all blocks before and all blocks after a change, in standard deviations. Chosen by simulation, so that
 * one run of a hundred without a change has a false one, or two with heavy tails (docs/statistics.md).
 */
const GAP = 5

/**
 * Finds the widest change.
 *
 * @param {readonly number[]} residuals of an arm within a start, in order
 * @param {number} sd of a residual
 * @returns {{ at: number, by: number } | null} at: index of the first block after the change; by: difference of the
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

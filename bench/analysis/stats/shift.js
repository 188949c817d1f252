/** Changes of state within a start: the rate of an arm differs from a certain block until the end of the start. */
import { median } from './quantile.js'

/** Fewest blocks before and after a change, because a single outlier is not a state. */
const LEAST_BLOCKS = 2
/**
 * Least gap between all blocks before and all blocks after a change, in standard deviations. Chosen by simulation: of a
 * hundred runs without a change, the test finds a change in one, or in two with heavy tails (docs/statistics.md).
 */
const LEAST_GAP = 5

/**
 * Finds the change with the widest gap, if it is wide enough.
 *
 * @param {readonly number[]} residuals of an arm within a start, in order
 * @param {number} sd of a residual
 * @returns {{ at: number, by: number } | null} at: index of the first block after the change; by: difference of the
 *   medians; null: no gap is wide enough
 */
export function shiftAt (residuals, sd) {
  let best = null
  let widest = LEAST_GAP * sd
  for (let at = LEAST_BLOCKS; at <= residuals.length - LEAST_BLOCKS; at++) {
    const [before, after] = [residuals.slice(0, at), residuals.slice(at)]
    const rise = Math.min(...after) - Math.max(...before)
    const fall = Math.min(...before) - Math.max(...after)
    const gap = Math.max(rise, fall)
    if (!(gap > widest)) continue
    widest = gap
    best = { at, by: median(after) - median(before) }
  }
  return best
}

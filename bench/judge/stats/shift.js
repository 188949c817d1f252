/** Changes of state within a start: the rate of an arm differs from a certain block until the end of the start. */
import { median } from './quantile.js'

/** Fewest blocks before and after a change, because a single outlier is not a state. */
const MIN_BLOCKS = 2
/**
 * Least gap between all blocks before and all blocks after a change, in standard deviations. Chosen by simulation: of a
 * hundred runs without a change, the test finds a change in one, or in two with heavy tails (docs/statistics.md).
 */
const MIN_GAP = 5

/**
 * Finds the change with the widest gap, if it is wide enough.
 *
 * @param {readonly number[]} residuals of an arm within a start, in order
 * @param {number} sd of a residual
 * @returns {{ at: number, by: number } | null} at: index of the first block after the change; by: difference of the
 *   medians; null: no gap is wide enough
 */
export function shiftAt (residuals, sd) {
  const before = computeRanges(residuals)
  const after = computeRanges(residuals.toReversed()).reverse()
  let widest = MIN_GAP * sd
  let best = null
  for (let at = MIN_BLOCKS; at <= residuals.length - MIN_BLOCKS; at++) {
    const gap = Math.max(after[at].least - before[at - 1].most, before[at - 1].least - after[at].most)
    if (!(gap > widest)) continue
    widest = gap
    best = at
  }
  if (best === null) return null
  return { at: best, by: median(residuals.slice(best)) - median(residuals.slice(0, best)) }
}

/**
 * Returns the extremes of each value and the values before it.
 *
 * @param {readonly number[]} values
 */
function computeRanges (values) {
  let least = Infinity
  let most = -Infinity
  return values.map(value => {
    least = Math.min(least, value)
    most = Math.max(most, value)
    return { least, most }
  })
}

/** Drift of a ratio within the starts of a run: the gate that shows whether the warm-up was long enough (pure). */
import { placeOf, withinMargin } from './margin.js'
import { commonSlope } from './stats/common-slope.js'
import { groupBy } from '../shared/group-by.js'
import { DRIFT_ERROR, MARGIN } from '../shared/thresholds.js'

/** @import { Drift } from '../types.js' */

/**
 * Tests whether the ratio of two arms depends on the position of a block in its start. Blocks of the same position in
 * different starts have the same age, so that drift of the machine over the run cancels.
 *
 * @param {readonly { block: number, start: number, logRatio: number }[]} ratios
 * @returns {Drift | null} null: too few blocks
 */
export function computeDrift (ratios) {
  const starts = [...groupBy(ratios, ({ start }) => start).values()]
    .map(ofStart => ofStart.map(({ block, logRatio }) => ({ x: block, y: logRatio })))
  const found = commonSlope(starts)
  if (found === null) return null
  const longest = Math.max(...starts.map(points => points[points.length - 1].x - points[0].x))
  return { change: Math.expm1(found.slope * longest), p: found.p }
}

/**
 * Returns whether a drift is significant and larger than the margin.
 *
 * @param {Drift | null | undefined} drift null or undefined: unknown
 * @param {number} [margin] as a share
 * @returns {drift is Drift}
 */
export function isDrifting (drift, margin = MARGIN) {
  if (!drift || drift.p >= DRIFT_ERROR) return false
  const ratio = 1 + drift.change
  return placeOf({ low: ratio, high: ratio }, withinMargin(margin)) !== 'within'
}

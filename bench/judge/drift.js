/** Drift of a ratio within the starts of a run: the gate that shows whether the warm-up was long enough (pure). */
import { placeOf, withinMargin } from './margin.js'
import { groupBy } from '../shared/group-by.js'
import { DRIFT_ERROR, MARGIN } from '../shared/thresholds.js'
import { USUAL_LAG1 } from './stats/dependence.js'
import { MAX_VARIANCE_RATIO, mean } from './stats/over-starts.js'
import { upperTail } from './stats/student.js'

/** @import { Drift } from '../types.js' */

/** Factor by which the usual autocorrelation of blocks raises the variance of a mean (stats/dependence.js). */
const DEPENDENCE = (1 + USUAL_LAG1) / (1 - USUAL_LAG1)

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

/**
 * Finds the contrast of a run that depends on the position in a start, beyond what is found by chance in one of them.
 *
 * @template {{ drift?: Drift | null }} Pair
 * @param {Pair[]} contrasts of one run
 * @returns {Pair | undefined}
 */
export const findDriftOfRun = contrasts => contrasts.find(({ drift }) =>
  drift && isDrifting({ ...drift, p: drift.p * contrasts.length }))

/**
 * Computes the common slope and the probability of one at least as steep by chance.
 *
 * @param {readonly (readonly { x: number, y: number }[])[]} groups
 * @returns {{ slope: number, p: number } | null} slope: change of y per unit of x; p: two-sided; null: too few points
 */
export function commonSlope (groups) {
  const lines = groups.map(computeSquares).filter(({ xx }) => xx > 0)
  const xx = lines.reduce((sum, line) => sum + line.xx, 0)
  const slope = lines.reduce((sum, line) => sum + line.xy, 0) / xx
  // Sums of squares about the line of each group, and of the slopes of groups about the common slope.
  const within = lines.reduce((sum, line) => sum + Math.max(0, line.yy - line.xy ** 2 / line.xx), 0)
  const between = lines.reduce((sum, line) => sum + line.xx * (line.xy / line.xx - slope) ** 2, 0)
  const betweenDf = lines.length - 1
  const withinDf = lines.reduce((sum, { n }) => sum + n - 2, 0)
  if (!(withinDf > 0)) return null
  // A process that changes its state in one start makes slopes differ by more than the noise of blocks explains.
  const areSlopesAlike = between <= betweenDf * MAX_VARIANCE_RATIO * within / withinDf
  const [variance, df] = areSlopesAlike
    ? [(within + between) / (withinDf + betweenDf) * DEPENDENCE, withinDf + betweenDf]
    : [between / betweenDf, betweenDf]
  return { slope, p: slope === 0 ? 1 : 2 * upperTail(Math.abs(slope) / Math.sqrt(variance / xx), df) }
}

/**
 * Computes the sums of squares and of products about the means.
 *
 * @param {readonly { x: number, y: number }[]} points
 */
export function computeSquares (points) {
  const [meanX, meanY] = [mean(points.map(({ x }) => x)), mean(points.map(({ y }) => y))]
  const sum = (/** @type {(point: { x: number, y: number }) => number} */ term) =>
    points.reduce((total, point) => total + term(point), 0)
  return {
    n: points.length,
    xx: sum(({ x }) => (x - meanX) ** 2),
    xy: sum(({ x, y }) => (x - meanX) * (y - meanY)),
    yy: sum(({ y }) => (y - meanY) ** 2)
  }
}

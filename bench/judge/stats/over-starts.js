/**
 * Interval of a ratio over starts, which includes the variance between starts (docs/statistics.md). Each start has a
 * robust mean of its block log-ratios. The variance of these means (G - 1 degrees of freedom) is shrunk towards the
 * variance that the blocks and the starts of all other arms predict (G. K. Smyth (2004), Statistical Applications in
 * Genetics and Molecular Biology 3(1), article 3). The degrees of freedom of the prediction follow F. E. Satterthwaite
 * (1946), Biometrics Bulletin 2(6), 110-114.
 */
import { huberMeans } from './huber.js'
import { tQuantile } from './student.js'

/**
 * Largest weight of the prediction, relative to the degrees of freedom of the contrast. With 2, a single outlying start
 * changes the result by at most √3 standard errors, which is less than any t quantile of 95 % or more.
 */
const MOST_BORROWED = 2

/**
 * Ratio of observed to predicted variance above which the prediction is not used: a start is an outlier, or the starts
 * of these arms differ from those of others.
 */
export const TOO_FAR = 4

/**
 * @typedef {object} Others variances from the starts of other arms, on the scale of a log-ratio
 * @property {number} between variance of the mean of a start
 * @property {number} betweenDf
 * @property {number} slices the part of it that blocks explain
 * @property {number} slicesDf
 */

/**
 * @typedef {object} OverStarts
 * @property {number} centre mean log-ratio
 * @property {number} half half-width of its interval
 * @property {number} df degrees of freedom
 * @property {number} withinHalf half-width without the variance between starts
 * @property {number[]} means of each start
 * @property {number} variance of the mean
 */

/**
 * @param {readonly (readonly number[])[]} groups block log-ratios of each start: at least two starts, none empty
 * @param {number} level confidence level
 * @param {Others | null} [others] null: no other arms
 * @param {number} [lag1] autocorrelation of adjacent blocks, at least 0, for the variance within starts
 * @returns {OverStarts}
 */
export function overStarts (groups, level, others = null, lag1 = 0) {
  const { means, variance: slice, df: sliceDf } = huberMeans(groups)
  const own = means.length - 1
  const start = others ? Math.max(0, others.between - others.slices) : 0
  const expected = groups.map(({ length }) => start + (slice || 0) / length)
  // A start with fewer blocks has a smaller weight, as far as the variance comes from blocks.
  const known = expected.every(v => v > 0)
  const weights = expected.map(v => known ? 1 / v : 1)
  const weight = weights.reduce((a, b) => a + b, 0)
  const centre = means.reduce((sum, m, g) => sum + weights[g] * m, 0) / weight
  const seen = means.reduce((sum, m, g) => sum + weights[g] * (m - centre) ** 2, 0) / own
  const borrowed = known && others && seen <= TOO_FAR
    ? Math.min(MOST_BORROWED * own, freedomOf(others, slice / (groups.flat().length / groups.length), sliceDf))
    : 0
  const estimate = (/** @type {number} */ df, /** @type {number} */ variance) =>
    ({ half: tQuantile((1 + level) / 2, df) * Math.sqrt(variance), df, variance })
  const between = estimate(own + borrowed, (own * seen + borrowed) / (own + borrowed) / weight)
  const slices = groups.reduce((sum, { length }, g) => sum + weights[g] ** 2 * slice / length, 0) / weight ** 2
  const within = sliceDf > 0 ? estimate(sliceDf, slices * (1 + lag1) / (1 - lag1)) : null
  // A few starts can agree by chance, and a run that stops at a half-width would stop just then.
  const chosen = within && within.half > between.half ? within : between
  return {
    centre,
    ...chosen,
    // The variance within starts is a part of the total, although both are estimates.
    withinHalf: Math.min(chosen.half, within?.half ?? Infinity),
    means
  }
}

/**
 * Computes the degrees of freedom of (between - slices + slice) by Satterthwaite's formula.
 *
 * @param {Others} others
 * @param {number} slice variance of the mean of a start that the blocks of the contrast explain
 * @param {number} sliceDf
 */
function freedomOf ({ between, betweenDf, slices, slicesDf }, slice, sliceDf) {
  if (!(betweenDf > 0) || !(slicesDf > 0) || !(sliceDf > 0)) return 0
  const sum = Math.max(0, between - slices) + slice
  return sum ** 2 / (between ** 2 / betweenDf + slices ** 2 / slicesDf + slice ** 2 / sliceDf)
}

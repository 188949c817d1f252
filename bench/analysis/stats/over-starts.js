/** The interval of a ratio over starts: what another start of the same two arms would show is part of it.
 * docs/statistics.md derives it. In short: each start has a robust mean of its block log-ratios; their variance is what
 * they show themselves (G - 1 degrees of freedom), drawn towards what slices and all other arms' starts let expect (G.
 * K. Smyth (2004), Statistical Applications in Genetics and Molecular Biology 3(1), article 3), the degrees of freedom
 * of that sum by F. E. Satterthwaite (1946), Biometrics Bulletin 2(6), 110-114. */
import { huberMeans } from './huber.js'
import { tQuantile } from './student.js'

/** What other arms say counts at most as so many times the start's own degrees of freedom: with 2 the effect of one
 * outlying start, however far, is at most √3 standard errors, less than any t quantile of 95 % or more. */
export const MOST_BORROWED = 2

/** Starts that differ by more than so many times the variance to be expected borrow nothing: one of them is an outlier,
 * or these arms' starts are not like others'. */
const TOO_FAR = 4

/** @typedef {object} Others what other contrasts' starts show, on the scale of a log-ratio
 * @property {number} between variance of a start's mean
 * @property {number} betweenDf
 * @property {number} slices of which from slices
 * @property {number} slicesDf */

/** @typedef {object} OverStarts
 * @property {number} centre mean log-ratio
 * @property {number} half half-width of its interval
 * @property {number} df degrees of freedom
 * @property {number} withinHalf half-width, were these starts all there is
 * @property {number[]} means of each start
 * @property {number} variance of the mean */

/**
 * @param {readonly (readonly number[])[]} groups block log-ratios of each start: two starts or more, none empty
 * @param {number} level confidence: 0.95
 * @param {Others | null} [others] null: nothing to borrow from
 * @param {number} [lag1] autocorrelation of adjacent blocks, 0 or more, for what is within the starts
 * @returns {OverStarts}
 */
export function overStarts (groups, level, others = null, lag1 = 0) {
  const { means, variance: slice, df: sliceDf } = huberMeans(groups)
  const own = means.length - 1
  const start = others ? Math.max(0, others.between - others.slices) : 0
  const expected = groups.map(({ length }) => start + (slice || 0) / length)
  // Starts of fewer blocks say less, as far as slices are what differs.
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
  // Few starts of two arms alone agree by chance now and then, and a run that stops at a width would stop just then.
  const chosen = within && within.half > between.half ? within : between
  return {
    centre,
    ...chosen,
    // Both are estimates: that of less cannot say more.
    withinHalf: Math.min(chosen.half, within?.half ?? Infinity),
    means
  }
}

/**
 * Satterthwaite: of between - slices + own slices.
 *
 * @param {Others} others
 * @param {number} slice variance of a start's mean by its own slices
 * @param {number} sliceDf
 */
function freedomOf ({ between, betweenDf, slices, slicesDf }, slice, sliceDf) {
  if (!(betweenDf > 0) || !(slicesDf > 0) || !(sliceDf > 0)) return 0
  const sum = Math.max(0, between - slices) + slice
  return sum ** 2 / (between ** 2 / betweenDf + slices ** 2 / slicesDf + slice ** 2 / sliceDf)
}

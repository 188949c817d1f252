/**
 * Interval of a ratio over starts, which includes the variance between starts (docs/statistics.md). Each start has a
 * robust mean of its block log-ratios. The variance of these means (G - 1 degrees of freedom) is shrunk towards the
 * variance that the blocks and the starts of all other arms predict (G. K. Smyth (2004), Statistical Applications in
 * Genetics and Molecular Biology 3(1), article 3). The degrees of freedom of the prediction follow F. E. Satterthwaite
 * (1946), Biometrics Bulletin 2(6), 110-114.
 */
import { tQuantile } from './student.js'
import { median } from './quantile.js'

/**
 * Largest prior degrees of freedom d0, relative to those of the contrast. With 2, a single outlying start changes the
 * result by at most √3 standard errors, which is less than any t quantile of 95 % or more.
 */
const MAX_PRIOR_DF = 2

/**
 * Ratio of observed to predicted variance above which the prediction is not used: a start is an outlier, or the starts
 * of these arms differ from those of others.
 */
export const MAX_VARIANCE_RATIO = 4

/**
 * @typedef {object} Prior variances from the starts of other arms, on the scale of a log-ratio
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
 * Computes the interval. The variances of the means are relative to their predictions, so Smyth's prior variance is 1.
 *
 * @param {readonly (readonly number[])[]} groups block log-ratios of each start: at least two starts, none empty
 * @param {number} level confidence level
 * @param {Prior | null} [prior] null: no other arms
 * @param {number} [lag1] autocorrelation of adjacent blocks, at least 0, for the variance within starts
 * @returns {OverStarts}
 */
export function overStarts (groups, level, prior = null, lag1 = 0) {
  const { means, variance: blockVariance, df: blockDf } = huberMeans(groups)
  const startVariance = prior ? Math.max(0, prior.between - prior.slices) : 0
  const predicted = groups.map(({ length }) => startVariance + (blockVariance || 0) / length)
  // A start with fewer blocks has a smaller weight, as far as the variance comes from blocks.
  const hasPrediction = predicted.every(v => v > 0)
  const weights = predicted.map(v => hasPrediction ? 1 / v : 1)
  const sumOfWeights = weights.reduce((a, b) => a + b, 0)
  const centre = means.reduce((sum, m, g) => sum + weights[g] * m, 0) / sumOfWeights
  // Degrees of freedom dg and variance sg2 of the contrast, and d0 of the prior, in Smyth's notation.
  const dg = means.length - 1
  const sg2 = means.reduce((sum, m, g) => sum + weights[g] * (m - centre) ** 2, 0) / dg
  const d0 = hasPrediction && prior && sg2 <= MAX_VARIANCE_RATIO
    ? Math.min(MAX_PRIOR_DF * dg,
      computeFreedom(prior, blockVariance / (groups.flat().length / groups.length), blockDf))
    : 0
  const estimate = (/** @type {number} */ df, /** @type {number} */ variance) =>
    ({ half: tQuantile((1 + level) / 2, df) * Math.sqrt(variance), df, variance })
  const between = estimate(d0 + dg, (d0 + dg * sg2) / (d0 + dg) / sumOfWeights)
  const ofBlocks = groups.reduce((sum, { length }, g) => sum + weights[g] ** 2 * blockVariance / length, 0) /
    sumOfWeights ** 2
  const within = blockDf > 0 ? estimate(blockDf, ofBlocks * (1 + lag1) / (1 - lag1)) : null
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
 * Computes the degrees of freedom of (between - slices + blocks) by Satterthwaite's formula.
 *
 * @param {Prior} prior
 * @param {number} blocks variance of the mean of a start that the blocks of the contrast explain
 * @param {number} blockDf
 */
function computeFreedom ({ between, betweenDf, slices, slicesDf }, blocks, blockDf) {
  if (!(betweenDf > 0) || !(slicesDf > 0) || !(blockDf > 0)) return 0
  const sum = Math.max(0, between - slices) + blocks
  return sum ** 2 / (between ** 2 / betweenDf + slices ** 2 / slicesDf + blocks ** 2 / blockDf)
}

/**
 * Robust means of groups with a common variance: Huber's M-estimate by modified residuals. A value farther than K
 * scales from the mean of its group is moved to that distance, and the mean is computed again, until it converges (P.
 * J. Huber, Robust Statistics, 1981, sections 7.8 and 6.6). The scale is the median absolute residual of all groups, so
 * that groups of four values are enough.
 */

const K = 1.5 // For normal values the efficiency is 96 % (Huber 1981, table 4.1).
const MAD_OF_NORMAL = 0.6745 // The median absolute deviation of normal values with sd 1.
const MAX_ROUNDS = 20
const CONVERGED = 1e-7 // Change of a log-ratio that ends the iteration. Printed figures have a precision of 1e-3.

/**
 * Computes the robust mean of each group, and the common variance of a value.
 *
 * @param {readonly (readonly number[])[]} groups
 * @returns {{ means: number[], values: number[][], share: number, variance: number, df: number }} means: of each group,
 *   NaN for an empty one; values: with outliers moved; share: of the values that were not moved; variance: of a value,
 *   so that variance / n is that of the mean of n values, NaN without df; df: number of values minus number of groups
 */
export function huberMeans (groups) {
  let means = groups.map(group => group.length > 0 ? median(group) : NaN)
  // The scale is computed once, about the medians. Updating it with the means does not improve the estimate.
  const reach = K * computeScale(groups, means)
  for (let round = 0, change = Infinity; round < MAX_ROUNDS && change > CONVERGED; round++) {
    const nextMeans = groups.map((group, g) => computeClippedMean(group, means[g], reach))
    // The mean of an empty group stays NaN, so its change is 0.
    change = Math.max(0, ...nextMeans.map((next, g) => Math.abs(next - means[g]) || 0))
    means = nextMeans
  }
  const values = groups.map((group, g) => group.map(x => means[g] + clip(x - means[g], reach)))
  const residuals = groups.flatMap((group, g) => group.map(x => x - means[g]))
  const share = residuals.filter(r => Math.abs(r) <= reach).length / residuals.length
  const df = residuals.length - groups.filter(group => group.length > 0).length
  const clippedSquares = residuals.reduce((sum, r) => sum + clip(r, reach) ** 2, 0)
  const variance = df > 0 ? clippedSquares / df * clippedFactor(share, df / residuals.length) : NaN
  return { means, values, share, variance, df }
}

/**
 * Computes the factor by which the mean square of clipped residuals understates the variance of the estimate (Huber
 * 1981, 7.6.7).
 *
 * @param {number} share of the values that were not clipped
 * @param {number} free degrees of freedom per value
 */
export const clippedFactor = (share, free) => ((1 + (1 - free) * (1 - share) / share) / share) ** 2

/**
 * Computes the scale of all residuals. The residuals of a group about its own mean are too small, by the root of the
 * degrees of freedom per value.
 *
 * @param {readonly (readonly number[])[]} groups
 * @param {number[]} means
 */
function computeScale (groups, means) {
  // A group with one value has no residual.
  const usedGroups = groups.filter(group => group.length > 1)
  const absolute = groups.flatMap((group, g) => group.length > 1 ? group.map(x => Math.abs(x - means[g])) : [])
  const dfPerValue = 1 - usedGroups.length / Math.max(1, absolute.length)
  return absolute.length === 0 ? 0 : median(absolute) / MAD_OF_NORMAL / Math.sqrt(dfPerValue)
}

/**
 * Computes the mean of values with outliers moved. A loop, because simulations spend half of their time here.
 *
 * @param {readonly number[]} values
 * @param {number} center
 * @param {number} reach
 * @returns {number} NaN without values
 */
function computeClippedMean (values, center, reach) {
  let sum = 0
  for (const x of values) sum += center + clip(x - center, reach)
  return sum / values.length
}

/**
 * @param {number} x
 * @param {number} reach
 */
const clip = (x, reach) => Math.max(-reach, Math.min(reach, x))

/**
 * @param {readonly number[]} values
 * @returns {number} NaN without values
 */
export const mean = values => values.reduce((sum, x) => sum + x, 0) / values.length

/** @param {number[]} values NaN is ignored */
export const meanOfKnown = values => mean(values.filter(x => !Number.isNaN(x)))

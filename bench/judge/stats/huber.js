/**
 * Robust means of groups with a common variance: Huber's M-estimate by modified residuals. A value farther than K
 * scales from the mean of its group is moved to that distance, and the mean is computed again, until it converges (P.
 * J. Huber, Robust Statistics, 1981, sections 7.8 and 6.6). The scale is the median absolute residual of all groups, so
 * that groups of four values are enough.
 */
import { median } from './quantile.js'

const K = 1.5 // For normal values the efficiency is 96 % (Huber 1981, table 4.1).
const MAD_OF_NORMAL = 0.6745 // The median absolute deviation of normal values with sd 1.
const MOST_ROUNDS = 20
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
  for (let round = 0, change = Infinity; round < MOST_ROUNDS && change > CONVERGED; round++) {
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

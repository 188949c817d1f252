import { normalQuantile } from '../../shared/normal.js'

/**
 * Computes a quantile of type 7 of R. J. Hyndman, Y. Fan (1996), "Sample Quantiles in Statistical Packages", The
 * American Statistician 50(4), 361-365: the default of R, NumPy and spreadsheets. All percentiles of the project use
 * it.
 *
 * @param {ArrayLike<number>} values in any order, at least one
 * @param {number} p 0 for the smallest, 0.5 for the median, 1 for the largest
 * @returns {number} in the unit of the values
 */
export function quantile (values, p) {
  if (values.length === 0) throw new RangeError('no values have no quantile')
  if (!(p >= 0 && p <= 1)) throw new RangeError(`a quantile's share lies between 0 and 1: ${p}`)
  const sorted = new Float64Array(values).sort()
  const position = (sorted.length - 1) * p
  const below = Math.floor(position)
  const above = Math.min(below + 1, sorted.length - 1)
  return sorted[below] + (position - below) * (sorted[above] - sorted[below])
}

/** @param {ArrayLike<number>} values at least one */
export const median = values => quantile(values, 0.5)

const ROUNDING = 1e-12 // 1 - level carries a rounding error: 1 - 0.96875 must equal 2/64.

/**
 * Counts the values of a distribution whose cumulative probability is at most that of a tail.
 *
 * @param {Float64Array} cdf cumulative probabilities, up to 1
 * @param {number} tail below 1
 */
export const countInTail = (cdf, tail) => cdf.findIndex(probability => probability > tail * (1 + ROUNDING))

/**
 * Computes the number of values in a tail by the normal approximation with continuity correction.
 *
 * @param {number} mean of the distribution
 * @param {number} sd
 * @param {number} tail probability
 */
export const countInNormalTail = (mean, sd, tail) => Math.max(0, Math.floor(mean + sd * normalQuantile(tail) + 0.5))

/**
 * Computes an interval that covers the median with at least the level for any distribution: two order statistics, by
 * the binomial distribution of the number of values below the median (H. A. David, H. N. Nagaraja (2003), Order
 * Statistics, 3rd ed., section 7.1).
 *
 * @param {ArrayLike<number>} values independent of each other
 * @param {number} level confidence level
 * @returns {{ low: number, high: number } | null} null: too few values for the level, such as five for 0.95
 */
export function medianInterval (values, level) {
  const n = values.length
  const tail = (1 - level) / 2
  // Logarithm of the probability that k values lie below the median, because 2^-n is 0 as a double beyond n = 1074.
  let logProbability = -n * Math.LN2
  let cumulative = 0
  let k = 0
  while (k <= n) {
    cumulative += Math.exp(logProbability)
    if (cumulative > tail * (1 + ROUNDING)) break
    k++
    logProbability += Math.log((n - k + 1) / k)
  }
  if (k === 0) return null
  const sorted = new Float64Array(values).sort()
  return { low: sorted[k - 1], high: sorted[n - k] }
}

/**
 * Computes an interval of a proportion by E. B. Wilson (1927), "Probable Inference, the Law of Succession, and
 * Statistical Inference", Journal of the American Statistical Association 22(158), 209-212. Unlike the normal
 * approximation, it holds near 0, where most counts of failures are.
 *
 * @param {number} hits
 * @param {number} trials at least 1
 * @returns {{ low: number, high: number }} with a level of 95 %
 */
export function proportionInterval (hits, trials) {
  const squared = Z * Z
  const middle = (hits + squared / 2) / (trials + squared)
  const half = Z / (trials + squared) * Math.sqrt(hits * (trials - hits) / trials + squared / 4)
  return { low: hits === 0 ? 0 : Math.max(0, middle - half), high: hits === trials ? 1 : Math.min(1, middle + half) }
}

/** Standard deviations of the normal distribution for a level of 95 %. */
const Z = 1.959964

/**
 * Widening of intervals for the autocorrelation of blocks. The mean of n values of an AR(1) process has the variance of
 * n (1 - ρ)/(1 + ρ) independent values (G. V. Bayley, J. M. Hammersley (1946), JRSS Suppl. 8, 184-197). With few values
 * ρ is uncertain, so the estimate is shrunk towards a prior. Its upper limit is used, because a run that stops at a
 * narrow interval selects moments at which the noise is underestimated. The constants were chosen by simulation
 * (docs/statistics.md).
 */
/** Weight of the prior, in blocks. */
const PRIOR_BLOCKS = 10
/** Lag-1 of the prior: the strongest autocorrelation at which intervals must keep their level. */
const PRIOR_LAG1 = 0.3
/** Lag-1 of adjacent blocks of one start, measured on a calm and on a noisy machine (docs/method.md). */
export const USUAL_LAG1 = 0.1
/** Distance of the upper limit from the estimate, in standard errors. */
const ERRORS_ABOVE = 1.5
const LARGEST = 0.9 // Above it the formula is an extrapolation: intervals would be more than 4.4 times as wide.

/**
 * Computes the factor by which the distance between an estimate and each end of its interval grows.
 *
 * @param {number} lag1 of the values, not corrected; NaN: unknown
 * @param {number} n number of values
 * @returns {number} at least 1, because a negative lag-1 does not narrow an interval
 */
export const widening = (lag1, n) =>
  computeWidening(Number.isNaN(lag1) ? PRIOR_LAG1 : withoutBias(lag1, n), n, PRIOR_LAG1)

/**
 * Computes the factor from the residuals of all arms: at least three arms, and a number of blocks that does not depend
 * on an interval.
 *
 * @param {readonly (readonly number[])[]} residuals of each arm, in order
 * @returns {number} at least 1
 */
export function pooledWidening (residuals) {
  const usable = residuals.filter(ofArm => ofArm.length > 2)
  const estimates = usable.map(ofArm => withoutBias(lag1(ofArm), ofArm.length))
  const meanEstimate = estimates.reduce((a, b) => a + b, 0) / usable.length || 0
  const n = usable.reduce((sum, ofArm) => sum + ofArm.length, 0)
  // The effects of the blocks are removed from the residuals, which takes one arm's worth of information.
  const independent = n * (usable.length - 1) / usable.length || 0
  return computeWidening(meanEstimate, independent, USUAL_LAG1)
}

/**
 * Computes the factor for the upper limit of the lag-1 after shrinking.
 *
 * @param {number} estimate lag-1 without its bias
 * @param {number} n number of values
 * @param {number} prior lag-1 of the prior
 */
function computeWidening (estimate, n, prior) {
  const weight = n + PRIOR_BLOCKS
  const shrunk = (n * estimate + PRIOR_BLOCKS * prior) / weight
  // The standard error of lag-1 is about 1/sqrt(n) (Bartlett 1946). Shrinking multiplies it by n/weight.
  const error = Math.sqrt(n) / weight
  const upperLimit = Math.min(LARGEST, Math.max(0, shrunk + ERRORS_ABOVE * error))
  return Math.sqrt((1 + upperLimit) / (1 - upperLimit))
}

/**
 * Computes the lag-1 autocorrelation: the sum of (x_i - m)(x_{i+1} - m) over the sum of (x_i - m)² (G. E. P. Box, G. M.
 * Jenkins (1976), Time Series Analysis, section 2.1.5). Its bias is not corrected, because records contain this figure.
 *
 * @param {readonly number[]} values in the order of measurement
 * @returns {number} between -1 and 1; NaN for fewer than three values, 0 for equal values
 */
export function lag1 (values) {
  const n = values.length
  if (n < 3) return NaN
  const mean = values.reduce((sum, x) => sum + x, 0) / n
  let products = 0
  let squares = 0
  for (let i = 0; i < n; i++) {
    squares += (values[i] - mean) ** 2
    if (i > 0) products += (values[i] - mean) * (values[i - 1] - mean)
  }
  return squares === 0 ? 0 : products / squares
}

/**
 * Corrects the bias of lag1() to first order. In n values of an AR(1) process with an estimated mean the bias is -(1 +
 * 4ρ)/n (F. H. C. Marriott, J. A. Pope (1954), Biometrika 41, 390-402; M. G. Kendall (1954), Biometrika 41, 403-404).
 *
 * @param {number} lag1 as computed by lag1()
 * @param {number} n number of values
 * @returns {number} between -1 and 1
 */
export const withoutBias = (lag1, n) => Math.max(-1, Math.min(1, lag1 + (1 + 4 * lag1) / n))

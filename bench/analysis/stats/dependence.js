/** How much wider an interval has to be because blocks are autocorrelated. The mean of n values of an
 * AR(1) process varies as that of n (1 - ρ)/(1 + ρ) independent ones (G. V. Bayley, J. M. Hammersley (1946), JRSS
 * Suppl. 8, 184-197). ρ has to be guessed from the few values at hand, so the estimate is drawn towards a prior, and
 * then read high, since a run that stops when its interval looks narrow picks the moments at which the noise is
 * underestimated. The three numbers were chosen by simulation; docs/statistics.md shows what they buy and cost. */
import { lag1, withoutBias } from './autocorrelation.js'

/** The estimate counts as if this many blocks before the first had shown a lag-1 of PRIOR_LAG1. */
export const PRIOR_BLOCKS = 10
/** The strongest dependence at which the intervals still have to keep their level. */
export const PRIOR_LAG1 = 0.3
/** Of adjacent blocks of one start, as measured on a calm machine and on a noisy one (docs/method.md). */
export const USUAL_LAG1 = 0.1
/** How far above the estimate it is read, in standard errors of the estimate. */
export const ERRORS_ABOVE = 1.5
const LARGEST = 0.9 // Beyond this the formula would be an extrapolation: intervals 4.4 times as wide.

/**
 * The factor on the distance between the estimate and each end of its interval.
 *
 * @param {number} lag1 of the values, not corrected; NaN counts as not known
 * @param {number} n how many values
 * @returns {number} at least 1: a negative lag-1 narrows nothing
 */
export const widening = (lag1, n) => widened(Number.isNaN(lag1) ? PRIOR_LAG1 : withoutBias(lag1, n), n, PRIOR_LAG1)

/** The same from the residuals of all arms, each of which says something of the others: three arms at least, and a
 * number of blocks that no interval has chosen. @param {readonly (readonly number[])[]} residuals of each arm, in order
 * @returns {number} at least 1 */
export function pooledWidening (residuals) {
  const enough = residuals.filter(own => own.length > 2)
  const estimates = enough.map(own => withoutBias(lag1(own), own.length))
  const n = enough.reduce((sum, own) => sum + own.length, 0)
  // The blocks' effects were taken out: of so many arms one is no news.
  const free = n * (enough.length - 1) / enough.length || 0
  return widened(estimates.reduce((a, b) => a + b, 0) / enough.length || 0, free, USUAL_LAG1)
}

/**
 * @param {number} estimate without its bias
 * @param {number} n of how many values
 * @param {number} prior
 */
function widened (estimate, n, prior) {
  const weight = n + PRIOR_BLOCKS
  const drawn = (n * estimate + PRIOR_BLOCKS * prior) / weight
  // The standard error of lag-1 is about 1/sqrt(n) (Bartlett 1946); drawn, it shrinks by n/weight.
  const error = Math.sqrt(n) / weight
  const r = Math.min(LARGEST, Math.max(0, drawn + ERRORS_ABOVE * error))
  return Math.sqrt((1 + r) / (1 - r))
}

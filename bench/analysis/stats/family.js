/** The level of a family of intervals, some of which are correlated in pairs. Bonferroni's inequality charges for two
 * errors that happen together as if they happened apart; here the probability that either happens is computed. */
import { FAMILY_ERROR } from '../../shared/thresholds.js'
import { normalQuantile } from '../../shared/normal.js'

const STEPS = 64 // Steps of Simpson's rule: the integrand is smooth, and 64 give ten digits.
const HALVINGS = 53 // Bisections: as many as a double has digits.

/** The probability that at least one of two two-sided intervals misses its truth, of estimates that are jointly normal.
 * @param {number} error probability with which each of them misses: 0.05
 * @param {number} correlation of the estimates, of either sign
 * @returns {number} from error, where they are one measurement, to 2 error - error², where they are independent
 * Source: R. L. Plackett (1954), "A reduction formula for normal multivariate integrals", Biometrika 41, 351-360: the
 * derivative of P(X > c, Y > c) by the correlation is the density at (c, c); with the sine of an angle for the
 * correlation the integrand is exp(-c²/(1 + sin θ))/2π. */
export function eitherMisses (error, correlation) {
  const c2 = normalQuantile(1 - error / 2) ** 2
  const density = (/** @type {number} */ angle) =>
    Math.exp(-c2 / (1 + Math.sin(angle))) - Math.exp(-c2 / (1 - Math.sin(angle)))
  const step = Math.asin(Math.min(1, Math.abs(correlation))) / STEPS
  let sum = 0
  for (let i = 0; i <= STEPS; i++) sum += (i === 0 || i === STEPS ? 1 : i % 2 === 1 ? 4 : 2) * density(i * step)
  const bothMiss = error ** 2 + sum * step / 3 / Math.PI
  return 2 * error - bothMiss
}

/** The level that all intervals of a family have, so that they all hold with probability 1 - FAMILY_ERROR.
 * @param {number[]} correlations of the two estimates of each pair
 * @param {number} singles how many more intervals there are, each counted in full
 * @returns {number} 0.95 for a family of one */
export function levelOfFamily (correlations, singles) {
  let [low, high] = [0, FAMILY_ERROR]
  for (let i = 0; i < HALVINGS; i++) {
    const error = (low + high) / 2
    const all = correlations.reduce((sum, correlation) => sum + eitherMisses(error, correlation), singles * error)
    if (all > FAMILY_ERROR) high = error
    else low = error
  }
  return 1 - low
}

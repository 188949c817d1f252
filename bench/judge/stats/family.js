/**
 * Level of a family of intervals, some of which are correlated in pairs. Bonferroni's inequality counts two errors that
 * occur together twice. Here the probability that at least one of the two occurs is computed.
 */
import { FAMILY_ERROR } from '../../shared/thresholds.js'
import { normalQuantile } from '../../shared/normal.js'

const STEPS = 64 // Steps of Simpson's rule. The integrand is smooth, so that 64 give ten digits.
const HALVINGS = 53 // Bisections: the number of binary digits of a double.

/**
 * Computes the probability that at least one of two two-sided intervals misses its true value, for jointly normal
 * estimates. The derivative of P(X > c, Y > c) by the correlation is the density at (c, c). With the sine of an angle
 * as the correlation, the integrand is exp(-c²/(1 + sin θ))/2π (R. L. Plackett (1954), "A reduction formula for normal
 * multivariate integrals", Biometrika 41, 351-360).
 *
 * @param {number} error probability that one interval misses, such as 0.05
 * @param {number} correlation of the estimates, of either sign
 * @returns {number} from error, for identical estimates, to 2 error - error², for independent ones
 */
function eitherMisses (error, correlation) {
  const cSquared = normalQuantile(1 - error / 2) ** 2
  // Correlation makes misses on the same side more frequent, and misses on opposite sides less frequent.
  const integrand = (/** @type {number} */ angle) =>
    Math.exp(-cSquared / (1 + Math.sin(angle))) - Math.exp(-cSquared / (1 - Math.sin(angle)))
  const step = Math.asin(Math.min(1, Math.abs(correlation))) / STEPS
  let sum = 0
  for (let i = 0; i <= STEPS; i++) {
    const innerWeight = i % 2 === 1 ? 4 : 2
    const simpsonWeight = i === 0 || i === STEPS ? 1 : innerWeight
    sum += simpsonWeight * integrand(i * step)
  }
  const integral = sum * step / 3
  const bothMiss = error ** 2 + integral / Math.PI
  return 2 * error - bothMiss
}

/**
 * Computes the common level of all intervals of a family, so that all of them hold with a probability of at least
 * 1 - FAMILY_ERROR.
 *
 * @param {number[]} correlations of the two estimates of each pair
 * @param {number} singles number of further intervals
 * @returns {number} 0.95 for a family of one
 */
export function levelOfFamily (correlations, singles) {
  let [low, high] = [0, FAMILY_ERROR]
  for (let i = 0; i < HALVINGS; i++) {
    const error = (low + high) / 2
    const familyError = correlations
      .reduce((sum, correlation) => sum + eitherMisses(error, correlation), singles * error)
    if (familyError > FAMILY_ERROR) high = error
    else low = error
  }
  return 1 - low
}

/**
 * Share of the error of a final look that an interim look may have. A level of 0.999 at interim looks leaves the error
 * of the final look at 0.05 almost unchanged (J. L. Haybittle (1971), British Journal of Radiology 44, 793-797; R. Peto
 * et al. (1976), British Journal of Cancer 34, 585-612).
 */
const INTERIM_SHARE = 1 / 50

/** Returns the level of an interim look, which may end a run early. @param {number} level of the final look */
export const toInterimLevel = level => 1 - (1 - level) * INTERIM_SHARE

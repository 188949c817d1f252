/** Student's t distribution, for any degrees of freedom above 0, and the beta distribution. */
import { normalQuantile } from '../../shared/normal.js'

/**
 * @param {number} p probability, between 0 and 1
 * @param {number} df degrees of freedom, above 0; Infinity: the normal distribution
 * @returns {number} t with P(T <= t) = p, to about 1e-10
 */
export function tQuantile (p, df) {
  if (!(df > 0)) throw new RangeError(`degrees of freedom are above 0: ${df}`)
  if (df > 1e7) return normalQuantile(p)
  if (p === 0.5) return 0
  if (p < 0.5) return -tQuantile(1 - p, df)
  if (p === 1) return Infinity
  let high = 1
  while (upperTail(high, df) > 1 - p) high *= 2
  return bisect(0, high, t => upperTail(t, df) <= 1 - p)
}

/**
 * Finds the value from which on a condition holds.
 *
 * @param {number} from value at which the condition does not hold
 * @param {number} to value at which it holds
 * @param {(value: number) => boolean} holds
 */
function bisect (from, to, holds) {
  let [low, high] = [from, to]
  for (let i = 0; i < 200 && high - low > 1e-13 * high; i++) {
    const middle = (low + high) / 2
    if (holds(middle)) high = middle
    else low = middle
  }
  return (low + high) / 2
}

/**
 * Computes P(T > t): half an incomplete beta function (Abramowitz and Stegun, 26.7.1).
 *
 * @param {number} t at least 0
 * @param {number} df degrees of freedom, above 0
 */
export const upperTail = (t, df) => incompleteBeta(df / (df + t * t), df / 2, 0.5) / 2

/**
 * @param {number} p probability, between 0 and 1
 * @param {number} a above 0
 * @param {number} b above 0
 * @returns {number} x with P(X <= x) = p for a beta distribution
 */
export const betaQuantile = (p, a, b) => bisect(0, 1, x => incompleteBeta(x, a, b) >= p)

/**
 * Computes I_x(a, b) by its continued fraction and the method of W. J. Lentz (W. H. Press et al., Numerical Recipes,
 * 3rd ed., 2007, section 6.4).
 *
 * @param {number} x
 * @param {number} a
 * @param {number} b
 * @returns {number}
 */
function incompleteBeta (x, a, b) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a)
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a
  let c = 1
  let d = 1 / (1 - (a + b) * x / (a + 1))
  let fraction = d
  for (let m = 1; m < 500; m++) {
    const even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / (1 + even * d)
    c = 1 + even / c
    fraction *= c * d
    const odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / (1 + odd * d)
    c = 1 + odd / c
    fraction *= c * d
    if (Math.abs(c * d - 1) < 1e-15) break
  }
  return front * fraction
}

/**
 * Computes the logarithm of the gamma function by the method of C. Lanczos (1964), with the nine coefficients of P.
 * Godfrey.
 *
 * @param {number} x above 0
 * @returns {number}
 */
function logGamma (x) {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x)
  const sum = LANCZOS.reduce((sum, c, i) => sum + (i === 0 ? c : c / (x - 1 + i)), 0)
  const t = x + 6.5
  return Math.log(Math.sqrt(2 * Math.PI) * sum) + (x - 0.5) * Math.log(t) - t
}
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7
]

/**
 * Hodges-Lehmann estimate of the shift between two independent samples, with the exact interval of the
 * Wilcoxon-Mann-Whitney test. Sources: H. B. Mann, D. R. Whitney (1947), Annals of Mathematical Statistics 18(1),
 * 50-60, with the recursion for the distribution of U; the interval by inversion of the test: M. Hollander, D. A.
 * Wolfe, E. Chicken (2014), Nonparametric Statistical Methods, 3rd ed., sections 4.1 to 4.3.
 */
import { countInNormalTail, countInTail, median } from './quantile.js'

/** Most values of both samples for the exact distribution. Its counts exceed the largest double beyond 1,020. */
const EXACT_UP_TO = 400

/**
 * Computes P(U <= u) for u = 0 … mn. U is the number of the mn pairs whose first value is larger, when both samples
 * come from one distribution.
 *
 * @param {number} m
 * @param {number} n
 * @returns {Float64Array}
 */
function rankSumCdf (m, n) {
  // Number of orders of the values by U: the coefficients of the Gaussian binomial (m+n over m).
  const orders = new Float64Array(m * n + 1)
  orders[0] = 1
  // Each step multiplies the polynomial by 1 - x^(n+i) and divides it by 1 - x^i.
  for (let i = 1; i <= m; i++) {
    for (let u = orders.length - 1; u >= n + i; u--) orders[u] -= orders[u - n - i]
    for (let u = i; u < orders.length; u++) orders[u] += orders[u - i]
  }
  const total = orders.reduce((sum, count) => sum + count, 0)
  let sum = 0
  return orders.map(count => { sum += count; return sum / total })
}

/**
 * Returns the position, counted from either end of the sorted differences, of the difference that bounds the interval.
 *
 * @param {number} m
 * @param {number} n
 * @param {number} level confidence level
 * @returns {number | null} the largest k with P(U <= k - 1) <= (1 - level)/2; null: too few values
 */
function rankSumDepth (m, n, level) {
  if (!(level > 0 && level < 1)) throw new RangeError(`a confidence level lies between 0 and 1: ${level}`)
  const tail = (1 - level) / 2
  const sd = Math.sqrt(m * n * (m + n + 1) / 12)
  const k = m + n <= EXACT_UP_TO ? countInTail(rankSumCdf(m, n), tail) : countInNormalTail(m * n / 2, sd, tail)
  return k === 0 ? null : k
}

/**
 * Computes the shift from the first to the second sample.
 *
 * @param {number[]} first at least one value
 * @param {number[]} second at least one value
 * @param {number} level confidence level
 * @returns {{ shift: number, low: number | null, high: number | null }} null: too few values for the level
 */
export function shiftBetween (first, second, level) {
  const differences = Float64Array.from({ length: first.length * second.length },
    (_, i) => second[i % second.length] - first[Math.floor(i / second.length)]).sort()
  const k = rankSumDepth(first.length, second.length, level)
  return {
    shift: median([...differences]),
    low: k === null ? null : differences[k - 1],
    high: k === null ? null : differences[differences.length - k]
  }
}

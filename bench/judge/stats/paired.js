/** Ratio of two arms from their block log-ratios, with its interval. */
import { lag1, widening } from './dependence.js'
import { countInNormalTail, countInTail } from './quantile.js'

/**
 * @typedef {object} Paired
 * @property {number} ratio 1.2: the rate of the arm is 20 % higher than that of its baseline; NaN without a block
 * @property {number} low lower end of the interval; 0 with too few blocks for the level
 * @property {number} high upper end; Infinity with too few blocks
 * @property {number} blocks number of log-ratios
 * @property {number} pooled number of independent blocks with the same information, rounded down
 * @property {number} lag1 autocorrelation of adjacent log-ratios, as measured; NaN below three
 */

/**
 * Computes the Hodges-Lehmann estimate and its signed-rank interval, widened for autocorrelation.
 *
 * @param {readonly number[]} logRatios natural logarithms of arm/baseline, in the order of the blocks
 * @param {number} level confidence level
 * @param {number} [wider] factor of the widening; left out: from these log-ratios
 * @returns {Paired}
 */
export function pairedRatio (logRatios, level, wider) {
  const blocks = logRatios.length
  const correlation = lag1(logRatios)
  if (blocks === 0) return { ratio: NaN, low: NaN, high: NaN, blocks, pooled: 0, lag1: correlation }
  const factor = wider ?? widening(correlation, blocks)
  const centre = hodgesLehmann(logRatios)
  const interval = signedRankInterval(logRatios, level) ?? { low: -Infinity, high: Infinity }
  return {
    ratio: Math.exp(centre),
    low: Math.exp(centre + factor * (interval.low - centre)),
    high: Math.exp(centre + factor * (interval.high - centre)),
    blocks,
    pooled: Math.floor(blocks / factor ** 2),
    lag1: correlation
  }
}

/**
 * Returns half the width of an interval, as a share of the ratio.
 *
 * @param {{ low: number, high: number }} interval
 * @returns {number} 0.02 for ±2 %; NaN or Infinity without an interval
 */
export const halfWidth = ({ low, high }) => Math.exp((Math.log(high) - Math.log(low)) / 2) - 1

/**
 * Returns the log-ratio of two arms in each block that both have, in the order of the blocks. Blocks are the unit of
 * analysis, because adjacent requests or seconds are correlated.
 *
 * @param {ReadonlyMap<number, number>} arm rates of valid trials by block
 * @param {ReadonlyMap<number, number>} baseline
 * @param {ReadonlyMap<number, number>} [startOf] start of each block; a block that is missing belongs to start 0
 * @returns {{ block: number, start: number, logRatio: number }[]}
 */
export const computeBlockRatios = (arm, baseline, startOf = new Map()) => [...arm.keys()]
  .filter(block => baseline.has(block)).sort((a, b) => a - b)
  .map(block => ({
    block,
    start: startOf.get(block) ?? 0,
    logRatio: Math.log(Number(arm.get(block)) / Number(baseline.get(block)))
  }))

/**
 * @param {ReadonlyMap<number, number>} arm
 * @param {ReadonlyMap<number, number>} baseline
 * @returns {number[]}
 */
export const blockLogRatios = (arm, baseline) => computeBlockRatios(arm, baseline).map(({ logRatio }) => logRatio)

/**
 * Wilcoxon's signed-rank statistic and the Hodges-Lehmann estimate: the centre of paired differences, robust to
 * outliers, with an exact interval. Sources: F. Wilcoxon (1945), Biometrics Bulletin 1(6), 80-83; J. L. Hodges and E.
 * L. Lehmann (1963), Annals of Mathematical Statistics 34(2), 598-611; the interval by inversion of the test: M.
 * Hollander, D. A. Wolfe, E. Chicken (2014), Nonparametric Statistical Methods, 3rd ed., sections 3.1 to 3.3.
 */

/**
 * Largest n for the exact distribution. Beyond it, the normal approximation differs by fewer than ten of 45,150
 * averages.
 */
const EXACT_UP_TO = 300

/** Positions by n and level, computed once. @type {Map<string, number>} */
const ranks = new Map()

/**
 * Computes P(W <= w) for w = 0 … n(n+1)/2. W is the sum of the ranks with a positive sign, when both signs are equally
 * likely. Probabilities do not overflow, whereas counts exceed 2^53 at n = 54.
 *
 * @param {number} n
 * @returns {Float64Array}
 */
function signedRankCdf (n) {
  const mass = new Float64Array(walshCount(n) + 1)
  mass[0] = 1
  let top = 0
  for (let rank = 1; rank <= n; rank++) {
    top += rank
    // In falling order, so that mass[w - rank] is still the value without this rank.
    for (let w = top; w >= 0; w--) mass[w] = (mass[w] + (w >= rank ? mass[w - rank] : 0)) / 2
  }
  for (let w = 1; w < mass.length; w++) mass[w] += mass[w - 1]
  return mass
}

/**
 * Returns the position of the Walsh average, counted from either end, that bounds the interval.
 *
 * @param {number} n
 * @param {number} level confidence level
 * @returns {number | null} the largest k with P(W <= k - 1) <= (1 - level)/2; null: n is too small for the level
 */
function signedRankDepth (n, level) {
  if (!(level > 0 && level < 1)) throw new RangeError(`a confidence level lies between 0 and 1: ${level}`)
  const key = `${n} ${level}`
  let k = ranks.get(key)
  if (k === undefined) {
    const tail = (1 - level) / 2
    const sd = Math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    k = n <= EXACT_UP_TO ? countInTail(signedRankCdf(n), tail) : countInNormalTail(n * (n + 1) / 4, sd, tail)
    ranks.set(key, k)
  }
  return k === 0 ? null : k
}

/**
 * Computes the median of the Walsh averages, which estimates the centre of a symmetric distribution.
 *
 * @param {ArrayLike<number>} values at least one
 * @returns {number} in the unit of the values
 */
export function hodgesLehmann (values) {
  const sorted = Float64Array.from(values).sort()
  const count = walshCount(sorted.length)
  const lower = walshAverage(sorted, Math.floor((count + 1) / 2))
  return count % 2 === 1 ? lower : (lower + walshAverage(sorted, count / 2 + 1)) / 2
}

/**
 * Computes an interval around hodgesLehmann() that covers the centre with at least the level, for independent values of
 * a symmetric distribution. Equal values only make it wider.
 *
 * @param {ArrayLike<number>} values
 * @param {number} level confidence level
 * @returns {{ low: number, high: number } | null} null: too few values for the level
 */
export function signedRankInterval (values, level) {
  const k = signedRankDepth(values.length, level)
  if (k === null) return null
  const sorted = Float64Array.from(values).sort()
  return { low: walshAverage(sorted, k), high: walshAverage(sorted, walshCount(sorted.length) + 1 - k) }
}

/**
 * @param {number} n number of values
 * @returns {number} number of Walsh averages
 */
const walshCount = n => n * (n + 1) / 2

/**
 * @param {ArrayLike<number>} sorted ascending
 * @param {number} k 1 for the smallest, n(n+1)/2 for the largest
 * @returns {number} the k-th smallest Walsh average, exactly
 */
function walshAverage (sorted, k) {
  const n = sorted.length
  if (!(k >= 1 && k <= walshCount(n))) throw new RangeError(`${n} values have no Walsh average number ${k}`)
  let low = sorted[0]
  let high = sorted[n - 1]
  if (countAtMost(sorted, low) >= k) return low
  // Holds: fewer than k averages are at most low, and at least k are at most high.
  while (true) {
    const middle = (low + high) / 2
    if (middle <= low || middle >= high) return high
    if (countAtMost(sorted, middle) >= k) high = middle
    else low = middle
  }
}

/**
 * Counts the Walsh averages up to a limit.
 *
 * @param {ArrayLike<number>} sorted
 * @param {number} limit
 */
function countAtMost (sorted, limit) {
  let count = 0
  let j = sorted.length - 1
  // The last x_j of a pair moves down as x_i grows, so one pass over both is enough.
  for (let i = 0; i <= j; i++) {
    while (j >= i && (sorted[i] + sorted[j]) / 2 > limit) j--
    count += j - i + 1
  }
  return count
}

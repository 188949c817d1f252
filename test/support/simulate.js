/**
 * Simulates runs: block log-ratios with a known truth, evaluated with the product's intervals, stopping rule and
 * verdicts. Seeded, so that the results are the same each time.
 */
import { randomFrom } from '../../bench/shared/random.js'
import { lag1 } from '../../bench/judge/stats/dependence.js'
import { halfWidth, hodgesLehmann, pairedRatio, signedRankInterval } from '../../bench/judge/stats/paired.js'
import { judgeInterval } from '../../bench/judge/verdict.js'

const SEED = 20240607
/** Fewest blocks of a run with adjusted intervals, as in bench/plan/plan.js. */
const MIN_BLOCKS = 12
/** Drift of a ratio from the first block to the last one within the budget, in sd. */
const DRIFT = 1

/** @typedef {() => number} Random */
/** @typedef {(n: number, random: Random) => number[]} Noise n values with mean 0 and, but for trends, sd 1 */

/**
 * @param {...(string | number)} stream
 * @returns {Random} uniform in [0, 1)
 */
export const seriesOf = (...stream) => randomFrom(SEED, ...stream)

/**
 * Box and Muller (1958).
 * @param {Random} random
 * @returns {number} standard normal
 */
export const normal = random => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

/**
 * @param {number} rho
 * @returns {Noise} first-order autoregressive, stationary from the first value
 */
export const autoregressive = rho => (n, random) => {
  const values = []
  let value = normal(random)
  for (let i = 0; i < n; i++) {
    values.push(value)
    value = rho * value + Math.sqrt(1 - rho * rho) * normal(random)
  }
  return values
}

/**
 * Makes white noise on a linear trend.
 * @param {number} total from the first value to the last, in sd
 * @returns {Noise}
 */
const drifting = total => (n, random) => {
  const noise = autoregressive(0)(n, random)
  return noise.map((x, i) => x + total * (i / (n - 1) - 0.5))
}

/**
 * Draws from Student's t with 3 degrees of freedom, scaled to sd 1, which has heavy tails.
 * @type {Noise}
 */
const heavyTailed = (n, random) => Array.from({ length: n }, () => {
  const chiSquared = normal(random) ** 2 + normal(random) ** 2 + normal(random) ** 2
  return normal(random) / Math.sqrt(chiSquared)
})

/**
 * Noise of the log-ratio of a pair between blocks.
 * @type {Record<string, Noise>}
 */
export const noises = {
  white: autoregressive(0),
  'AR(1), 0.3': autoregressive(0.3),
  'drift of 1 sd': drifting(DRIFT),
  'AR(1), 0.2': autoregressive(0.2),
  'AR(1), 0.5': autoregressive(0.5),
  'heavy tails': heavyTailed
}

/**
 * @typedef {(logRatios: number[], level: number) => { ratio: number, low: number, high: number }} Method
 * computes an interval: pairedRatio, or an alternative
 */

/**
 * Computes the coverage and the width of an interval of a fixed number of blocks, and how often equal arms get the
 * verdict faster or slower.
 * @param {{ noise: string, n: number, level?: number, rounds: number, sd?: number, method?: Method }} setting
 * @returns {{ covered: number, decided: number, width: number }} shares of the rounds; mean
 *   half-width as a share
 */
export function coverageOf ({ noise, n, level = 0.95, rounds, sd = 0.05, method = pairedRatio }) {
  const random = seriesOf('coverage', noise, n)
  let covered = 0
  let decided = 0
  let width = 0
  for (let round = 0; round < rounds; round++) {
    const interval = method(noises[noise](n, random).map(x => x * sd), level)
    if (interval.low <= 1 && interval.high >= 1) covered++
    if (['faster', 'slower'].includes(judgeInterval(interval).verdict)) decided++
    width += halfWidth(interval)
  }
  return { covered: covered / rounds, decided: decided / rounds, width: width / rounds }
}

/**
 * Simulates runs of one contrast that end by the stopping rule: from the twelfth block on, a run ends when its interval
 * is narrow enough.
 * @param {object} setting
 * @param {string} setting.noise
 * @param {number} setting.sd sd of the block log-ratio: 0.05 for 5 %
 * @param {number} [setting.truth] the true ratio
 * @param {number} setting.rounds
 * @param {number} [setting.precision] half-width to reach, as a share
 * @param {number} [setting.maxBlocks] a time budget, in blocks
 * @param {Method} [setting.method]
 * @returns {{ verdicts: Record<string, number>, covered: number, blocks: number }} shares of the
 *   rounds by verdict and of intervals that hold the truth; mean number of blocks
 */
export function stoppedOf ({ noise, sd, truth = 1, rounds, precision = 0.02, maxBlocks = 150, method = pairedRatio }) {
  const random = seriesOf('stopped', noise, sd, truth)
  /** @type {Record<string, number>} */
  const verdicts = { faster: 0, slower: 0, 'no-difference': 0, inconclusive: 0 }
  let covered = 0
  let blocks = 0
  for (let round = 0; round < rounds; round++) {
    const logRatios = noises[noise](maxBlocks, random).map(x => Math.log(truth) + x * sd)
    let n = MIN_BLOCKS
    let interval = method(logRatios.slice(0, n), 0.95)
    while (n < maxBlocks && halfWidth(interval) > precision) interval = method(logRatios.slice(0, ++n), 0.95)
    verdicts[judgeInterval(interval).verdict] += 1 / rounds
    // The truth of a drifting ratio is its mean over the measured blocks.
    const mean = Math.exp(Math.log(truth) + sd * trendOf(noise, n, maxBlocks))
    if (interval.low <= mean && interval.high >= mean) covered++
    blocks += n / rounds
  }
  return { verdicts, covered: covered / rounds, blocks }
}

/**
 * Computes the mean of the trend over the first n of all blocks.
 * @param {string} noise
 * @param {number} n
 * @param {number} all
 */
const trendOf = (noise, n, all) => noise === 'drift of 1 sd' ? DRIFT * ((n - 1) / 2 / (all - 1) - 0.5) : 0

/**
 * The product's intervals, and others to compare them with.
 * @type {Record<string, Method>}
 */
export const methods = {
  'as it is': pairedRatio,
  /** no allowance for dependence */
  plain: (logRatios, level) => around(logRatios, level),
  /** pairs of neighbours are averaged when the measured lag-1 is above 0.15 */
  'pooled above 0.15': (logRatios, level) => around(lag1(logRatios) > 0.15 ? pairwise(logRatios) : logRatios, level)
}

/** @type {Method} */
function around (values, level) {
  const { low, high } = signedRankInterval(values, level) ?? { low: -Infinity, high: Infinity }
  return { ratio: Math.exp(hodgesLehmann(values)), low: Math.exp(low), high: Math.exp(high) }
}

/** @param {number[]} values */
const pairwise = values =>
  Array.from({ length: Math.floor(values.length / 2) }, (_, i) => (values[2 * i] + values[2 * i + 1]) / 2)

/**
 * Computes the table of docs/statistics.md.
 * @param {{ rounds: number }} options
 */
export function coverageTable ({ rounds }) {
  return Object.keys(methods).flatMap(name =>
    Object.keys(noises).map(noise => ({
      method: name,
      noise,
      fixed: [6, 12, 20, 60].map(n => ({ n, ...coverageOf({ noise, n, rounds, method: methods[name] }) })),
      adjusted: [12, 20, 60].map(n => ({
        n,
        ...coverageOf({ noise, n, rounds, level: 1 - 0.05 / 6, method: methods[name] })
      })
      ),
      stopped: [0.03, 0.05, 0.08].map(sd => ({ sd, ...stoppedOf({ noise, sd, rounds, method: methods[name] }) }))
    }))
  )
}

/** Ratio of two arms from their block log-ratios, with its interval. */
import { lag1 } from './autocorrelation.js'
import { widening } from './dependence.js'
import { hodgesLehmann, signedRankInterval } from './signed-rank.js'

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

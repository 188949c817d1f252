/** Rate and CPU time per unit of each arm of a run, in the evaluated blocks (pure). */
import { computeDrift, computeSquares } from '../drift.js'
import { computeInterval, createEstimators } from './run-estimate.js'
import { blockLogRatios, computeBlockRatios, pairedRatio } from '../stats/paired.js'
import { selectBlocks } from '../starts.js'
import { smallestSampleFor } from '../../plan/sample-size.js'
import { LEVEL } from '../../shared/thresholds.js'

/** @import { RunRecord, Sample } from '../../types.js' */
/** @import { Rates } from '../starts.js' */

/**
 * Number of starts; rates in units per second; costs in CPU seconds of proxy and server per unit.
 *
 * @typedef {{ starts: number } & Record<'rate' | 'cost', ReturnType<typeof createMetric>>} RunMetrics
 */

/**
 * Returns the figures of each arm in the evaluated blocks.
 *
 * @param {{ record: Pick<RunRecord, 'plan'>, samples: Sample[] }} run
 * @returns {RunMetrics}
 */
export function computeMetrics ({ record: { plan }, samples }) {
  const { byArm, startOf } = selectBlocks(plan, samples)
  /** @type {typeof byArm} */
  const costs = new Map([...byArm.keys()].map(arm => [arm, new Map()]))
  for (const { arm, block, requests, cpuSeconds: { proxy, server } } of samples) {
    if (byArm.get(arm)?.has(block) && requests > 0) costs.get(arm)?.set(block, (proxy + server) / requests)
  }
  const starts = new Set([...byArm.values()].flatMap(blocks => [...blocks.keys()].map(block => startOf.get(block))))
  return { starts: starts.size, rate: createMetric(byArm, startOf), cost: createMetric(costs, startOf) }
}

/**
 * Returns functions that compute with a figure.
 *
 * @param {Rates} byArm the figure of each arm by block
 * @param {Map<number, number>} startOf
 */
export function createMetric (byArm, startOf) {
  const above = new Map([...byArm].map(([arm, blocks]) => [arm, new Map([...blocks].filter(([, value]) => value > 0))]))
  const of = (/** @type {string} */ arm) => above.get(arm) ?? new Map()
  return {
    logs: (/** @type {string} */ arm) => [...of(arm).values()].map(Math.log),
    ratios: (/** @type {[string, string]} */ [arm, baseline]) => blockLogRatios(of(arm), of(baseline)),
    drift: (/** @type {[string, string]} */ [arm, baseline]) =>
      computeDrift(computeBlockRatios(of(arm), of(baseline), startOf)),
    overStarts: createEstimators(above, startOf)
  }
}

/**
 * Returns the ratio of a pair within a run: over starts, or within the only one.
 *
 * @param {ReturnType<typeof createMetric>} figure
 * @param {[string, string]} pair
 * @param {{ starts: number, level: number }} options
 */
export function estimatePair (figure, pair, { starts, level }) {
  const { ratio, low, high } = starts > 1
    ? computeInterval(figure.overStarts.pair(...pair), level)
    : pairedRatio(figure.ratios(pair), level)
  return { ratio, low, high }
}

/**
 * Returns the correlation between the rate and the CPU time per unit of a pair. If the served side is saturated, the
 * rate is about the number of cores ÷ the CPU time, so that both intervals miss together.
 *
 * @param {[string, string]} pair arm and baseline
 * @param {RunMetrics[]} runs
 * @returns {number} absolute value, the smaller of both runs; 0: unknown, or of different signs
 */
export function computeCommonCorrelation (pair, runs) {
  const found = runs.map(({ rate, cost }) => {
    const [rates, costs] = [rate, cost].map(figures => figures.ratios(pair))
    // In a few blocks any two figures can be correlated.
    return rates.length < smallestSampleFor(LEVEL) ? 0 : rankCorrelation(rates, costs) || 0
  })
  return found.every(value => value < 0) || found.every(value => value > 0) ? Math.min(...found.map(Math.abs)) : 0
}

/**
 * Computes Pearson's coefficient of correlation.
 *
 * @param {readonly number[]} x
 * @param {readonly number[]} y of the same length
 * @returns {number} between -1 and 1; NaN if x or y is constant, or for fewer than three values
 */
function correlation (x, y) {
  if (x.length !== y.length || x.length < 3) return NaN
  const { xx, xy, yy } = computeSquares(x.map((value, i) => ({ x: value, y: y[i] })))
  return xy / Math.sqrt(xx * yy)
}

/**
 * Computes Spearman's coefficient of correlation, which outliers do not affect. It is also the correlation of the
 * rank-sum statistics of two figures measured together (M. L. Puri, P. K. Sen, Nonparametric Methods in Multivariate
 * Analysis, 1971, chapter 5).
 *
 * @param {readonly number[]} x
 * @param {readonly number[]} y of the same length
 * @returns {number} as correlation()
 */
export const rankCorrelation = (x, y) => correlation(ranks(x), ranks(y))

/** Returns the rank of each value. Equal values have the mean of their ranks. @param {readonly number[]} values */
function ranks (values) {
  const sorted = [...values].sort((a, b) => a - b)
  return values.map(value => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2)
}

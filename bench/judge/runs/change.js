/** Change of a figure between two runs, and its verdict (pure). */
import { subtractEstimates, computeInterval } from './run-estimate.js'
import { lag1, widening } from '../stats/dependence.js'
import { shiftBetween } from '../stats/rank-sum.js'
import { toVerdict, widenUnboundedEnd } from '../verdict.js'
import { powerFactor } from '../../plan/sample-size.js'

/** @import { Change, ChangeWhy, RatioInterval } from '../../types.js' */
/** @import { RunEstimate } from './run-estimate.js' */
/** @import { RatioBound } from '../verdict.js' */

/** @typedef {Pick<Change, 'level' | 'margin' | 'worse'>} ChangeOptions */

/** @type {ChangeWhy} */
const NOTHING_VALID = { code: 'nothing-valid', params: {} }

/**
 * Returns a change without a ratio: invalid if a figure was not measured, inconclusive if the figures are not
 * comparable.
 *
 * @type {(options: ChangeOptions, verdict: 'invalid' | 'inconclusive', why: ChangeWhy) => Change}
 */
export const noChange = ({ level, margin, worse }, verdict, why) => ({
  ratio: null,
  low: null,
  high: null,
  level,
  margin,
  worse,
  verdict,
  why,
  sees: null
})

/**
 * Computes the Hodges-Lehmann shift between two samples of logarithms, with the interval of the rank-sum test, widened
 * for autocorrelation.
 *
 * @param {number[]} before natural logarithms, in the order of measurement
 * @param {number[]} after
 * @param {ChangeOptions} options
 * @returns {Change}
 */
export function changeBetween (before, after, options) {
  if (before.length === 0 || after.length === 0) return noChange(options, 'invalid', NOTHING_VALID)
  const { shift, low, high } = shiftBetween(before, after, options.level)
  const wider = Math.max(widening(lag1(before), before.length), widening(lag1(after), after.length))
  return judgeRatio({
    ratio: Math.exp(shift),
    low: low === null ? null : Math.exp(shift - (shift - low) * wider),
    high: high === null ? null : Math.exp(shift + (high - shift) * wider)
  }, options)
}

/**
 * Computes the change between two runs with starts, whose interval includes the variance between starts.
 *
 * @param {RunEstimate} before
 * @param {RunEstimate} after
 * @param {ChangeOptions} options
 * @returns {Change}
 */
export function changeOverStarts (before, after, options) {
  if (before.starts === 0 || after.starts === 0) return noChange(options, 'invalid', NOTHING_VALID)
  return judgeRatio(withKnownEnds(computeInterval(subtractEstimates(before, after), options.level)), options)
}

/**
 * Returns a ratio with its interval. If either end is unknown, both are null.
 *
 * @param {RatioInterval} interval
 */
export const withKnownEnds = ({ ratio, low, high }) =>
  low > 0 && high < Infinity ? { ratio, low, high } : { ratio, low: null, high: null }

/**
 * Returns the verdict of a ratio and what the interval can detect.
 *
 * @param {{ ratio: number, low: number | null, high: number | null }} estimate
 * @param {ChangeOptions} options
 * @returns {Change}
 */
export const judgeRatio = (estimate, { level, margin, worse }) => ({
  ...estimate,
  level,
  margin,
  worse,
  verdict: toVerdict(estimate, { margin, beyond: margin, worse }),
  why: null,
  sees: computeDetectable(estimate, { level, margin, worse })
})

/**
 * Judges a ratio of rates, some of which are lower bounds, because the load generator or the link was the bottleneck.
 * An arm that was not saturated is no lower bound here: both figures have the same load, so that a rate that fell
 * because responses take longer is a slowdown.
 *
 * @param {{ ratio: number, low: number | null, high: number | null }} estimate
 * @param {{ side: RatioBound['side'] | null, arm: string | undefined }} bound arm: the arm whose rate is a lower bound
 * @param {ChangeOptions} options
 * @returns {Change} why: reason if the bound does not decide
 */
export function judgeBounded (estimate, { side, arm }, options) {
  if (side === null) return judgeRatio(estimate, options)
  const { low, high } = widenUnboundedEnd({ low: estimate.low ?? 0, high: estimate.high ?? Infinity }, side)
  const change = judgeRatio({
    ...estimate, low: low > 0 ? low : null, high: Number.isFinite(high) ? high : null
  }, options)
  // An upper bound detects slowdowns as well as the ratio itself.
  if (side === 'at-most') change.sees = computeDetectable(estimate, options)
  return change.verdict === 'inconclusive' ? { ...change, why: { code: 'load-bound', params: { arm } } } : change
}

/**
 * Computes the smallest detectable deterioration. If the change is as large as the margin plus the half-width, the
 * interval is beyond the margin in half of all runs; the power factor raises this to 80 %.
 *
 * @param {{ low: number | null, high: number | null }} interval
 * @param {ChangeOptions} options
 */
function computeDetectable ({ low, high }, { level, margin, worse }) {
  if (low === null || high === null || low <= 0) return null
  const factor = Math.exp(Math.log1p(margin) + Math.log(high / low) / 2 * powerFactor(level))
  return worse === 'higher' ? factor - 1 : 1 - 1 / factor
}

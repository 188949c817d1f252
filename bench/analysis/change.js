/** Change of a figure between two runs, and its verdict (pure). */
import { placeOf, withinMargin } from './margin.js'
import { subtractEstimates, computeInterval } from './run-estimate.js'
import { lag1 } from './stats/autocorrelation.js'
import { widening } from './stats/dependence.js'
import { shiftBetween } from './stats/rank-sum.js'
import { powerFactor } from '../plan/sample-size.js'

/** @import { ChangeWhy } from '../types.js' */
/** @import { RunEstimate } from './run-estimate.js' */
/** @import { getBoundedSide } from './verdict.js' */

/** @typedef {'faster' | 'slower' | 'cheaper' | 'costlier' | 'no-difference' | 'inconclusive' | 'invalid' |
 * 'not-comparable'} Verdict of the second run against the first */
/**
 * @typedef {object} Change
 * @property {number | null} ratio after ÷ before
 * @property {number | null} low
 * @property {number | null} high
 * @property {number} level of the interval
 * @property {Verdict} verdict
 * @property {ChangeWhy | null} why reason if the change is invalid or not comparable
 * @property {number | null} sees smallest deterioration, as a share, that is detectable at 80 % power
 */
/** @typedef {{ level: number, margin: number, kind: keyof KINDS }} ChangeOptions margin: as a share */

/** @type {ChangeWhy} */
const NOTHING_VALID = { code: 'nothing-valid', params: {} }
/** @type {{ within: Verdict, across: Verdict }} */
const UNDECIDED = { within: 'no-difference', across: 'inconclusive' }
/**
 * Direction in which a figure gets worse, and the verdict by the place of its interval.
 *
 * @type {Record<'rate' | 'cost', { worse: 'below' | 'above', verdicts: Record<ReturnType<typeof placeOf>, Verdict> }>}
 */
const KINDS = {
  rate: { worse: 'below', verdicts: { below: 'slower', above: 'faster', ...UNDECIDED } },
  cost: { worse: 'above', verdicts: { below: 'cheaper', above: 'costlier', ...UNDECIDED } }
}

/** @type {(level: number, verdict: 'invalid' | 'not-comparable', why: ChangeWhy) => Change} */
export const noChange = (level, verdict, why) => ({
  ratio: null,
  low: null,
  high: null,
  level,
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
  if (before.length === 0 || after.length === 0) return noChange(options.level, 'invalid', NOTHING_VALID)
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
  if (before.starts === 0 || after.starts === 0) return noChange(options.level, 'invalid', NOTHING_VALID)
  const { ratio, low, high } = computeInterval(subtractEstimates(before, after), options.level)
  const isKnown = high < Infinity
  return judgeRatio({ ratio, low: isKnown ? low : null, high: isKnown ? high : null }, options)
}

/**
 * Returns the verdict of a ratio and what the interval can detect.
 *
 * @param {{ ratio: number, low: number | null, high: number | null }} estimate
 * @param {ChangeOptions} options
 * @returns {Change}
 */
export const judgeRatio = (estimate, { level, margin, kind }) => ({
  ...estimate,
  level,
  verdict: KINDS[kind].verdicts[placeOf(estimate, withinMargin(margin))],
  why: null,
  sees: computeDetectable(estimate, { level, margin, kind })
})

/**
 * Judges a ratio of rates, some of which are lower bounds, because the load generator or the link was the bottleneck.
 *
 * @param {{ ratio: number, low: number | null, high: number | null }} estimate
 * @param {{ boundedSide: ReturnType<typeof getBoundedSide>, arm: string | undefined }} bounds arm: the arm whose rate
 *   is a lower bound
 * @param {ChangeOptions} options
 * @returns {Change} why: reason if the bound does not decide
 */
export function judgeBounded (estimate, { boundedSide, arm }, options) {
  const low = boundedSide === 'at-most' || boundedSide === 'nothing' ? null : estimate.low
  const high = boundedSide === 'at-least' || boundedSide === 'nothing' ? null : estimate.high
  const change = judgeRatio({ ...estimate, low, high }, options)
  // An upper bound detects slowdowns as well as the ratio itself.
  if (boundedSide === 'at-most') change.sees = computeDetectable(estimate, options)
  if (boundedSide === null || change.verdict !== 'inconclusive') return change
  return { ...change, why: { code: 'load-bound', params: { arm } } }
}

/**
 * Computes the smallest detectable deterioration. If the change is as large as the margin plus the half-width, the
 * interval is beyond the margin in half of all runs; the power factor raises this to 80 %.
 *
 * @param {{ low: number | null, high: number | null }} interval
 * @param {ChangeOptions} options
 */
function computeDetectable ({ low, high }, { level, margin, kind }) {
  if (low === null || high === null || low <= 0) return null
  const factor = Math.exp(Math.log1p(margin) + Math.log(high / low) / 2 * powerFactor(level))
  return KINDS[kind].worse === 'above' ? factor - 1 : 1 - 1 / factor
}

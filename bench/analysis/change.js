/** How far a figure moved from one run to another, and what can be said of it (pure). */
import { placeOf, withinMargin } from './margin.js'
import { differenceOf, intervalAt } from './run-estimate.js'
import { lag1 } from './stats/autocorrelation.js'
import { widening } from './stats/dependence.js'
import { shiftBetween } from './stats/rank-sum.js'
import { powerFactor } from '../plan/sample-size.js'

/** @import { RunEstimate } from './run-estimate.js' */

/** @typedef {'faster' | 'slower' | 'cheaper' | 'costlier' | 'no-difference' | 'inconclusive' | 'invalid' |
 * 'not-comparable'} Verdict of the second run against the first */
/** @typedef {object} Change
 * @property {number | null} ratio after ÷ before
 * @property {number | null} low
 * @property {number | null} high
 * @property {number} level of the interval
 * @property {Verdict} verdict beyond the margin, or within it
 * @property {string | null} why where it is invalid or not comparable
 * @property {number | null} sees the smallest change for the worse, as a share, that would have been called one four
 * times in five */

/** @type {{ within: Verdict, across: Verdict }} */
const UNDECIDED = { within: 'no-difference', across: 'inconclusive' }
/** In which direction a figure is worse, and what is said of where its interval lies.
 * @type {Record<'rate' | 'cost', { worse: 'below' | 'above', verdicts: Record<ReturnType<typeof placeOf>, Verdict> }>}
 */
const KINDS = {
  rate: { worse: 'below', verdicts: { below: 'slower', above: 'faster', ...UNDECIDED } },
  cost: { worse: 'above', verdicts: { below: 'cheaper', above: 'costlier', ...UNDECIDED } }
}

/** @type {(level: number, verdict: 'invalid' | 'not-comparable', why: string) => Change} */
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
 * The Hodges-Lehmann shift between two samples of logarithms, with the interval of the rank-sum test, widened as far as
 * the samples are autocorrelated: there is less information in them than in as many independent ones.
 *
 * @param {number[]} before natural logarithms, in the order of measuring
 * @param {number[]} after
 * @param {{ level: number, margin: number, kind: keyof KINDS }} options margin: a share, 0.05
 * @returns {Change}
 */
export function changeBetween (before, after, { level, margin, kind }) {
  if (before.length === 0 || after.length === 0) return noChange(level, 'invalid', 'nothing valid was measured')
  const { shift, low, high } = shiftBetween(before, after, level)
  const wider = Math.max(widening(lag1(before), before.length), widening(lag1(after), after.length))
  return judged({
    ratio: Math.exp(shift),
    low: low === null ? null : Math.exp(shift - (shift - low) * wider),
    high: high === null ? null : Math.exp(shift + (high - shift) * wider)
  }, { level, margin, kind })
}

/**
 * Of runs whose processes were replaced: with what differs between starts.
 *
 * @param {RunEstimate} before
 * @param {RunEstimate} after
 * @param {{ level: number, margin: number, kind: keyof KINDS }} options margin: a share, 0.05
 * @returns {Change}
 */
export function changeOverStarts (before, after, options) {
  if (before.starts === 0 || after.starts === 0) return noChange(options.level, 'invalid', 'nothing valid was measured')
  const { ratio, low, high } = intervalAt(differenceOf(before, after), options.level)
  const known = high < Infinity
  return judged({ ratio, low: known ? low : null, high: known ? high : null }, options)
}

/**
 * @param {{ ratio: number, low: number | null, high: number | null }} estimate
 * @param {{ level: number, margin: number, kind: keyof KINDS }} options
 * @returns {Change}
 */
const judged = (estimate, { level, margin, kind }) => ({
  ...estimate,
  level,
  verdict: KINDS[kind].verdicts[placeOf(estimate, withinMargin(margin))],
  why: null,
  sees: smallestSeen(estimate, { level, margin, kind })
})

/** An interval lies wholly beyond the margin every other time when the change is as large as the margin and half its
 * width together. @param {{ low: number | null, high: number | null }} interval
 * @param {{ level: number, margin: number, kind: keyof KINDS }} options */
function smallestSeen ({ low, high }, { level, margin, kind }) {
  if (low === null || high === null || low <= 0) return null
  const factor = Math.exp(Math.log1p(margin) + Math.log(high / low) / 2 * powerFactor(level))
  return KINDS[kind].worse === 'above' ? factor - 1 : 1 - 1 / factor
}

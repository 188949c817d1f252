/** Ratios of which an arm was not saturated, printed as bounds or with a remark (pure). */
import { estimate, estimateText, isNumber, NONE } from '../shared/format.js'
import { printShare } from './share-text.js'

/** @import { Contrast, RunRecord } from '../types.js' */

/** @typedef {{ low: number | null, high: number | null }} Ends */
/** @typedef {Pick<Contrast, 'arm' | 'baseline' | 'oneSided' | 'verdict'> & Ends} Pair */

/** Follows an estimate of which an arm was not saturated. docs/answers.md explains the words. */
export const NOT_SATURATED = 'not saturated'

/**
 * Returns in which direction the true ratio may differ: an arm that was not saturated can serve more than it did.
 * Excludes arms with equal throughput, because one arm can be just below the limit of saturation and the other just
 * above it.
 * @param {Pair} contrast
 * @param {RunRecord['arms']} arms
 * @returns {Contrast['oneSided']} null: the ratio is an estimate, both arms can serve more, or the interval has no end
 */
export function findBound ({ arm, baseline, oneSided, verdict, low, high }, arms) {
  if (oneSided) return oneSided
  if (verdict === 'invalid' || verdict === 'no-difference') return null
  const [bound, baselineBound] = [arm, baseline].map(name => arms.find(other => other.name === name)?.bound)
  if (isFull(bound) && baselineBound === 'none' && isNumber(high)) return 'at-most'
  return bound === 'none' && isFull(baselineBound) && isNumber(low) && low > 0 ? 'at-least' : null
}

/** @param {string | undefined} bound */
const isFull = bound => bound === 'server' || bound === 'proxy'

/**
 * Returns whether an arm of a contrast was not saturated. Its ratio then compares the rates that the clients reached.
 * @param {Pick<Pair, 'arm' | 'baseline'>} contrast
 * @param {RunRecord['arms']} arms
 */
export const isUnsaturated = ({ arm, baseline }, arms) =>
  // Without CPU time the bound is `none` as well, because the bottleneck is unknown.
  arms.some(({ name, bound, cpuMicrosPerRequest }) =>
    [arm, baseline].includes(name) && bound === 'none' && cpuMicrosPerRequest !== null)

/**
 * Returns whether the bound of a contrast leaves it open: an upper bound cannot show a gain, and a lower bound cannot
 * show a loss. The analysis has judged a bound that it stored.
 * @param {Pair} contrast
 * @param {RunRecord['arms']} arms
 */
export function isOpenBound (contrast, arms) {
  const bound = findBound(contrast, arms)
  const isUndecided = contrast.verdict === 'inconclusive' && !contrast.oneSided
  return bound !== null && (isUndecided || contrast.verdict === (bound === 'at-most' ? 'faster' : 'slower'))
}

/**
 * Returns a contrast as inconclusive with its bound if the bound leaves it open, and otherwise unchanged. Stored
 * verdicts treat the rate of an arm that was not saturated as its capacity.
 * @param {Contrast} contrast
 * @param {RunRecord['arms']} arms
 * @returns {Contrast}
 */
export function judgeBound (contrast, arms) {
  if (!isOpenBound(contrast, arms)) return contrast
  const oneSided = findBound(contrast, arms)
  const arm = oneSided === 'at-most' ? contrast.baseline : contrast.arm
  return {
    ...contrast,
    oneSided,
    verdict: 'inconclusive',
    why: { code: 'not-saturated', params: { arm } },
    secondsToSettle: null // More time does not saturate the arm.
  }
}

/**
 * Prints a ratio with its interval: "1.13 (1.09 to 1.18)"; or its bound: "at least 1.09".
 * @param {Pair & { ratio: number }} contrast
 * @param {RunRecord['arms']} arms
 */
export function printRatio (contrast, arms) {
  const { low, high } = estimate(contrast)
  const bound = findBound(contrast, arms)
  if (bound === 'at-least' && low !== NONE) return `at least ${low}`
  if (bound === 'at-most' && high !== NONE) return `at most ${high}`
  return withRemark(estimateText(contrast), contrast, arms)
}

/**
 * Prints a ratio in percent with its interval: "14 % (13 to 16 %)"; or its bound: "at most 16 %".
 * @param {Contrast} contrast
 * @param {RunRecord['arms']} arms
 * @param {typeof printShare} [print]
 */
export function printRatioShare (contrast, arms, print = printShare) {
  const bound = findBound(contrast, arms)
  const end = bound === 'at-least' ? contrast.low : contrast.high
  if (bound === null || end === null) return withRemark(print(contrast), contrast, arms)
  return `${bound.replace('-', ' ')} ${print({ ratio: end, low: null, high: null })}`
}

/**
 * Adds to a printed estimate that an arm was not saturated: "1.13 (1.09 to 1.18, not saturated)".
 * @param {string} text
 * @param {Pair} contrast
 * @param {RunRecord['arms']} arms
 */
function withRemark (text, contrast, arms) {
  if (!isUnsaturated(contrast, arms)) return text
  return text.endsWith(')') ? `${text.slice(0, -1)}, ${NOT_SATURATED})` : `${text} (${NOT_SATURATED})`
}

/**
 * Names the arm that was not saturated, as the end of a sentence that begins with the arm and ends with the baseline.
 * @param {Contrast} contrast
 * @param {RunRecord['arms']} arms
 */
export function boundClause (contrast, arms) {
  const bound = findBound(contrast, arms)
  if (bound === null) return ''
  return bound === 'at-most' ? ', which was not saturated' : ', and was not saturated itself'
}

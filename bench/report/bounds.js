/** Ratios of which an arm was not saturated, printed as bounds (pure). */
import { estimate, estimateText, NONE } from '../shared/format.js'
import { printShare } from './share-text.js'

/** @import { Contrast, RunRecord } from '../types.js' */

/** @typedef {Pick<Contrast, 'arm' | 'baseline' | 'oneSided' | 'verdict'>} Pair */

/**
 * Returns in which direction the true ratio may differ: an arm that was not saturated can serve more than it did.
 * @param {Pair} contrast
 * @param {RunRecord['arms']} arms
 * @returns {Contrast['oneSided']} null: the ratio is an estimate, or both arms can serve more
 */
export function findBound ({ arm, baseline, oneSided, verdict }, arms) {
  if (oneSided) return oneSided
  if (verdict !== 'faster' && verdict !== 'slower') return null
  const [bound, baselineBound] = [arm, baseline].map(name => arms.find(other => other.name === name)?.bound)
  if (isFull(bound) && baselineBound === 'none') return 'at-most'
  return bound === 'none' && isFull(baselineBound) ? 'at-least' : null
}

/** @param {string | undefined} bound */
const isFull = bound => bound === 'server' || bound === 'proxy'

/**
 * Returns whether the bound of a contrast leaves its verdict open: an upper bound cannot show a gain, and a lower bound
 * cannot show a loss.
 * @param {Pair} contrast
 * @param {RunRecord['arms']} arms
 */
export function isOpenBound (contrast, arms) {
  const bound = findBound(contrast, arms)
  return bound !== null && contrast.verdict === (bound === 'at-most' ? 'faster' : 'slower')
}

/**
 * Returns a contrast as inconclusive if its bound leaves the verdict open, and otherwise unchanged. Stored verdicts
 * treat the rate of an arm that was not saturated as its capacity.
 * @param {Contrast} contrast
 * @param {RunRecord['arms']} arms
 * @returns {Contrast}
 */
export function judgeBound (contrast, arms) {
  if (!isOpenBound(contrast, arms)) return contrast
  const oneSided = findBound(contrast, arms)
  const arm = oneSided === 'at-most' ? contrast.baseline : contrast.arm
  return { ...contrast, oneSided, verdict: 'inconclusive', why: { code: 'not-saturated', params: { arm } } }
}

/**
 * Prints a ratio with its interval: "1.13 (1.09 to 1.18)"; or its bound: "at least 1.09".
 * @param {Pair & { ratio: number, low: number | null, high: number | null }} contrast
 * @param {RunRecord['arms']} arms
 */
export function printRatio (contrast, arms) {
  const { low, high } = estimate(contrast)
  const bound = findBound(contrast, arms)
  if (bound === 'at-least' && low !== NONE) return `at least ${low}`
  if (bound === 'at-most' && high !== NONE) return `at most ${high}`
  return estimateText(contrast)
}

/**
 * Prints a ratio in percent with its interval: "14 % (13 to 16 %)"; or its bound: "at most 16 %".
 * @param {Contrast} contrast
 * @param {RunRecord['arms']} arms
 * @param {typeof printShare} [print]
 */
export function printRatioShare (contrast, arms, print = printShare) {
  const bound = findBound(contrast, arms)
  if (bound === null) return print(contrast)
  const end = bound === 'at-least' ? contrast.low : contrast.high
  return end === null ? print(contrast) : `${bound.replace('-', ' ')} ${print({ ratio: end, low: null, high: null })}`
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

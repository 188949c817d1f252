/** Ratios of which an arm was not saturated, printed as bounds or with a remark (pure). */
import { estimate, estimateText, NONE } from '../shared/format.js'
import { printShare } from './share-text.js'

/** @import { Contrast, RunRecord } from '../types.js' */

/** @typedef {{ low: number | null, high: number | null }} Ends */
/** @typedef {Pick<Contrast, 'arm' | 'baseline'> & { oneSided?: Contrast['oneSided'] } & Ends} Pair */

/** Follows an estimate of which an arm was not saturated. docs/answers.md explains the words. */
export const NOT_SATURATED = 'not saturated'

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
 * Returns whether a contrast is open because an arm was not saturated: an upper bound cannot show a gain, and a lower
 * bound cannot show a loss.
 * @param {Pick<Contrast, 'why'>} contrast
 */
export const isOpenBound = ({ why }) => why?.code === 'not-saturated'

/**
 * Prints a ratio with its interval: "1.13 (1.09 to 1.18)"; or its bound: "at least 1.09".
 * @param {Pair & { ratio: number }} contrast
 * @param {RunRecord['arms']} arms
 */
export function printRatio (contrast, arms) {
  const { low, high } = estimate(contrast)
  const { oneSided } = contrast
  if (oneSided === 'at-least' && low !== NONE) return `at least ${low}`
  if (oneSided === 'at-most' && high !== NONE) return `at most ${high}`
  return withRemark(estimateText(contrast), contrast, arms)
}

/**
 * Prints a ratio in percent with its interval: "14 % (13 to 16 %)"; or its bound: "at most 16 %".
 * @param {Contrast} contrast
 * @param {RunRecord['arms']} arms
 * @param {typeof printShare} [print]
 */
export function printRatioShare (contrast, arms, print = printShare) {
  const { oneSided } = contrast
  const end = oneSided === 'at-least' ? contrast.low : contrast.high
  if (oneSided === null || end === null) return withRemark(print(contrast), contrast, arms)
  return `${oneSided.replace('-', ' ')} ${print({ ratio: end, low: null, high: null })}`
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
 * @param {Pick<Contrast, 'oneSided'>} contrast
 */
export function boundClause ({ oneSided }) {
  if (oneSided === null) return ''
  return oneSided === 'at-most' ? ', which was not saturated' : ', and was not saturated itself'
}

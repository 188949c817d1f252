/** Ratios of two arms in words and figures (pure). Every sentence about a ratio comes from here. */
import { isHeldBack, isLimitedByLoad } from '../judge/verdict.js'
import {
  budgetFor, capitalize, decimals, duration, ended, estimate, estimateText, isNumber, NONE, percent
} from '../shared/format.js'
import { printContrastWhy } from './facts/facts.js'

/** @import { ArmResult, Contrast, Unit } from '../types.js' */

/** @typedef {{ ratio: number | null, low: number | null, high: number | null }} Ratio null: unknown */
/** @typedef {Ratio & Partial<Pick<Contrast, 'arm' | 'baseline' | 'oneSided'>>} PartialContrast */
/** @typedef {'slower' | 'faster' | 'times' | 'equal' | 'open' | 'unknown' | 'invalid'} Effect */

/**
 * @typedef {object} PhraseContext
 * @property {string} [action] in place of the name of the arm: "a pooled socket to the app"
 * @property {string} [baseline] in place of the name of the baseline
 * @property {ArmResult[]} [arms] of the record
 * @property {Unit} [unit] of the rates; default: requests
 * @property {boolean} [isContinued] true: continues a clause about the same effect and the same baseline
 */

/** Follows an estimate of which an arm was not saturated. docs/answers.md explains the words. */
export const NOT_SATURATED = 'not saturated'
/** Ratio from which a gain is printed as a factor, because "198 % more" is read as a factor of 1.98. */
const MIN_FACTOR = 2
/** First words of a sentence that are not names of programs. */
const COMMON_WORDS = /^(an?|compressing|pooled|the|there|whether|with|your) /

/**
 * Words for a rate by its unit: verb, noun of the unit, and whether the unit is counted.
 * @type {Record<Unit, { verb: string, noun: string, many: 'much' | 'many', less: 'less' | 'fewer' }>}
 */
const RATE_WORDS = {
  requests: { verb: 'serves', noun: '', many: 'much', less: 'less' },
  connections: { verb: 'accepts', noun: ' connections', many: 'many', less: 'fewer' },
  handshakes: { verb: 'completes', noun: ' handshakes', many: 'many', less: 'fewer' },
  bytes: { verb: 'sends', noun: '', many: 'much', less: 'less' },
  pages: { verb: 'serves', noun: ' page views', many: 'many', less: 'fewer' }
}

/**
 * Words a ratio that is calculated and not measured.
 * @param {string} action
 * @param {Ratio} ratio
 */
export const projection = (action, ratio) => `${action} would serve about ${estimateText(ratio)} times as much`

/** Capitalizes a sentence that does not begin with the name of a program. @param {string} text */
export const startSentence = text => COMMON_WORDS.test(text) ? capitalize(text) : text

/**
 * Returns the effect of a contrast, which decides its words.
 * @param {Contrast} contrast
 * @returns {Effect}
 */
export function getEffect (contrast) {
  const { verdict, ratio } = contrast
  if (verdict === 'invalid') return 'invalid'
  if (isHeldBack(contrast)) return 'unknown'
  if (verdict === 'inconclusive') return 'open'
  if (verdict === 'no-difference') return 'equal'
  return verdict === 'faster' && Number(ratio) >= MIN_FACTOR ? 'times' : verdict
}

/**
 * Words a contrast as a clause: "connect serves 45 % less than nginx (40 to 50 %)".
 * @param {Contrast} contrast
 * @param {PhraseContext} context
 * @param {string} [range] of an open contrast, after a space
 */
export function contrastClause (contrast, context, range = openRange(contrast)) {
  const { action = contrast.arm, baseline = contrast.baseline, unit = 'requests', isContinued = false } = context
  const { verb, noun, many, less } = RATE_WORDS[unit]
  const start = isContinued ? action : `${action} ${verb}`
  const [than, as] = ['than', 'as'].map(word => isContinued ? '' : `${noun} ${word} ${baseline}`)
  const effect = getEffect(contrast)
  switch (effect) {
    case 'slower': return `${start} ${printSize(contrast, ` ${less}${than}`, toLoss)}`
    case 'faster': return `${start} ${printSize(contrast, ` more${than}`, toGain)}`
    case 'times': return `${start} ${printSize(contrast, isContinued ? ' times' : ` times as ${many}${as}`)}`
    case 'equal': return `${start} as ${many}${as} (at most ${percent(distanceFromOne(contrast))} apart)`
    case 'open': return isContinued
      ? `as for ${action}${range}`
      : `whether ${action} ${verb} more or ${less}${noun} than ${baseline} is open${range}`
    case 'unknown': return isContinued
      ? `and so is that of ${action}`
      : `the ratio of ${action} to ${baseline} is unknown, because the load generator or the link was the limit in ` +
        (contrast.why?.code === 'bounds-both' ? 'one arm, and the other was not saturated' : 'both arms')
    default: return isContinued ? `nor of ${action}` : `there is no valid comparison of ${action} with ${baseline}`
  }
}

/** Loss and gain as shares of the baseline. */
const toLoss = (/** @type {number} */ ratio) => 1 - ratio
const toGain = (/** @type {number} */ ratio) => ratio - 1

/**
 * Prints the size of an effect with its range, or its bound: "45 % less than nginx (40 to 50 %)".
 * @param {Contrast} contrast
 * @param {string} words between size and range
 * @param {typeof toLoss} [toShare] left out: prints a factor
 */
function printSize (contrast, words, toShare) {
  const { oneSided, low, high } = contrast
  const text = estimate(contrast)
  if (oneSided) {
    const isLow = oneSided === 'at-least'
    const bound = isLow ? low : high
    // As an end of an interval the bound has the decimals that distinguish it from 1.
    const share = toShare && shareParts({ ratio: bound, low: bound, high: null }, toShare).share
    // A lower bound of the ratio is an upper bound of a loss.
    return `at ${isLow === (toShare === toLoss) ? 'most' : 'least'} ${share ?? text[isLow ? 'low' : 'high']}${words}`
  }
  const { share, range } = toShare ? shareParts(contrast, toShare) : { share: text.ratio, range: text.interval }
  return `${share}${words}${range === null || range === NONE ? '' : inParentheses(contrast, range)}`
}

/**
 * Prints a range in parentheses after a space, with a remark if an arm was not saturated.
 * @param {Contrast} contrast
 * @param {string} range
 */
const inParentheses = ({ measures }, range) =>
  ` (${range}${measures === 'hand-off latency' ? `, ${NOT_SATURATED}` : ''})`

/**
 * Prints the range of an open contrast, or why it is a bound.
 * @param {Contrast} contrast
 */
function openRange (contrast) {
  switch (contrast.why?.code) {
    case 'not-saturated':
      return ` (${printSize(contrast, ' times as much')}, because ${contrast.why.params.arm} was not saturated)`
    case 'not-steady':
    case 'drift':
      return ' (not warm)'
    case 'generator-bound-arm':
    case 'generator-bound-baseline':
      return ' (the load generator was the limit in one of them)'
    case 'too-few-starts':
      return ' (too few starts)'
    default:
      return inParentheses(contrast, changeParts(contrast).range ?? 'too few blocks')
  }
}

/**
 * Words a contrast as a sentence, with the reason of its verdict, and the time that an open one needs.
 * @param {Contrast} contrast
 * @param {PhraseContext} context
 */
export function contrastLine (contrast, context) {
  const why = printContrastWhy(contrast)
  const effect = getEffect(contrast)
  const ratio = `: ${printRatio(contrast, {})}`
  const text = startSentence(contrastClause(contrast, context, ratio))
  if (effect === 'invalid') return `${text}: ${ended(why ?? 'no reason was recorded')}`
  if (effect !== 'open') return `${text}${effect === 'unknown' ? '' : boundReason(contrast, context)}.`
  const { secondsToSettle } = contrast
  const budget = isNumber(secondsToSettle) ? budgetFor(secondsToSettle) : null
  return `${text}.${why ? ` ${ended(capitalize(why))}` : ''}` +
    `${budget === null ? '' : ` Estimated budget for a verdict: ${duration(budget)} (--budget ${budget}s).`}`
}

/**
 * Explains why the ratio of a decided contrast is a bound.
 * @param {Contrast} contrast
 * @param {PhraseContext} context
 */
function boundReason ({ arm, baseline, oneSided }, { arms = [] }) {
  if (oneSided === null) return ''
  const limited = oneSided === 'at-least' ? arm : baseline
  const isByLoad = arms.some(({ name, bound }) => name === limited && isLimitedByLoad(bound))
  return isByLoad
    ? `, because the load generator was the bottleneck in ${limited}`
    : `, because ${limited} was not saturated`
}

/**
 * Prints a ratio with its interval: "1.13 (1.09 to 1.18)"; or its bound: "at least 1.09".
 * @param {PartialContrast} contrast
 * @param {PhraseContext} context
 */
export function printRatio (contrast, { arms = [] }) {
  const { low, high } = estimate(contrast)
  const { oneSided } = contrast
  if (oneSided === 'at-least' && low !== NONE) return `at least ${low}`
  if (oneSided === 'at-most' && high !== NONE) return `at most ${high}`
  const text = estimateText(contrast)
  if (!isUnsaturated(contrast, arms)) return text
  return text.endsWith(')') ? `${text.slice(0, -1)}, ${NOT_SATURATED})` : `${text} (${NOT_SATURATED})`
}

/**
 * Returns whether an arm of a contrast was not saturated. Its ratio then compares the rates that the clients reached.
 * @param {{ arm?: string, baseline?: string }} contrast
 * @param {ArmResult[]} arms
 */
export const isUnsaturated = ({ arm, baseline }, arms) =>
  // Without CPU time the bound is `none` as well, because the bottleneck is unknown.
  arms.some(({ name, bound, cpuMicrosPerRequest }) =>
    [arm, baseline].includes(name) && bound === 'none' && cpuMicrosPerRequest !== null)

/**
 * Returns the largest distance of an interval from 1, as a share.
 * @param {{ low: number | null, high: number | null }} interval
 */
export const distanceFromOne = ({ low, high }) =>
  isNumber(low) && isNumber(high) ? Math.max(Math.abs(low - 1), Math.abs(high - 1)) : null

/**
 * Prints a ratio in percent: "14 %" and "13 to 16 %".
 * @param {Ratio} interval
 * @param {(ratio: number) => number} [toShare] share of a ratio; default: the ratio itself
 * @returns {{ share: string, range: string | null }} range: null without both ends
 */
export function shareParts (interval, toShare = ratio => ratio) {
  const digits = Math.max(0, decimals(interval) - 2)
  const print = (/** @type {number | null} */ ratio) =>
    isNumber(ratio) ? (toShare(ratio) * 100).toFixed(digits).replace(/^-0(\.0+)?$/, '0$1').replace('-', '−') : NONE
  // The ends change places where a higher ratio is a smaller share.
  const ends = [print(interval.low), print(interval.high)]
  const [low, high] = toShare(1) < toShare(0) ? ends.reverse() : ends
  return { share: `${print(interval.ratio)} %`, range: low === NONE || high === NONE ? null : `${low} to ${high} %` }
}

/**
 * Prints a ratio as a change with signs: "+14 %" and "+13 to +16 %".
 * @param {Ratio} interval
 * @returns {{ share: string, range: string | null }} range: null without both ends
 */
export function changeParts (interval) {
  const { share, range } = shareParts(interval, toGain)
  return { share: withSigns(share), range: range && withSigns(range) }
}

/** Prints a change with its range: "+14 % (+13 to +16 %)". @param {Ratio} interval */
export function printChange (interval) {
  const { share, range } = changeParts(interval)
  return range === null ? share : `${share} (${range})`
}

const withSigns = (/** @type {string} */ text) => text.replace(/(^|to )(?=\d)/g, '$1+')

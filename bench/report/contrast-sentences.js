/** Verdicts of a run as sentences (pure). */
import { countValidTrials } from '../judge/stopping-rule.js'
import { isHeldBack, isLimitedByLoad } from '../judge/verdict.js'
import {
  budgetFor, capitalize, duration, ended, estimate, isNumber, level, listing, NONE, percent, plural
} from '../shared/format.js'
import { printContrastWhy } from './facts/facts.js'
import { compact } from './wrap.js'

/** @import { ArmResult, Contrast, Plan, RunRecord } from '../types.js' */

const COMPARABLE_BLOCKS = 2 // An arm with fewer than half of another's blocks may have been measured much earlier.

/**
 * Explains the table of contrasts: the level of its intervals, and the contrasts that are open, bounds or invalid.
 * @param {Pick<RunRecord, 'contrasts' | 'arms' | 'plan'>} record
 * @returns {string[]}
 */
export function contrastSentences ({ contrasts, arms, plan }) {
  const usual = contrasts.filter(isUsual)
  return compact([
    usual.length > 0 && intervalSentence(usual, plan),
    ...contrasts.filter(contrast => !usual.includes(contrast)).map(contrast => contrastSentence(contrast, arms)),
    contrasts.length > 0 && blocksSentence(arms)
  ])
}

/**
 * Returns whether the table shows all of a contrast.
 * @param {Contrast} contrast
 */
const isUsual = ({ verdict, oneSided, why }) =>
  ['faster', 'slower', 'no-difference'].includes(verdict) && !oneSided && !why

/**
 * @param {Contrast[]} contrasts at least one
 * @param {Pick<Plan, 'targets'>} plan
 */
function intervalSentence (contrasts, { targets }) {
  const blocks = contrasts.map(contrast => contrast.blocks)
  const [fewest, most] = [Math.min(...blocks), Math.max(...blocks)]
  const range = fewest === most ? plural(most, 'block') : `${fewest} to ${plural(most, 'block')}`
  const together = targets.adjusted && contrasts.length > 1 ? ', so that all of them hold together at 95 %' : ''
  return `Each interval is a ${level(contrasts[0].level)} CI from ${range}${together}.`
}

/**
 * Reports that arms have very different numbers of blocks. Decided arms are no longer measured, while the speed of the
 * machine may change.
 * @param {ArmResult[]} arms
 */
function blocksSentence (arms) {
  const [fewest, most] = getBlockRange(arms)
  return fewest < most / COMPARABLE_BLOCKS && ownBlocksText(fewest, most)
}

/**
 * Reports that rates and ratios are from different blocks, if the rates of two arms contradict the interval of their
 * ratio.
 * @param {Pick<RunRecord, 'contrasts' | 'arms'>} record
 * @returns {string[]} one sentence at most
 */
export function ownBlocksSentence ({ contrasts, arms }) {
  const contradicted = contrasts.filter(contrast => contradictsRates(contrast, arms))
  if (contradicted.length === 0) return []
  const names = listing(contradicted.map(({ arm, baseline }) => `${arm} against ${baseline}`))
  return [`${ownBlocksText(...getBlockRange(arms))} The rates contradict the ratio of ${names}.`]
}

/**
 * Returns whether the quotient of the median rates of two arms with different numbers of blocks lies outside the
 * interval of their ratio.
 * @param {Contrast} contrast
 * @param {ArmResult[]} arms
 */
function contradictsRates ({ arm, baseline, verdict, low, high }, arms) {
  const pair = [arm, baseline].flatMap(name => arms.find(other => other.name === name) ?? [])
  const [rate, baselineRate] = pair.map(({ rps }) => rps?.median)
  if (verdict === 'invalid' || !isNumber(rate) || !isNumber(baselineRate)) return false
  const quotient = rate / baselineRate
  return new Set(pair.map(countValidTrials)).size > 1 && (quotient < (low ?? 0) || quotient > (high ?? Infinity))
}

/**
 * Returns the smallest and the largest number of blocks of the valid arms.
 * @param {ArmResult[]} arms
 * @returns {[fewest: number, most: number]} Infinity and -Infinity without a valid arm
 */
function getBlockRange (arms) {
  const counts = arms.filter(({ invalid }) => !invalid).map(countValidTrials)
  return [Math.min(...counts), Math.max(...counts)]
}

/** @type {(fewest: number, most: number) => string} */
const ownBlocksText = (fewest, most) =>
  `Rates and CPU times are those of each arm's own blocks, ${fewest} to ${most}: between them the machine's speed ` +
  'may change, so compare two arms by their ratio.'

/**
 * Returns the verdict of a contrast.
 * @param {Contrast} contrast
 * @param {ArmResult[]} arms of the same record
 * @returns {string}
 */
function contrastSentence (contrast, arms) {
  const { arm, baseline, verdict, oneSided } = contrast
  if (verdict === 'invalid') {
    return `${arm} against ${baseline} is invalid: ${ended(printContrastWhy(contrast) ?? 'no reason was recorded')}`
  }
  if (isHeldBack(contrast)) {
    return `Whether ${arm} is faster or slower than ${baseline} is open: the load generator was the bottleneck in both.`
  }
  const ratio = ratioClause(contrast)
  if (verdict === 'inconclusive') {
    return `Whether ${arm} is faster or slower than ${baseline} is open: ${ratio}.${reasonAndTime(contrast)}`
  }
  if (verdict === 'no-difference') {
    return `${arm} and ${baseline} are equally fast: ${ratio}, ${percent(distanceFromOne(contrast))} apart at most.`
  }
  return `${arm} is ${verdict} than ${baseline}: ${ratio}${oneSided ? boundReason(contrast, arms) : ''}.`
}

/**
 * Explains why the ratio of a decided contrast is a bound.
 * @param {Contrast} contrast one-sided
 * @param {ArmResult[]} arms
 */
function boundReason ({ arm, baseline, oneSided }, arms) {
  const limited = oneSided === 'at-least' ? arm : baseline
  const isByLoad = arms.some(({ name, bound }) => name === limited && isLimitedByLoad(bound))
  const cause = isByLoad ? `the load generator was the bottleneck in ${limited}` : `${limited} was not saturated`
  return `, as ${cause}; the true ratio may be ${oneSided === 'at-least' ? 'higher' : 'lower'}`
}

/**
 * Returns a ratio with its interval, or its bound if it is one-sided.
 * @param {Contrast} contrast
 */
function ratioClause ({ ratio, low, high, level: confidence, blocks, oneSided }) {
  const text = estimate({ ratio, low, high })
  const basis = `${level(confidence)} CI, ${plural(blocks, 'block')}`
  const [word, bound] = oneSided === 'at-least' ? ['at least', text.low] : ['at most', text.high]
  if (oneSided && bound !== NONE) return `${word} ${bound} times as fast (${basis})`
  if (text.ratio === NONE) return 'there is no ratio'
  const interval = text.interval === NONE ? 'too few blocks for an interval' : `${text.interval}, ${basis}`
  return `${text.ratio} times as fast (${interval})`
}

/** @param {Contrast} contrast */
function reasonAndTime ({ secondsToSettle, ...contrast }) {
  const why = printContrastWhy(contrast)
  const reason = why ? ` ${ended(capitalize(why))}` : ''
  if (!isNumber(secondsToSettle)) return reason
  const budget = budgetFor(secondsToSettle)
  return `${reason} Estimated budget for a verdict: ${duration(budget)} (--budget ${budget}s).`
}

/**
 * Returns the largest distance of an interval from 1, as a share.
 * @param {{ low: number | null, high: number | null }} interval
 */
export const distanceFromOne = ({ low, high }) =>
  isNumber(low) && isNumber(high) ? Math.max(Math.abs(low - 1), Math.abs(high - 1)) : null

/**
 * Names the verdicts that are about latency, because an arm was not saturated, and how to measure capacity.
 * @param {Pick<RunRecord, 'contrasts' | 'arms' | 'protocol'>} record
 * @returns {string[]} one sentence at most
 */
export function saturationSentence ({ contrasts, arms, protocol }) {
  const shown = contrasts.filter(({ measures, verdict }) =>
    measures === 'hand-off latency' && ['faster', 'slower', 'no-difference'].includes(verdict))
  if (shown.length === 0) return []
  const names = listing(shown.map(({ arm, baseline }) => `${arm} against ${baseline}`))
  const subject = shown.length === contrasts.length && shown.length > 1
    ? 'All of these verdicts show'
    : `${names} show${shown.length > 1 ? '' : 's'}`
  const most = Math.max(...arms.map(({ load }) => load.connections))
  const option = protocol === 'ladder' ? '' : ` (--connections ${2 * most})`
  return [`${subject} hand-off latency, not capacity, since at least one arm was not saturated: try more connections` +
    `${option}.`]
}

/** Results of a run as sentences (pure). */
import { conditionsOf, differences } from './conditions.js'
import { excludesOne } from '../analysis/margin.js'
import {
  budgetFor, capitalize, duration, ended, estimate, estimateText, halfWidth, isNumber, level, listing, NONE, percent,
  plural
} from '../shared/format.js'
import { printContrastWhy } from './facts/facts.js'
import { compact } from './wrap.js'

/** @import { ArmResult, ClaimResult, Contrast, Plan, RunRecord, StandsApart } from '../types.js' */

const COMPARABLE_BLOCKS = 2 // An arm with fewer than half of another's blocks may have been measured much earlier.
const LEAST_STARTS = 3 // From two starts the variation between starts cannot be separated from that between blocks.
const ONE_START = 'One start: another start of the same processes may shift ratios by a percent or two, ' +
  'occasionally by far more.'

/** @type {Record<string, string>} */
const WHY_ENDED = {
  precision: 'ended by the precision reached',
  decided: 'ended when every verdict was decided',
  budget: 'ended by the time budget',
  blocks: 'ended after the requested blocks',
  interrupted: 'interrupted',
  failed: 'ended by a failure'
}

/**
 * Explains the table of contrasts: the level of its intervals, and the contrasts that are open, bounds or invalid.
 * @param {Pick<RunRecord, 'contrasts' | 'arms' | 'plan'>} record
 * @returns {string[]}
 */
export function contrastSentences ({ contrasts, arms, plan }) {
  const usual = contrasts.filter(contrast => isUsual(contrast, arms))
  return compact([
    usual.length > 0 && intervalSentence(usual, plan),
    ...contrasts.filter(contrast => !usual.includes(contrast)).map(contrast => contrastSentence(contrast, arms)),
    contrasts.length > 0 && blocksSentence(arms)
  ])
}

/**
 * Returns whether the table shows all of a contrast.
 * @param {Contrast} contrast
 * @param {ArmResult[]} arms
 */
const isUsual = (contrast, arms) =>
  ['faster', 'slower', 'no-difference'].includes(contrast.verdict) && !contrast.oneSided && !contrast.why &&
  !heldBack(contrast, arms)

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
  const counts = arms.flatMap(({ invalid, trials, invalidTrials }) => invalid ? [] : [trials - invalidTrials.length])
  const [fewest, most] = [Math.min(...counts), Math.max(...counts)]
  return counts.length > 0 && fewest < most / COMPARABLE_BLOCKS &&
    `Rates and CPU times are those of each arm's own blocks, ${fewest} to ${most}: between them the machine's ` +
    'speed may change, so compare two arms by their ratio.'
}

/**
 * Returns the verdict of a contrast.
 * @param {Contrast} contrast
 * @param {ArmResult[]} arms of the same record
 * @returns {string}
 */
export function contrastSentence (contrast, arms) {
  const { arm, baseline, verdict, oneSided } = contrast
  if (verdict === 'invalid') {
    return `${arm} against ${baseline} is invalid: ${ended(printContrastWhy(contrast) ?? 'no reason was recorded')}`
  }
  if (heldBack(contrast, arms)) {
    return `Whether ${arm} is faster or slower than ${baseline} is open: the load generator was the bottleneck in both.`
  }
  const ratio = ratioClause(contrast)
  if (verdict === 'inconclusive') {
    return `Whether ${arm} is faster or slower than ${baseline} is open: ${ratio}.${reasonAndTime(contrast)}`
  }
  if (verdict === 'no-difference') {
    return `${arm} and ${baseline} are equally fast: ${ratio}, ${percent(distanceFromOne(contrast))} apart at most.`
  }
  const bottleneck = oneSided === 'at-least' ? arm : baseline
  const cause = oneSided
    ? `, as the load generator was the bottleneck in ${bottleneck}; the true ratio may be ` +
      (oneSided === 'at-least' ? 'higher' : 'lower')
    : ''
  return `${arm} is ${verdict} than ${baseline}: ${ratio}${cause}.`
}

/**
 * Returns whether the load generator or the link was the bottleneck of both arms, so that their ratio is not theirs.
 * @param {Contrast} contrast
 * @param {ArmResult[]} arms
 */
export const heldBack = (contrast, arms) =>
  [contrast.arm, contrast.baseline].every(name =>
    arms.some(arm => arm.name === name && (arm.bound === 'load' || arm.bound === 'network'))
  )

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
const distanceFromOne = ({ low, high }) =>
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

/**
 * Reports the starts of all processes, the noise between and within them, and the blocks after which verdicts were
 * decided.
 * @param {Pick<RunRecord, 'noise' | 'standsApart' | 'contrasts' | 'plan'>} record
 * @returns {string[]}
 */
export function startSentences ({ noise, standsApart = [], contrasts, plan }) {
  if (!noise) return hadOneStart(plan) ? [ONE_START] : []
  // A contrast whose load was the bottleneck has no verdict, although its decision was counted.
  const decided = contrasts.flatMap(({ arm, baseline, decidedAtBlock, verdict }) =>
    isNumber(decidedAtBlock) && !['inconclusive', 'invalid'].includes(verdict)
      ? [`${arm} against ${baseline} after ${plural(decidedAtBlock + 1, 'block')}`]
      : [])
  return compact([
    `The intervals come from ${plural(noise.starts, 'start')} of all processes: ${noiseClause(noise)}.`,
    decided.length > 0 && `Decided: ${listing(decided)}.`,
    ...standsApart.map(outlierSentence)
  ])
}

/**
 * Returns how much the ratio of two arms varied. Leaves out an estimate from too few starts.
 * @param {NonNullable<RunRecord['noise']>} noise
 */
function noiseClause ({ starts, startSd, sliceSd }) {
  if (starts < LEAST_STARTS) return `between blocks of one start the ratio of two arms varied by ${percent(sliceSd)}`
  const between = startSd === 0 ? 'no more than blocks explain' : `by ${percent(startSd)}`
  return `between starts the ratio of two arms varied ${between}, between blocks of one start by ${percent(sliceSd)}`
}

/**
 * Prints the number of starts of all processes.
 * @param {Pick<RunRecord, 'contrasts' | 'plan'>} record
 * @returns {string} "13 starts"
 */
export function startsText ({ contrasts, plan }) {
  const starts = Math.max(1, ...contrasts.map(({ starts = 1 }) => starts))
  return starts === 1 && !hadOneStart(plan) ? 'a start for every trial' : plural(starts, 'start')
}

/**
 * Returns whether all blocks come from one start. Protocols with windows start everything for each window. Plans of
 * older versions have no `startBlocks`, and some of them have slices whose length is chosen during the run.
 * @param {Plan} plan
 */
const hadOneStart = ({ startBlocks, windowSeconds, adaptive }) =>
  startBlocks === null || (startBlocks === undefined && (windowSeconds === undefined || adaptive !== undefined))

/** @param {StandsApart} outlier */
function outlierSentence ({ arm, start, factor, fromBlock }) {
  const since = fromBlock === null ? '' : `, from block ${fromBlock + 1} on`
  return `Start ${start + 1} of ${arm} is an outlier: ${factor.toFixed(2)} times as fast as its other starts` +
    `${since}. It is not discarded.`
}

/**
 * Reports the differences that may be noise.
 * @param {Pick<RunRecord, 'noiseFloor' | 'noise' | 'standsApart' | 'contrasts' | 'plan' | 'protocol'>} record
 * @returns {string[]}
 */
export function noiseSentences (record) {
  const { plan: { twin }, noiseFloor, contrasts } = record
  if (contrasts.length === 0 && !twin) return []
  return [...twin ? [noiseFloorSentence(noiseFloor, twin.of)] : [], ...startSentences(record)]
}

/**
 * @param {RunRecord['noiseFloor']} noiseFloor
 * @param {string} name of the arm with a twin
 */
function noiseFloorSentence (noiseFloor, name) {
  if (!noiseFloor || !isNumber(noiseFloor.ratio)) {
    return `The noise floor of this run is unknown: too few valid blocks of ${name} and its twin.`
  }
  const { ratio, interval } = estimate(noiseFloor)
  const floor = `Noise floor (A/A): ${name} against its own twin measured ${ratio} (${interval})`
  const distance = percent(distanceFromOne(noiseFloor))
  return excludesOne(noiseFloor)
    ? `${floor}, which excludes 1: differences below ${distance} are inconclusive.`
    : `${floor}: differences of up to ${distance} may be noise.`
}

/**
 * Prints the published and the measured figure of a claim.
 * @param {ClaimResult} claim
 */
export function claimFigures (claim) {
  const { published, source } = claim
  const publishedText = isNumber(published) ? published.toFixed(2) : published
  const measured = measuredText(claim)
  return `published ${publishedText} (${source.author} ${source.year}), ` +
    (measured === null ? 'not measured' : `measured ${measured}`)
}

/** @param {Pick<ClaimResult, 'measured' | 'low' | 'high'>} claim */
export function measuredText ({ measured, low, high }) {
  if (isNumber(measured)) return estimateText({ ratio: measured, low, high })
  return typeof measured === 'string' ? measured : null
}

/**
 * Lists the conditions that differ from each publication, so that a figure is only reproduced and not confirmed.
 * @param {RunRecord} record
 */
export function conditionSentences (record) {
  const bySource = new Map(record.claims.filter(({ status }) => status !== 'not-testable')
    .map(claim => [claim.source.title, claim]))
  return [...bySource.values()].flatMap(claim => {
    const differ = differences(conditionsOf(claim), record)
    const { author, year } = claim.source
    return differ.length === 0 ? [] : [`Different from ${author} ${year}: ${listing(differ)}.`]
  })
}

/**
 * Reports how much was measured, and why the run ended.
 * @param {RunRecord} record
 */
export function endSentence ({ timing, endedAt, ended: reason, contrasts, plan, sizing }) {
  // Uses measured durations, because the clock may have been set between start and end.
  const seconds = endedAt ? timing.setupSeconds + timing.sliceWallSeconds : null
  if (sizing) {
    const trials = sizing.topologies.reduce((sum, { trials, curve }) => sum + trials.length + curve.length, 0)
    return `${plural(trials, 'trial')} in ${duration(seconds)}${reason === 'interrupted' ? ', interrupted' : ''}. ` +
      `Seed ${plan.seed}.`
  }
  const amount = `${plural(timing.blocks, 'block')}${isNumber(seconds) ? ` in ${duration(seconds)}` : ''}`
  const widest = Math.max(...contrasts.map(contrast => halfWidth(contrast) ?? NaN))
  const precision = isNumber(widest) ? `, widest half-width ±${percent(widest)}` : ''
  return `${amount}, ${WHY_ENDED[reason ?? ''] ?? 'cut off before its end'}${precision}. Seed ${plan.seed}.`
}

/**
 * Lists the machine and the programs.
 * @param {RunRecord} record
 */
export function machineSentence ({ environment: { cpu, platform, kernel, node }, tools }) {
  const programs = Object.entries(tools).map(([name, version]) => `${name} ${version}`)
  const parts = [`${cpu.model}, ${plural(cpu.cores, 'core')}`, `${platform} ${kernel}`, `Node ${node}`, ...programs]
  return `${parts.join(', ')}.`
}

/**
 * Reports the resolution of this machine by its last selftest.
 * @param {Pick<RunRecord, 'resolves'>} record
 */
export const resolvesSentence = ({ resolves }) => resolves
  ? `This machine resolves ${percent(resolves.difference)} in ${plural(resolves.minutes, 'minute')} (${resolves.run}).`
  : null

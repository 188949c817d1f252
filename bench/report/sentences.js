/** What was found, as sentences.
 * @import { ArmResult, ClaimResult, Contrast, Plan, RunRecord, StandsApart } from '../types.js' */
import { conditionsOf, differences } from '../analysis/conditions.js'
import { excludesOne } from '../analysis/margin.js'
import {
  budgetFor, duration, ended, estimate, estimateText, halfWidth, isNumber, level, listing, NONE, percent, plural
} from '../shared/format.js'

/** What the table of contrasts does not show: what its intervals are, and of those that are open, bounds or invalid,
 * why. @param {Pick<RunRecord, 'contrasts' | 'arms' | 'plan'>} record @returns {string[]} */
export function contrastSentences ({ contrasts, arms, plan }) {
  const plain = contrasts.filter(contrast => isPlain(contrast, arms))
  return [
    ...plain.length > 0 ? [intervalSentence(plain, plan)] : [],
    ...contrasts.filter(contrast => !plain.includes(contrast)).map(contrast => contrastSentence(contrast, arms)),
    ...contrasts.length > 0 ? ownBlocksSentence(arms) : []
  ]
}

/** Arms of which everything is decided rest, and the others are measured on, perhaps on a faster machine.
 * @param {ArmResult[]} arms @returns {string[]} */
function ownBlocksSentence (arms) {
  const counts = arms.flatMap(({ invalid, trials, invalidTrials }) => invalid ? [] : [trials - invalidTrials.length])
  const [fewest, most] = [Math.min(...counts), Math.max(...counts)]
  return counts.length > 0 && fewest < most / RESTED
    ? [`Rates and CPU times are those of each arm's own blocks, ${fewest} to ${most}: between them the machine's ` +
      'speed may change, so compare two arms by their ratio.']
    : []
}
const RESTED = 2 // With fewer blocks than half of another's they may well be of another hour.

/** @param {Contrast} contrast @param {ArmResult[]} arms */
const isPlain = (contrast, arms) =>
  ['faster', 'slower', 'no-difference'].includes(contrast.verdict) && !contrast.oneSided && !contrast.why &&
  !heldBack(contrast, arms)

/** @param {Contrast[]} contrasts at least one @param {Pick<Plan, 'targets'>} plan */
function intervalSentence (contrasts, { targets }) {
  const blocks = contrasts.map(contrast => contrast.blocks)
  const [fewest, most] = [Math.min(...blocks), Math.max(...blocks)]
  const together = targets.adjusted && contrasts.length > 1 ? ', so that all of them hold together at 95 %' : ''
  return `Each interval is a ${level(contrasts[0].level)} CI from ` +
    `${fewest === most ? '' : `${fewest} to `}${plural(most, 'block')}${together}.`
}

/** The verdict of a contrast. @param {Contrast} contrast @param {ArmResult[]} arms of the same record @returns {string}
 */
export function contrastSentence (contrast, arms) {
  const { arm, baseline, verdict, why, oneSided } = contrast
  if (verdict === 'invalid') {
    return `${arm} against ${baseline} is invalid: ${ended(why ?? 'no reason was recorded')}`
  }
  if (heldBack(contrast, arms)) {
    return `Whether ${arm} is faster or slower than ${baseline} is open: the load generator was the bottleneck in both.`
  }
  if (verdict === 'inconclusive') {
    return `Whether ${arm} is faster or slower than ${baseline} is open: ${known(contrast)}.${reasonAndTime(contrast)}`
  }
  if (verdict === 'no-difference') {
    return `${arm} and ${baseline} are equally fast: ${known(contrast)}, ${percent(farthestFromOne(contrast))} ` +
      'apart at most.'
  }
  const cause = oneSided &&
    `, as the load generator was the bottleneck in ${oneSided === 'at-least' ? arm : baseline}; the true ratio may ` +
    `be ${oneSided === 'at-least' ? 'higher' : 'lower'}`
  return `${arm} is ${verdict} than ${baseline}: ${known(contrast)}${cause ?? ''}.`
}

/** Of two arms that the load generator or the link held back, the ratio is that of what held them back and says nothing
 * of them. @param {Contrast} contrast @param {ArmResult[]} arms */
export const heldBack = (contrast, arms) =>
  [contrast.arm, contrast.baseline].every(name =>
    arms.some(arm => arm.name === name && (arm.bound === 'load' || arm.bound === 'network'))
  )

/** What is known of a ratio: a point with its interval, or one end of it where the load generator hid the other.
 * @param {Contrast} contrast */
function known (contrast) {
  const text = estimate(contrast)
  const [word, bound] = contrast.oneSided === 'at-least' ? ['at least', text.low] : ['at most', text.high]
  if (!contrast.oneSided || bound === NONE) return measuredRatio(contrast)
  return `${word} ${bound} times as fast (${level(contrast.level)} CI, ${plural(contrast.blocks, 'block')})`
}

/** @param {Contrast} contrast */
function measuredRatio ({ ratio, low, high, level: confidence, blocks }) {
  const text = estimate({ ratio, low, high })
  if (text.ratio === NONE) return 'there is no ratio'
  const interval = text.interval === NONE
    ? 'too few blocks for an interval'
    : `${text.interval}, ${level(confidence)} CI, ${plural(blocks, 'block')}`
  return `${text.ratio} times as fast (${interval})`
}

/** @param {Contrast} contrast */
function reasonAndTime ({ why, secondsToSettle }) {
  const reason = why ? ` ${ended(capital(why))}` : ''
  if (!isNumber(secondsToSettle)) return reason
  const budget = budgetFor(secondsToSettle)
  return `${reason} Estimated budget for a verdict: ${duration(budget)} (--budget ${budget}s).`
}

/** The farthest that an interval reaches from "as fast", as a share.
 * @param {{ low: number | null, high: number | null }} interval */
const farthestFromOne = ({ low, high }) =>
  isNumber(low) && isNumber(high) ? Math.max(Math.abs(low - 1), Math.abs(high - 1)) : null

/** Verdicts that are about latency, though they are of rates, and what would make them about capacity.
 * @param {Pick<RunRecord, 'contrasts' | 'arms' | 'protocol'>} record @returns {string[]} one sentence at most */
export function saturationSentence ({ contrasts, arms, protocol }) {
  const shown = contrasts.filter(({ measures, verdict }) =>
    measures === 'hand-off latency' && ['faster', 'slower', 'no-difference'].includes(verdict))
  if (shown.length === 0) return []
  const most = Math.max(...arms.map(({ load }) => load.connections))
  const which = shown.length === contrasts.length && shown.length > 1
    ? 'All of these verdicts show'
    : `${listing(shown.map(({ arm, baseline }) => `${arm} against ${baseline}`))} show${shown.length > 1 ? '' : 's'}`
  return [`${which} hand-off latency, not capacity, since at least one arm was not saturated: try more connections` +
    `${protocol === 'ladder' ? '' : ` (--connections ${2 * most})`}.`]
}

/** What the intervals rest on: starts of all processes, and how much they and the blocks within them vary.
 * @param {Pick<RunRecord, 'noise' | 'standsApart' | 'contrasts' | 'plan'>} record @returns {string[]} */
export function startSentences ({ noise, standsApart = [], contrasts, plan }) {
  if (!noise) return hadOneStart(plan) ? [ONE_START] : []
  // One whose load was the bottleneck, or that is invalid, has no verdict all the same.
  const decided = contrasts.filter(({ decidedAtBlock, verdict }) =>
    isNumber(decidedAtBlock) && !['inconclusive', 'invalid'].includes(verdict))
  return [
    `The intervals come from ${plural(noise.starts, 'start')} of all processes: between starts the ratio of two arms ` +
    `varied by ${percent(noise.startSd)}, between blocks of one start by ${percent(noise.sliceSd)}.`,
    ...decided.length > 0
      ? [`Decided: ${listing(decided.map(({ arm, baseline, decidedAtBlock }) =>
        `${arm} against ${baseline} after ${plural(Number(decidedAtBlock) + 1, 'block')}`))}.`]
      : [],
    ...standsApart.map(standsApartSentence)
  ]
}

/** How often all processes were started. @param {Pick<RunRecord, 'contrasts' | 'plan'>} record
 * @returns {string} "13 starts" */
export function startsOf ({ contrasts, plan }) {
  const starts = Math.max(1, ...contrasts.map(({ starts = 1 }) => starts))
  return starts === 1 && !hadOneStart(plan) ? 'a start for every trial' : plural(starts, 'start')
}

/** Where a window has a length, everything is started anew for it. @param {Plan} plan */
const hadOneStart = ({ startBlocks, windowSeconds, adaptive }) =>
  startBlocks === null || (startBlocks === undefined && (windowSeconds === undefined || adaptive !== undefined))

const ONE_START = 'One start: another start of the same processes may shift ratios by a percent or two, ' +
  'occasionally by far more.'

/** @param {StandsApart} one */
const standsApartSentence = ({ arm, start, factor, fromBlock }) =>
  `Start ${start + 1} of ${arm} is an outlier: ${factor.toFixed(2)} times as fast as its other starts` +
  `${fromBlock === null ? '' : `, from block ${fromBlock + 1} on`}. It is not discarded.`

/** How much an arm differs from itself.
 * @param {Pick<RunRecord, 'noiseFloor' | 'noise' | 'standsApart' | 'contrasts' | 'plan' | 'protocol'>} record
 * @returns {string[]} */
export function noiseSentences (record) {
  const { plan, noiseFloor, contrasts } = record
  if (contrasts.length === 0 && !plan.twin) return []
  return [...plan.twin ? [noiseFloorSentence(noiseFloor, plan.twin.of)] : [], ...startSentences(record)]
}

/** @param {RunRecord['noiseFloor']} noiseFloor @param {string} name of the arm with a twin */
function noiseFloorSentence (noiseFloor, name) {
  if (!noiseFloor || !isNumber(noiseFloor.ratio)) {
    return `The noise floor of this run is unknown: too few valid blocks of ${name} and its twin.`
  }
  const { ratio, interval } = estimate(noiseFloor)
  const itself = `Noise floor (A/A): ${name} against its own twin measured ${ratio} (${interval})`
  return excludesOne(noiseFloor)
    ? `${itself}, which excludes 1: differences below ${percent(farthestFromOne(noiseFloor))} are inconclusive.`
    : `${itself}: differences of up to ${percent(farthestFromOne(noiseFloor))} may be noise.`
}

/** Published against measured. @param {ClaimResult} claim */
export function claimFigures ({ published, measured, low, high, source }) {
  const figures = isNumber(measured)
    ? estimateText({ ratio: measured, low, high })
    : typeof measured === 'string'
      ? measured
      : null
  return `published ${isNumber(published) ? published.toFixed(2) : published} (${source.author} ${source.year}), ` +
    `${figures === null ? 'not measured' : `measured ${figures}`}`
}

/** What of the published conditions is different here, a sentence for each publication: why a figure is called
 * reproduced and not confirmed. @param {RunRecord} record */
export function conditionSentences (record) {
  const bySource = new Map(record.claims.filter(({ status }) => status !== 'not-testable')
    .map(claim => [claim.source.title, claim]))
  return [...bySource.values()].flatMap(claim => {
    const differ = differences(conditionsOf(claim), record)
    const { author, year } = claim.source
    return differ.length === 0 ? [] : [`Different from ${author} ${year}: ${listing(differ)}.`]
  })
}

/** How much was measured, and why it ended. @param {RunRecord} record */
export function endSentence ({ timing, endedAt, ended: reason, contrasts, plan, sizing }) {
  // Not the difference of two times of day: the clock may have been set in between.
  const seconds = endedAt ? timing.setupSeconds + timing.sliceWallSeconds : null
  if (sizing) {
    const trials = sizing.topologies.reduce((sum, { trials, curve }) => sum + trials.length + curve.length, 0)
    return `${plural(trials, 'trial')} in ${duration(seconds)}${reason === 'interrupted' ? ', interrupted' : ''}. ` +
      `Seed ${plan.seed}.`
  }
  const amount = `${plural(timing.blocks, 'block')}${isNumber(seconds) ? ` in ${duration(seconds)}` : ''}`
  const widest = Math.max(...contrasts.map(contrast => halfWidth(contrast) ?? NaN))
  const reached = isNumber(widest) ? `, widest half-width ±${percent(widest)}` : ''
  return `${amount}, ${WHY_ENDED[reason ?? ''] ?? 'cut off before its end'}${reached}. ` +
    `Seed ${plan.seed}.`
}

/** @type {Record<string, string>} */
const WHY_ENDED = {
  precision: 'ended by the precision reached',
  decided: 'ended when every verdict stood',
  budget: 'ended by the time budget',
  blocks: 'ended after the requested blocks',
  interrupted: 'interrupted',
  failed: 'ended by a failure'
}

/** The machine and the programs. @param {RunRecord} record */
export function machineSentence ({ environment: { cpu, platform, kernel, node }, tools }) {
  const programs = Object.entries(tools).map(([name, version]) => `${name} ${version}`)
  return [`${cpu.model}, ${plural(cpu.cores, 'core')}`, `${platform} ${kernel}`, `Node ${node}`, ...programs].join(
    ', '
  ) + '.'
}

/** What the last selftest on this machine says of it. @param {Pick<RunRecord, 'resolves'>} record */
export const resolvesSentence = ({ resolves }) => resolves
  ? `This machine resolves ${percent(resolves.difference)} in ${plural(resolves.minutes, 'minute')} (${resolves.run}).`
  : null

const capital = (/** @type {string} */ text) => text.slice(0, 1).toUpperCase() + text.slice(1)

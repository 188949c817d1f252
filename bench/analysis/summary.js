/** Samples → arms, contrasts, noise floor, and whether to go on (pure). A block counts for a contrast when both arms
 * were valid in it; blocks at the start that still trend in all arms count for none.
 * @import { ArmResult, Contrast, Plan, Reason, Sample, StandsApart, StartNoise } from '../types.js' */
import { contrastRatio } from './contrast-ratio.js'
import { fitStarts, noiseOf, standsApart } from './starts.js'
import { blockLogRatios } from './stats/block-ratios.js'
import { pooledWidening } from './stats/dependence.js'
import { leadingTrend, WINDOW } from './stats/leading.js'
import { halfWidth, pairedRatio } from './stats/paired.js'
import { armResult, commonest, processesOf } from './arm-result.js'
import { blocksToSettle, knownFrom, verdictOf } from './verdict.js'
import { levelOf, smallestSampleFor } from '../plan/sample-size.js'
import { isDisturbance } from '../shared/disturbance.js'
import { resultOf } from '../plan/plan.js'
import { JUDGED_FROM_TRIALS, LEVEL, LONGEST_BUDGET_SECONDS, RATIO_KNOWN } from '../shared/thresholds.js'

/** @import { Rates } from './starts.js' */

/** @typedef {object} Input
 * @property {Plan} plan
 * @property {Sample[]} samples in any order; those of arms that the plan does not know are left out
 * @property {Record<string, Reason>} [armFailures] arms that are invalid as a whole, and why
 * @property {{ load: number[], served: number[], generators?: number }} cores
 * @property {Record<string, { proxy?: number, server?: number }>} [processes] for an arm, how many cores its proxy and
 * its server can use; left out: what its topology says
 * @property {readonly (number | null)[]} [decidedBefore] for each contrast the block after which an earlier look had
 * decided it: what a start's first blocks are worth may look otherwise behind its last one, and a decision stands
 * @property {{ setupSeconds: number, sliceWallSeconds: number } | null} [timing] of the run so far, the second the wall
 * time of all its blocks; without it no time to settle can be estimated */

/** @typedef {object} Summary
 * @property {ArmResult[]} arms
 * @property {Contrast[]} contrasts
 * @property {{ ratio: number, low: number, high: number } | null} noiseFloor
 * @property {number[]} halfWidths of each contrast's interval as a share; NaN or Infinity without one
 * @property {boolean[]} decided for each contrast: its verdict is neither inconclusive nor invalid
 * @property {number} blocks how many were begun
 * @property {number} dropped how many of them were dropped at the beginning of a start, because they trended
 * @property {string[]} needed arms of contrasts whose verdict or size is open, and arms without a contrast
 * @property {StandsApart[]} standsApart
 * @property {StartNoise | null} noise null: one start */

/** @param {Input} input @returns {Summary} */
export function summarize (input) {
  const { plan, samples, armFailures = {}, cores, processes = {}, timing = null, decidedBefore = [] } = input
  const { byArm, blocks, dropped, startOf } = validBlocks(plan, samples)
  const arms = plan.arms.map(arm =>
    armResult({
      arm,
      samples: samples.filter(sample => sample.arm === arm.name),
      blocks: of(byArm, arm.name),
      failure: armFailures[arm.name] ?? null,
      cores,
      processes: processes[arm.name] ?? processesOf(arm)
    })
  )
  const noiseFloor = noiseFloorOf(plan, arms, byArm)
  const starts = replaced(samples) ? fitStarts(byArm, startOf) : null
  const level = levelOf(plan)
  const wider = plan.startBlocks === null ? widerByAll(byArm) : undefined
  const contrasts = plan.contrasts.map(([arm, baseline], i) =>
    contrastOf({
      arms: [find(arms, arm), find(arms, baseline)],
      paired: stillDecided(contrastRatio({ byArm, startOf, starts, wider }, [arm, baseline], level), decidedBefore[i]),
      level,
      noiseFloor,
      timing
    })
  )
  return {
    arms,
    contrasts,
    noiseFloor,
    halfWidths: contrasts.map(halfWidth),
    decided: contrasts.map(({ verdict }) => verdict !== 'inconclusive' && verdict !== 'invalid'),
    blocks,
    dropped,
    needed: neededArms(plan, contrasts),
    standsApart: starts ? standsApart(starts) : [],
    noise: starts && starts.starts.length > 1 ? noiseOf(starts) : null
  }
}

/** Of a quick run of gang slices, whose number of blocks is given. @param {Rates} byArm
 * @returns {number | undefined} undefined: of two arms one says what the other does */
function widerByAll (byArm) {
  const { fit, arms } = fitStarts(byArm, new Map())
  if (arms.length < LEAST_ARMS) return undefined
  return pooledWidening(fit.residuals.map(([own = []]) => own.filter(r => !Number.isNaN(r))))
}
const LEAST_ARMS = 3

/** Its verdict does not stand yet, or the size of the ratio is not known. Where the load generator was the bottleneck
 * one end is not known whatever is measured. @param {Contrast} contrast */
const isOpen = ({ decidedAtBlock = null, ...interval }) => {
  const half = halfWidth(interval)
  return decidedAtBlock === null || (Number.isFinite(half) && half > RATIO_KNOWN)
}

/** @param {ReturnType<typeof contrastRatio>} paired @param {number | null} [before] */
const stillDecided = (paired, before = null) => ({ ...paired, ...before !== null && { decidedAtBlock: before } })

/** Do these processes have lives with numbers? @param {Sample[]} samples */
const replaced = samples => samples.some(({ start }) => start !== undefined)

/** An arm without a contrast is measured for its own sake; a twin as long as the arm that it repeats.
 * @param {Plan} plan @param {Contrast[]} contrasts @returns {string[]} in the order of the plan */
function neededArms ({ arms }, contrasts) {
  return arms.filter(({ name, twinOf }) => {
    const own = contrasts.filter(({ arm, baseline }) => [arm, baseline].includes(twinOf ?? name))
    return own.length === 0 || own.some(contrast => contrast.verdict !== 'invalid' && isOpen(contrast))
  }).map(({ name }) => name)
}

/** Throughput by arm and block, of valid trials behind the leading trend of their start. @param {Plan} plan
 * @param {Sample[]} samples
 * @returns {{ byArm: Rates, startOf: Map<number, number>, blocks: number, dropped: number }} startOf: of each block */
export function validBlocks (plan, samples) {
  // Slices of another length, before one was chosen, vary otherwise.
  const from = plan.adaptive?.from ?? 0
  const numbers = [...new Set(samples.map(({ block }) => block))].filter(block => block >= from).sort((a, b) => a - b)
  const byArm = new Map(plan.arms.map(({ name }) => [name, /** @type {Map<number, number>} */ (new Map())]))
  for (const { arm, block, rps, invalid } of samples) if (!invalid && block >= from) byArm.get(arm)?.set(block, rps)
  const startOf = new Map(samples.map(({ block, start = 0 }) => [block, start]))
  const starts = [...new Set(numbers.map(block => startOf.get(block)))]
  const trending = starts.flatMap(start => {
    const own = numbers.filter(block => startOf.get(block) === start)
    const window = starts.length > 1 ? Math.min(WINDOW, own.length) : WINDOW
    return own.slice(0, leadingTrend([...byArm.values()].map(arm => own.map(block => arm.get(block) ?? NaN)), window))
  })
  for (const arm of byArm.values()) for (const block of trending) arm.delete(block)
  return { byArm, startOf, blocks: numbers.length, dropped: trending.length }
}

/** @typedef {{ stop: boolean, ended: 'precision' | 'decided' | 'blocks' | 'budget' | 'failed' | null }} Stop decided:
 * every contrast, and every ratio is known */

/** Whether to measure another block. Never because of a verdict: a run that stops at the first significant difference
 * finds one in every fifth pair of twins. What was decided by a sequence that may be looked at after every block is
 * another matter. @param {Summary} summary @param {Plan} plan
 * @param {{ seconds: number, nextBlockSeconds?: number, needed?: string[] | null }} elapsed wall time of the whole run,
 * what another block will take, and the arms that are measured still, null: all @returns {Stop} */
export function stopDecision (summary, plan, { seconds, nextBlockSeconds = 0, needed = null }) {
  const { targets } = plan
  const valid = summary.contrasts.filter(({ verdict }) => verdict !== 'invalid')
  // An anytime-valid sequence decided the others, at any number of blocks.
  const open = valid.filter(contrast => targets.fixed || isOpen(contrast))
  const counted = open.length > 0
    ? Math.min(...open.map(({ blocks }) => blocks))
    : summary.blocks - summary.dropped - disturbedBlocks(summary, plan.adaptive?.from)
  const stop = (/** @type {NonNullable<Stop['ended']>} */ ended) => ({ stop: true, ended })
  // Each arm rests since all of its contrasts were decided and known: an interval that grew again opens none.
  const settled = open.length === 0 || needed?.length === 0
  if (summary.contrasts.length > 0 && settled) return stop(valid.length > 0 ? 'decided' : 'failed')
  // Of rates that were asked for there is no precision to reach.
  if ((resultOf(plan) === 'latency' || (plan.twin === null && plan.contrasts.length === 0)) &&
    counted >= targets.minBlocks) return stop('blocks')
  if (counted >= targets.minBlocks && precisionReached(open, targets.precision)) return stop('precision')
  // A block lost to an invalid trial is made up for, but not without end: until an arm is invalid as a whole.
  const most = Math.max(2 * (targets.maxBlocks ?? Infinity), JUDGED_FROM_TRIALS)
  if (targets.maxBlocks !== null && (counted >= targets.maxBlocks || summary.blocks >= most)) return stop('blocks')
  if (seconds + nextBlockSeconds > targets.budgetSeconds) return stop('budget')
  return { stop: false, ended: null }
}

/** Blocks with a trial that says nothing about its arm. @param {Pick<Summary, 'arms'>} summary
 * @param {number} [from] the first block that counts */
const disturbedBlocks = ({ arms }, from = 0) => new Set(arms.flatMap(({ invalidTrials }) => invalidTrials
  .filter(({ block, reason }) => block >= from && isDisturbance(reason)).map(({ block }) => block))).size

/** @param {{ low: number, high: number }[]} contrasts @param {number} precision half-width as a share */
export const precisionReached = (contrasts, precision) => contrasts.every(contrast => halfWidth(contrast) <= precision)

/** @param {Plan} plan @param {ArmResult[]} arms @param {Map<string, Map<number, number>>} byArm
 * @returns {Summary['noiseFloor']} */
function noiseFloorOf ({ twin }, arms, byArm) {
  if (!twin || find(arms, twin.arm).invalid || find(arms, twin.of).invalid) return null
  const { ratio, low, high, blocks } = pairedRatio(blockLogRatios(of(byArm, twin.arm), of(byArm, twin.of)), LEVEL)
  return blocks >= smallestSampleFor(LEVEL) ? { ratio, low, high } : null
}

/** @param {object} input @param {[ArmResult, ArmResult]} input.arms arm and baseline
 * @param {ReturnType<typeof contrastRatio>} input.paired @param {number} input.level
 * @param {Summary['noiseFloor']} input.noiseFloor @param {Input['timing'] & {} | null} input.timing @returns {Contrast}
 */
function contrastOf ({ arms: [arm, baseline], paired, level, noiseFloor, timing }) {
  const known = knownFrom(arm.bound, baseline.bound)
  const measures = measuredBy(arm, baseline)
  const contrast = {
    arm: arm.name,
    baseline: baseline.name,
    ...paired,
    level,
    oneSided: known === 'nothing' ? null : known,
    ...measures && { measures }
  }
  const failed = [arm, baseline].find(({ invalid }) => invalid)
  if (failed) {
    return { ...contrast, verdict: 'invalid', why: `${failed.name}: ${failed.invalid?.text}`, secondsToSettle: null }
  }
  if (paired.blocks < smallestSampleFor(level) && !paired.starts) {
    const why = tooFew(paired.blocks, level, [arm, baseline])
    return {
      ...contrast,
      verdict: 'inconclusive',
      why,
      secondsToSettle: timeFor(smallestSampleFor(level) / paired.blocks, timing)
    }
  }
  const { verdict, why, moreBlocksHelp } = verdictOf(paired, { noiseFloor, known })
  const secondsToSettle = moreBlocksHelp ? timeFor(blocksToSettle(paired, level), timing) : null
  return secondsToSettle !== null && secondsToSettle > LONGEST_BUDGET_SECONDS
    ? { ...contrast, verdict, why: `${why}: not attainable on this machine`, secondsToSettle: null }
    : { ...contrast, verdict, why, secondsToSettle }
}

/** Only arms that are saturated do what they can: others are offered no more, and their rate is connections ÷ the
 * time that handing on a request takes (J. D. C. Little, Operations Research 9(3), 1961, 383-387).
 * @param {ArmResult[]} arms @returns {Contrast['measures']} undefined: without CPU time it is unknown */
function measuredBy (...arms) {
  if (arms.some(({ cpuMicrosPerRequest: cpu, load }) => !cpu || load.rate !== undefined || load.share !== undefined)) {
    return undefined
  }
  return arms.every(({ bound }) => SATURATED.includes(bound)) ? 'capacity' : 'hand-off latency'
}
const SATURATED = ['server', 'proxy', 'network']

/** @param {number} blocks @param {number} level @param {ArmResult[]} arms */
function tooFew (blocks, level, arms) {
  const need = `${blocks} of the ${smallestSampleFor(level)} blocks that an interval of this level needs`
  const lost = arms.filter(({ invalidTrials }) => invalidTrials.length > 0)
    .map(({ name, invalidTrials, trials }) =>
      `; ${invalidTrials.length} of ${trials} trials of ${name} are invalid: ` +
      `${commonest(invalidTrials.map(({ reason }) => reason)).text}`
    )
  return need + lost.join('')
}

/** @param {number} times as many blocks as now
 * @param {{ setupSeconds: number, sliceWallSeconds: number } | null} timing
 * @returns {number | null} wall time of a run with so many */
const timeFor = (times, timing) =>
  timing && Number.isFinite(times) ? timing.setupSeconds + timing.sliceWallSeconds * times : null

/** @param {ArmResult[]} arms @param {string} name @returns {ArmResult} */
const find = (arms, name) => /** @type {ArmResult} */ (arms.find(arm => arm.name === name))
/** @param {Map<string, Map<number, number>>} byArm @param {string} name */
const of = (byArm, name) => /** @type {Map<number, number>} */ (byArm.get(name))

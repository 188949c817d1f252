/** Samples → arms, contrasts, noise floor, and whether another block is needed (pure). */
import { computeContrastRatio } from './contrast-ratio.js'
import { computeStartNoise, findOutlyingStarts, fitStarts } from './starts.js'
import { pooledWidening } from './stats/dependence.js'
import { leadingTrend, WINDOW } from './stats/leading.js'
import { blockLogRatios, halfWidth, pairedRatio } from './stats/paired.js'
import { computeArmResult, findMostFrequent } from './arm-result.js'
import { computeBlockFactor, getKnownSide, verdictOf } from './verdict.js'
import { levelOf, smallestSampleFor } from '../plan/sample-size.js'
import { isDisturbance } from '../shared/disturbance.js'
import { resultOf } from '../plan/plan.js'
import { JUDGED_FROM_TRIALS, LEVEL, LONGEST_BUDGET_SECONDS, RATIO_KNOWN } from '../shared/thresholds.js'

/** @import { ArmResult, Contrast, ContrastWhy, Cores, OldReason, Plan, RatioInterval, Reason } from '../types.js' */
/** @import { RunEnd, RunTiming, Sample, StandsApart, StartNoise } from '../types.js' */
/** @import { Rates } from './starts.js' */

/**
 * @typedef {object} Summary
 * @property {ArmResult[]} arms
 * @property {Contrast[]} contrasts
 * @property {RatioInterval | null} noiseFloor
 * @property {number[]} halfWidths of the interval of each contrast, as a share; NaN or Infinity without an interval
 * @property {boolean[]} decided for each contrast: it has a verdict
 * @property {number} blocks started blocks
 * @property {number} dropped blocks dropped at the beginning of a start because they trended
 * @property {string[]} needed arms of open contrasts, and arms without a contrast
 * @property {StandsApart[]} standsApart
 * @property {StartNoise | null} noise null: one start
 */

/**
 * @param {object} input
 * @param {Plan} input.plan
 * @param {Sample[]} input.samples in any order; samples of arms that are not in the plan are ignored
 * @param {Record<string, Reason | OldReason>} [input.armFailures] arms that are invalid as a whole, and why
 * @param {Cores} input.cores
 * @param {readonly (number | null)[]} [input.decidedBefore] for each contrast, the block after which an earlier look
 *   decided it. A decision stays, although later blocks can change what the first blocks of a start are worth.
 * @param {Pick<RunTiming, 'setupSeconds' | 'sliceWallSeconds'> | null} [input.timing] of the run so far; null: the time
 *   to a verdict is not estimated
 * @returns {Summary}
 */
export function summarize ({ plan, samples, armFailures = {}, cores, timing = null, decidedBefore = [] }) {
  const { contrasts: pairs, targets, twin } = plan
  const { byArm, blocks, dropped, startOf } = selectBlocks(plan, samples)
  const arms = plan.arms.map(arm =>
    computeArmResult({
      arm,
      samples: samples.filter(sample => sample.arm === arm.name),
      blocks: getRates(byArm, arm.name),
      failure: armFailures[arm.name] ?? null,
      cores
    })
  )
  const noiseFloor = twin && computeNoiseFloor([twin.arm, twin.of], arms, byArm)
  const hasStarts = samples.some(({ start }) => start !== undefined)
  const starts = hasStarts ? fitStarts(byArm, startOf) : null
  const level = levelOf(pairs, targets)
  const wider = plan.startBlocks === null ? computePooledWidening(byArm) : undefined
  const contrasts = pairs.map((pair, i) => {
    const ratio = computeContrastRatio({ byArm, startOf, starts, wider }, pair, level)
    const decidedAtBlock = decidedBefore[i] ?? null
    const estimate = decidedAtBlock === null ? ratio : { ...ratio, decidedAtBlock }
    const [arm, baseline] = pair.map(name => findArm(arms, name))
    return judgeContrast([arm, baseline], estimate, { level, noiseFloor, timing })
  })
  return {
    arms,
    contrasts,
    noiseFloor,
    halfWidths: contrasts.map(halfWidth),
    decided: contrasts.map(({ verdict }) => verdict !== 'inconclusive' && verdict !== 'invalid'),
    blocks,
    dropped,
    needed: findNeededArms(plan, contrasts),
    standsApart: starts ? findOutlyingStarts(starts) : [],
    noise: starts && starts.starts.length > 1 ? computeStartNoise(starts) : null
  }
}

/**
 * Computes the widening for autocorrelation from the residuals of all arms. It applies to a quick run of gang slices,
 * whose number of blocks is fixed.
 *
 * @param {Rates} byArm
 * @returns {number | undefined} undefined: too few arms, because the residuals of two arms mirror each other
 */
function computePooledWidening (byArm) {
  const { fit, arms } = fitStarts(byArm, new Map())
  if (arms.length < 3) return undefined
  return pooledWidening(fit.residuals.map(([onlyStart = []]) => onlyStart.filter(r => !Number.isNaN(r))))
}

/**
 * Returns whether a contrast is not decided or the size of its ratio is unknown. Without both ends of its interval the
 * size never becomes known, because the load generator was the bottleneck.
 *
 * @param {Contrast} contrast
 */
function isOpen ({ decidedAtBlock = null, low, high }) {
  if (decidedAtBlock === null) return true
  const half = halfWidth({ low, high })
  return Number.isFinite(half) && half > RATIO_KNOWN
}

/**
 * Finds the arms that need more blocks: arms of open contrasts with their twins, and arms without a contrast.
 *
 * @param {Plan} plan
 * @param {Contrast[]} contrasts
 * @returns {string[]} in the order of the plan
 */
function findNeededArms ({ arms }, contrasts) {
  return arms.filter(({ name, twinOf }) => {
    const original = twinOf ?? name
    const own = contrasts.filter(({ arm, baseline }) => arm === original || baseline === original)
    return own.length === 0 || own.some(contrast => contrast.verdict !== 'invalid' && isOpen(contrast))
  }).map(({ name }) => name)
}

/**
 * Selects the rates of valid trials, without the blocks that still trend at the beginning of a start. A block is
 * evaluated for a contrast if both arms are valid in it.
 *
 * @param {Plan} plan
 * @param {Sample[]} samples
 * @returns {{ byArm: Rates, startOf: Map<number, number>, blocks: number, dropped: number }} startOf: start of each
 *   block
 */
export function selectBlocks (plan, samples) {
  const kept = samples.filter(({ block }) => block >= firstBlock(plan))
  const startOf = new Map(kept.map(({ block, start = 0 }) => [block, start]))
  const numbers = [...startOf.keys()].sort((a, b) => a - b)
  const byArm = new Map(plan.arms.map(({ name }) => [name, /** @type {Map<number, number>} */ (new Map())]))
  for (const { arm, block, rps, invalid } of kept) if (!invalid) byArm.get(arm)?.set(block, rps)

  const starts = [...new Set(numbers.map(block => startOf.get(block)))]
  const trending = starts.flatMap(start => {
    const ofStart = numbers.filter(block => startOf.get(block) === start)
    const window = starts.length > 1 ? Math.min(WINDOW, ofStart.length) : WINDOW
    const rates = [...byArm.values()].map(arm => ofStart.map(block => arm.get(block) ?? NaN))
    return ofStart.slice(0, leadingTrend(rates, window))
  })
  for (const rates of byArm.values()) for (const block of trending) rates.delete(block)
  return { byArm, startOf, blocks: numbers.length, dropped: trending.length }
}

/** Earlier versions could discard the first blocks of a run, whose slices had another length. @param {Plan} plan */
const firstBlock = ({ adaptive }) => adaptive?.from ?? 0

/**
 * Decides whether to measure another block. A run does not end at its first significant difference, because that finds
 * a difference in every fifth pair of twins. Only a decision of a sequence, which is valid at any number of blocks,
 * ends the measurement of a contrast.
 *
 * @param {Summary} summary
 * @param {Plan} plan
 * @param {{ seconds: number, nextBlockSeconds?: number, needed?: string[] | null }} progress seconds: wall time of the
 *   run so far; nextBlockSeconds: of another block; needed: arms that are still measured, null: all
 * @returns {Exclude<RunEnd, 'interrupted'> | null} why the run ends; null: measure another block
 */
export function findEnd (summary, plan, { seconds, nextBlockSeconds = 0, needed = null }) {
  const { targets } = plan
  const valid = summary.contrasts.filter(({ verdict }) => verdict !== 'invalid')
  const open = valid.filter(contrast => targets.fixed || isOpen(contrast))
  // Stops once every arm is retired, even if an interval widens later.
  const isSettled = open.length === 0 || needed?.length === 0
  if (summary.contrasts.length > 0 && isSettled) return valid.length > 0 ? 'decided' : 'failed'

  const blocks = open.length > 0
    ? Math.min(...open.map(contrast => contrast.blocks))
    : summary.blocks - summary.dropped - countDisturbedBlocks(summary, firstBlock(plan))
  if (blocks >= targets.minBlocks) {
    // Offered rates are inputs, so precision does not apply.
    const hasOfferedRates = resultOf(plan) === 'latency' || (plan.twin === null && plan.contrasts.length === 0)
    if (hasOfferedRates) return 'blocks'
    if (isPrecise(open, targets.precision)) return 'precision'
  }
  if (targets.maxBlocks !== null) {
    // Invalid trials are repeated, but not endlessly: only until an arm is invalid as a whole.
    const mostStarted = Math.max(2 * targets.maxBlocks, JUDGED_FROM_TRIALS)
    if (blocks >= targets.maxBlocks || summary.blocks >= mostStarted) return 'blocks'
  }
  return seconds + nextBlockSeconds > targets.budgetSeconds ? 'budget' : null
}

/**
 * Counts the blocks in which a trial was disturbed.
 *
 * @param {Pick<Summary, 'arms'>} summary
 * @param {number} from first block to count
 */
function countDisturbedBlocks ({ arms }, from) {
  const disturbed = arms.flatMap(arm => arm.invalidTrials).filter(({ reason }) => isDisturbance(reason))
  return new Set(disturbed.map(({ block }) => block).filter(block => block >= from)).size
}

/**
 * Returns whether all intervals are narrow enough.
 *
 * @param {{ low: number, high: number }[]} contrasts
 * @param {number} precision half-width as a share
 */
export const isPrecise = (contrasts, precision) => contrasts.every(contrast => halfWidth(contrast) <= precision)

/**
 * Computes the ratio of two equal arms.
 *
 * @param {string[]} pair names of an arm and its twin
 * @param {ArmResult[]} arms
 * @param {Rates} byArm
 * @returns {RatioInterval | null} null: an arm is invalid, or there are too few blocks
 */
function computeNoiseFloor (pair, arms, byArm) {
  if (pair.some(name => findArm(arms, name).invalid)) return null
  const [rates, baselineRates] = pair.map(name => getRates(byArm, name))
  const { ratio, low, high, blocks } = pairedRatio(blockLogRatios(rates, baselineRates), LEVEL)
  return blocks >= smallestSampleFor(LEVEL) ? { ratio, low, high } : null
}

/**
 * @param {ArmResult[]} pair arm and baseline
 * @param {ReturnType<typeof computeContrastRatio>} estimate
 * @param {{ level: number, noiseFloor: RatioInterval | null, timing: Parameters<typeof estimateSeconds>[1] }} context
 * @returns {Contrast}
 */
function judgeContrast ([arm, baseline], estimate, { level, noiseFloor, timing }) {
  const known = getKnownSide(arm.bound, baseline.bound)
  const measures = findMeasuredQuantity(arm, baseline)
  const contrast = {
    arm: arm.name,
    baseline: baseline.name,
    ...estimate,
    level,
    oneSided: known === 'nothing' ? null : known,
    ...measures && { measures }
  }
  const failed = [arm, baseline].find(({ invalid }) => invalid)
  if (failed?.invalid) {
    const params = { arm: failed.name, reason: failed.invalid }
    return { ...contrast, verdict: 'invalid', why: { code: 'arm-invalid', params }, secondsToSettle: null }
  }
  const needed = smallestSampleFor(level)
  if (estimate.blocks < needed && !estimate.starts) {
    const why = explainTooFewBlocks(estimate.blocks, needed, [arm, baseline])
    const secondsToSettle = estimateSeconds(needed / estimate.blocks, timing)
    return { ...contrast, verdict: 'inconclusive', why, secondsToSettle }
  }
  const { verdict, why, moreBlocksHelp } = verdictOf(estimate, { noiseFloor, known })
  const secondsToSettle = moreBlocksHelp ? estimateSeconds(computeBlockFactor(estimate, level), timing) : null
  if (secondsToSettle !== null && secondsToSettle > LONGEST_BUDGET_SECONDS) {
    return { ...contrast, verdict, why: why && toUnattainable(why), secondsToSettle: null }
  }
  return { ...contrast, verdict, why, secondsToSettle }
}

/**
 * @param {ContrastWhy} why
 * @returns {ContrastWhy}
 */
const toUnattainable = why =>
  why.code === 'interval-too-wide' || why.code === 'generator-bound-arm' || why.code === 'generator-bound-baseline'
    ? { ...why, params: { unattainable: true } }
    : why

/** Bottlenecks of a saturated arm. */
const SATURATED = ['server', 'proxy', 'network']

/**
 * Finds the quantity that a ratio of rates compares. Saturated arms show their capacities. Otherwise the offered load
 * is the limit, and a rate is connections ÷ the time to hand on a request (J. D. C. Little, Operations Research 9(3),
 * 1961, 383-387).
 *
 * @param {...ArmResult} arms
 * @returns {Contrast['measures']} undefined: unknown without CPU time
 */
function findMeasuredQuantity (...arms) {
  const isUnknown = arms.some(({ cpuMicrosPerRequest, load }) =>
    !cpuMicrosPerRequest || load.rate !== undefined || load.share !== undefined
  )
  if (isUnknown) return undefined
  return arms.every(({ bound }) => SATURATED.includes(bound)) ? 'capacity' : 'hand-off latency'
}

/**
 * @param {number} blocks
 * @param {number} needed
 * @param {ArmResult[]} arms
 * @returns {ContrastWhy}
 */
function explainTooFewBlocks (blocks, needed, arms) {
  const lost = arms.filter(({ invalidTrials }) => invalidTrials.length > 0).map(({ name, invalidTrials, trials }) => ({
    arm: name,
    invalid: invalidTrials.length,
    trials,
    reason: findMostFrequent(invalidTrials.map(({ reason }) => reason))
  }))
  return { code: 'too-few-blocks', params: { blocks, needed, lost } }
}

/**
 * Estimates the wall time of a run with more blocks.
 *
 * @param {number} factor number of blocks relative to this run
 * @param {Pick<RunTiming, 'setupSeconds' | 'sliceWallSeconds'> | null} timing
 * @returns {number | null}
 */
const estimateSeconds = (factor, timing) =>
  timing && Number.isFinite(factor) ? timing.setupSeconds + timing.sliceWallSeconds * factor : null

/**
 * @param {ArmResult[]} arms
 * @param {string} name
 * @returns {ArmResult}
 */
const findArm = (arms, name) => /** @type {ArmResult} */ (arms.find(arm => arm.name === name))
/**
 * @param {Rates} byArm
 * @param {string} name
 */
const getRates = (byArm, name) => byArm.get(name) ?? new Map()

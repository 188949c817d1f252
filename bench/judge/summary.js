/** Computes the results of a run from its samples: arms, contrasts, noise floor (pure). */
import { computeContrastRatio } from './contrast-ratio.js'
import { isDrifting } from './drift.js'
import { computeStartNoise, findOutlyingStarts, fitStarts, selectBlocks } from './starts.js'
import { pooledWidening } from './stats/dependence.js'
import { blockLogRatios, pairedRatio } from './stats/paired.js'
import { countValidTrials, isOpen } from './stopping-rule.js'
import { computeArmResult, findMostFrequent } from './arm-result.js'
import { findNotSteady } from './not-steady.js'
import { computeBlockFactor, explainBound, findBound, judgeInterval } from './verdict.js'
import { hasOneStart } from '../plan/plan.js'
import { getContrastLevel, smallestSampleFor } from '../plan/sample-size.js'
import { groupBy } from '../shared/group-by.js'
import { LEVEL, MAX_BUDGET_SECONDS, MARGIN } from '../shared/thresholds.js'

/** @import { ArmResult, Contrast, ContrastWhy, Cores, Plan, RatioInterval, Reason } from '../types.js' */
/** @import { RunTiming, Sample, StandsApart, StartNoise } from '../types.js' */
/** @import { Rates } from './starts.js' */

/**
 * @typedef {object} Summary
 * @property {ArmResult[]} arms
 * @property {Contrast[]} contrasts
 * @property {RatioInterval | null} noiseFloor ratio of an arm to its twin; null: no twin, or no interval
 * @property {number} blocks started blocks
 * @property {string[]} needed arms that need more blocks: those of open contrasts, those without a contrast, and those
 *   with too few valid plays
 * @property {StandsApart[]} standsApart outlying starts
 * @property {StartNoise | null} noise variation of blocks and of starts; null: one start
 */

/**
 * Computes the results of a run so far.
 *
 * @param {object} input
 * @param {Plan} input.plan
 * @param {Sample[]} input.samples in any order; samples of arms that are not in the plan are ignored
 * @param {Record<string, Reason>} [input.armFailures] arms that are invalid as a whole, and why
 * @param {Cores} input.cores
 * @param {Pick<RunTiming, 'setupSeconds' | 'sliceWallSeconds'> | null} [input.timing] of the run so far; null: the time
 *   to a verdict is not estimated
 * @returns {Summary}
 */
export function summarize ({ plan, samples, armFailures = {}, cores, timing = null }) {
  const { contrasts: pairs, targets, twin } = plan
  const { byArm, blocks, startOf } = selectBlocks(plan, samples)
  const samplesByArm = groupBy(samples, ({ arm }) => arm)
  const arms = plan.arms.map(arm =>
    computeArmResult({
      arm,
      samples: samplesByArm.get(arm.name) ?? [],
      blocks: getRates(byArm, arm.name),
      failure: armFailures[arm.name] ?? null,
      cores
    })
  )
  const noiseFloor = twin && computeNoiseFloor([twin.arm, twin.of], arms, byArm)
  const hasStarts = samples.some(({ start }) => start !== undefined)
  const starts = hasStarts ? fitStarts(byArm, startOf) : null
  const isWarm = hasStarts || hasOneStart(plan)
  const level = getContrastLevel(pairs, targets)
  // startBlocks is null in a quick run of gang slices, which has a single start.
  const wider = plan.startBlocks === null ? computePooledWidening(byArm) : undefined
  const contrasts = pairs.map(pair => {
    const estimate = computeContrastRatio({ byArm, startOf, starts, isWarm, wider }, pair, level)
    const [arm, baseline] = pair.map(name => findArm(arms, name))
    return judgeContrast([arm, baseline], estimate, { level, noiseFloor, timing })
  })
  return {
    arms,
    contrasts,
    noiseFloor,
    blocks,
    needed: plan.result === 'behaviour'
      ? arms.filter(arm => countValidTrials(arm) < targets.minBlocks).map(({ name }) => name)
      : findNeededArms(plan, contrasts),
    standsApart: starts ? findOutlyingStarts(starts) : [],
    noise: starts && computeStartNoise(starts)
  }
}

/**
 * Computes the factor by which autocorrelation widens intervals, from the residuals of all arms. Applies only to a
 * fixed number of blocks, as in a quick run of gang slices.
 *
 * @param {Rates} byArm
 * @returns {number | undefined} undefined: fewer than three arms. The residuals of two arms mirror each other.
 */
function computePooledWidening (byArm) {
  // Without an entry in the map, every block belongs to the same start.
  const { fit, arms } = fitStarts(byArm, new Map())
  if (arms.length < 3) return undefined
  return pooledWidening(fit.residuals.map(([onlyStart = []]) => onlyStart.filter(r => !Number.isNaN(r))))
}

/**
 * Finds the arms that need more blocks: arms of open contrasts with their twins, and arms without a contrast. An open
 * contrast is valid, and has too few blocks, is undecided or has a ratio of unknown size.
 *
 * @param {Plan} plan
 * @param {Contrast[]} contrasts
 * @returns {string[]} in the order of the plan
 */
const findNeededArms = ({ arms, targets }, contrasts) => arms.filter(({ name, twinOf }) => {
  const original = twinOf ?? name
  const contrastsOfArm = contrasts.filter(({ arm, baseline }) => arm === original || baseline === original)
  return contrastsOfArm.length === 0 ||
    contrastsOfArm.some(contrast => contrast.verdict !== 'invalid' && isOpen(contrast, targets))
}).map(({ name }) => name)

/**
 * Computes the ratio of an arm to its twin, which differs from it only in its name.
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
 * Judges a contrast, and estimates the wall time of a run that would decide it.
 *
 * @param {ArmResult[]} pair arm and baseline
 * @param {ReturnType<typeof computeContrastRatio>} estimate ratio with its interval
 * @param {{ level: number, noiseFloor: RatioInterval | null, timing: Parameters<typeof estimateSeconds>[1] }} context
 * @returns {Contrast}
 */
function judgeContrast ([arm, baseline], estimate, { level, noiseFloor, timing }) {
  const bound = findBound(estimate, arm, baseline)
  const measures = findMeasuredQuantity(arm, baseline)
  const contrast = {
    arm: arm.name,
    baseline: baseline.name,
    ...estimate,
    level,
    margin: MARGIN,
    oneSided: bound === null || bound.side === 'nothing' ? null : bound.side,
    ...measures && { measures }
  }
  /** @type {(why: ContrastWhy, secondsToSettle?: number | null) => Contrast} */
  const leaveOpen = (why, secondsToSettle = null) => ({ ...contrast, verdict: 'inconclusive', why, secondsToSettle })
  const failed = [arm, baseline].find(({ invalid }) => invalid)
  if (failed?.invalid) {
    const params = { arm: failed.name, reason: failed.invalid }
    return { ...contrast, verdict: 'invalid', why: { code: 'arm-invalid', params }, secondsToSettle: null }
  }
  if (bound?.side === 'nothing') return leaveOpen(explainBound(bound))
  const notSteady = findNotSteady([arm, baseline])
  if (notSteady) return leaveOpen(notSteady)
  // Applies to the signed-rank interval within one start. An interval over several starts uses Student's t.
  const needed = smallestSampleFor(level)
  if (estimate.starts && estimate.high === Infinity) {
    return leaveOpen({ code: 'too-few-starts', params: { starts: estimate.starts } })
  }
  if (estimate.blocks < needed && !estimate.starts) {
    const why = explainTooFewBlocks(estimate.blocks, needed, [arm, baseline])
    return leaveOpen(why, estimateSeconds(needed / estimate.blocks, timing))
  }
  const { drift } = estimate
  if (isDrifting(drift)) return leaveOpen({ code: 'drift', params: drift })
  const { verdict, why, moreBlocksHelp } = judgeInterval(estimate, { noiseFloor, bound })
  const secondsToSettle = moreBlocksHelp ? estimateSeconds(computeBlockFactor(estimate, level), timing) : null
  if (secondsToSettle !== null && secondsToSettle > MAX_BUDGET_SECONDS) {
    return { ...contrast, verdict, why: why && toUnattainable(why), secondsToSettle: null }
  }
  return { ...contrast, verdict, why, secondsToSettle }
}

/**
 * Adds to a reason that a verdict would take longer than the longest budget.
 *
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
 * Finds the quantity that a ratio of rates compares. Saturated arms show their capacities. Otherwise the number of
 * connections limits the rate, which is connections ÷ the time to hand on a request (J. D. C. Little, Operations
 * Research 9(3), 1961, 383-387).
 *
 * @param {...ArmResult} arms
 * @returns {Contrast['measures']} undefined: unknown without CPU time, or the load has a given rate
 */
function findMeasuredQuantity (...arms) {
  const isUnknown = arms.some(({ cpuMicrosPerRequest, load }) =>
    !cpuMicrosPerRequest || load.rate !== undefined || load.share !== undefined
  )
  if (isUnknown) return undefined
  return arms.every(({ bound }) => SATURATED.includes(bound)) ? 'capacity' : 'hand-off latency'
}

/**
 * Returns the reason that a contrast has too few blocks, with the arms that lost blocks by invalid trials.
 *
 * @param {number} blocks number of blocks in which both arms were valid
 * @param {number} needed least number of blocks for an interval
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
 * @returns {number | null} null: no timing, or no finite factor
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
 * Returns the rates of an arm by block, without invalid trials.
 *
 * @param {Rates} byArm
 * @param {string} name
 */
const getRates = (byArm, name) => byArm.get(name) ?? new Map()

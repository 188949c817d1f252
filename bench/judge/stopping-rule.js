/** Decides when a run ends (pure). */
import { halfWidth } from './stats/paired.js'
import { canBlocksDecide } from './verdict.js'
import { isDisturbance } from '../shared/disturbance.js'
import { JUDGED_FROM_TRIALS, RATIO_KNOWN } from '../shared/thresholds.js'

/** @import { ArmResult, Contrast, Plan, RunEnd } from '../types.js' */
/** @import { Summary } from './summary.js' */

/** Reasons of an inconclusive contrast whose interval further starts make narrower. */
const NARROWED_BY_STARTS = ['interval-too-wide', 'too-few-starts']

/**
 * Returns whether a contrast needs more blocks: it has fewer than the minimum, its confidence sequence or its interval
 * has not decided it yet, or the half-width of its interval exceeds RATIO_KNOWN. An interval with one end stays as it
 * is, because the load generator was the bottleneck. Contrasts that no further block can decide are complete. Drift
 * keeps no contrast open, because blocks of further starts drift in the same way.
 *
 * @param {Contrast} contrast decidedAtBlock: block at which its confidence sequence decided the verdict, or null
 * @param {Pick<Plan['targets'], 'minBlocks'> & { fixed?: boolean }} targets
 */
export function isOpen (contrast, { minBlocks, fixed }) {
  const { decidedAtBlock = null, blocks, low, high, why } = contrast
  if (blocks < minBlocks) return true
  if (!canBlocksDecide(contrast)) return false
  if (fixed || decidedAtBlock === null || NARROWED_BY_STARTS.includes(why?.code ?? '')) return true
  const half = halfWidth({ low, high })
  return Number.isFinite(half) && half > RATIO_KNOWN
}

/**
 * Returns whether a run ends when its comparison is resolved, or with its budget: a run with a margin and without a
 * limit of blocks.
 *
 * @param {Plan['targets']} targets
 */
export const endsWhenResolved = ({ margin, maxBlocks }) => margin !== undefined && maxBlocks === null

/**
 * Decides whether to measure another block. A run does not end at its first significant difference, because in 60
 * blocks that finds a difference in every fifth pair of identical arms. Only a confidence sequence, which is valid
 * after any number of blocks (docs/statistics.md), decides a contrast, and measuring goes on until the minimum number
 * of blocks.
 *
 * @param {Summary} summary
 * @param {Plan} plan
 * @param {{ seconds: number, nextBlockSeconds?: number, needed?: string[] | null, isResolved?: boolean }} progress
 *   seconds: wall time of the run so far; nextBlockSeconds: of another block; needed: arms that are still measured,
 *   null: all; isResolved: whether the comparison of a run with a margin is resolved
 * @returns {Exclude<RunEnd, 'interrupted'> | null} why the run ends; null: measure another block
 */
export function findEnd (summary, plan, { seconds, nextBlockSeconds = 0, needed = null, isResolved = false }) {
  const { targets } = plan
  const valid = summary.contrasts.filter(({ verdict }) => verdict !== 'invalid')
  if (endsWhenResolved(targets)) {
    if (summary.contrasts.length > 0 && valid.length === 0) return 'failed'
    if (isResolved && summary.blocks >= targets.minBlocks) return 'decided'
    return seconds + nextBlockSeconds > targets.budgetSeconds ? 'budget' : null
  }
  const open = valid.filter(contrast => isOpen(contrast, targets))
  // Stops once no arm is measured any more, even if an interval widens later.
  const isSettled = open.length === 0 || needed?.length === 0
  if (summary.contrasts.length > 0 && isSettled) return valid.length > 0 ? 'decided' : 'failed'

  const blocks = countBlocks(summary, plan, open)
  if (blocks >= targets.minBlocks) {
    // Precision does not apply to offered rates, which are inputs, and to a run that compares nothing.
    const hasNoPrecision = plan.result === 'latency' || (plan.twin === null && plan.contrasts.length === 0)
    if (hasNoPrecision) return 'blocks'
    // A limited number of blocks, as with --quick, must not depend on the interval.
    const endsByPrecision = targets.maxBlocks === null || targets.fixed
    if (endsByPrecision && isPrecise(open, targets.precision)) return 'precision'
  }
  if (targets.maxBlocks !== null) {
    // Limits the repetition of invalid trials, after which an arm is judged as invalid.
    const mostStarted = Math.max(2 * targets.maxBlocks, JUDGED_FROM_TRIALS)
    if (blocks >= targets.maxBlocks || summary.blocks >= mostStarted) return 'blocks'
  }
  return seconds + nextBlockSeconds > targets.budgetSeconds ? 'budget' : null
}

/**
 * Counts the blocks towards the minimum: those of the open contrast with the fewest, the valid plays of the arm with
 * the fewest, or the undisturbed blocks of the run. An invalid play is repeated.
 *
 * @param {Summary} summary
 * @param {Plan} plan
 * @param {Contrast[]} open
 */
function countBlocks (summary, plan, open) {
  if (open.length > 0) return Math.min(...open.map(contrast => contrast.blocks))
  if (plan.result === 'behaviour') {
    return Math.min(...summary.arms.flatMap(arm => arm.invalid ? [] : countValidTrials(arm)))
  }
  return summary.blocks - countDisturbedBlocks(summary)
}

/** Counts the valid trials of an arm. @param {Pick<ArmResult, 'trials' | 'invalidTrials'>} arm */
export const countValidTrials = ({ trials, invalidTrials }) => trials - invalidTrials.length

/**
 * Counts the blocks in which a trial was disturbed.
 *
 * @param {Pick<Summary, 'arms'>} summary
 */
function countDisturbedBlocks ({ arms }) {
  const disturbed = arms.flatMap(arm => arm.invalidTrials).filter(({ reason }) => isDisturbance(reason))
  return new Set(disturbed.map(({ block }) => block)).size
}

/**
 * Returns whether all intervals are narrow enough.
 *
 * @param {{ low: number, high: number }[]} contrasts
 * @param {number} precision largest half-width, as a share
 */
const isPrecise = (contrasts, precision) => contrasts.every(contrast => halfWidth(contrast) <= precision)

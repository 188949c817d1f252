/** Differences that the noise of a machine allows to detect, from runs of equal and of planted arms (pure). */
import { holds, isDifferent, toMeasuredRun, estimateReplicate, computeVariances } from './replication.js'
import { tQuantile } from '../stats/student.js'
import { differenceFound } from '../../plan/sample-size.js'
import { LEVEL } from '../../shared/thresholds.js'

/** @import { LateResult, Plan, Resolution, Sample, SelfTest, Variances } from '../../types.js' */

/** Lengths of runs for which the detectable difference is computed. */
const MINUTES = [1, 5, 20]

/**
 * Computes the detectable differences, and counts the comparisons of equal and of planted arms that found a difference.
 *
 * @param {object} input
 * @param {Plan} input.plan
 * @param {Sample[][]} input.runs samples of each independent run
 * @param {string[]} input.equal names of equal arms
 * @param {{ arm: string } & Pick<LateResult, 'requests' | 'more'>} input.late arm that is equal after its warm-up
 * @param {{ arm: string, more: number, expected: number }[]} input.planted arms with a known difference from the first
 *   equal arm
 * @param {{ startSeconds: number, blockSeconds: number }} input.timing wall time of two arms
 * @returns {Resolution}
 */
export function computeResolution ({ plan, runs: samplesByRun, equal, late, planted, timing }) {
  const runs = samplesByRun.map(samples => toMeasuredRun(plan, samples))
  const allRuns = toMeasuredRun(plan, samplesByRun.flat())
  /** @type {(arm: string, baseline: string) => [string, string]} */
  const toPair = (arm, baseline) => [arm, baseline]
  const equalPairs = equal.flatMap((arm, i) => equal.slice(0, i).map(other => toPair(arm, other)))
  const plantedPairs = planted.map(({ arm }) => toPair(arm, equal[0]))
  const variances = computeVariances(runs, [...equalPairs, ...plantedPairs])
  const comparisons = equalPairs.flatMap(pair => listReplicates(runs, pair))
  const { arm: lateArm, ...warmUp } = late
  return {
    table: MINUTES.map(minutes => differenceIn(minutes, variances, { ...timing, startBlocks: plan.startBlocks ?? 1 })),
    variances,
    equal: { segments: comparisons.length, different: comparisons.filter(isDifferent).length, runs: runs.length },
    late: {
      ...warmUp,
      ...estimateOverall(allRuns, toPair(lateArm, equal[0])),
      // An arm at the limit of its warm-up has not served all requests that cost more.
      ...samplesByRun.flat().some(({ arm, unsteady }) => arm === lateArm && unsteady) && { verdict: 'inconclusive' }
    },
    planted: planted.map(({ more, expected }, i) => {
      const replicates = listReplicates(runs, plantedPairs[i])
      return {
        more,
        expected,
        ...estimateOverall(allRuns, plantedPairs[i]),
        runs: replicates.length,
        held: replicates.filter(holds(expected)).length,
        found: replicates.filter(isDifferent).length
      }
    })
  }
}

/**
 * Returns whether the warm-up of this machine's runs ends too early: two servers differ that are equal after it.
 *
 * @param {Pick<SelfTest, 'resolution'>} selftest
 */
export const isWarmUpTooShort = ({ resolution: { late } }) => late !== undefined && isDifferent(late)

/**
 * Returns the ratio of a pair over all runs. Without a valid sample its numbers are NaN.
 *
 * @param {ReturnType<typeof toMeasuredRun>} allRuns
 * @param {[string, string]} pair
 */
function estimateOverall (allRuns, pair) {
  const { ratio = NaN, low = NaN, high = NaN, verdict = 'inconclusive' } = estimateReplicate(allRuns, pair) ?? {}
  return { ratio, low, high, verdict }
}

/**
 * Returns the ratio of a pair in each run that measured it.
 *
 * @param {ReturnType<typeof toMeasuredRun>[]} runs
 * @param {[string, string]} pair
 * @returns {NonNullable<ReturnType<typeof estimateReplicate>>[]}
 */
const listReplicates = (runs, pair) => runs.flatMap(run => estimateReplicate(run, pair) ?? [])

/**
 * Computes the detectable difference of a run of this length, from the number of starts of two arms that fit into it.
 *
 * @param {number} minutes
 * @param {Variances} variances
 * @param {{ startSeconds: number, blockSeconds: number, startBlocks: number }} timing
 */
function differenceIn (minutes, { sliceSd, startSd }, { startSeconds, blockSeconds, startBlocks }) {
  const secondsPerStart = startSeconds + startBlocks * blockSeconds
  // Without measured times the quotient is NaN.
  const starts = Math.max(0, Math.floor(minutes * 60 / secondsPerStart)) || 0
  const isKnown = starts > 1 && sliceSd !== null && startSd !== null
  const variance = isKnown ? (startSd ** 2 + sliceSd ** 2 / startBlocks) / starts : NaN
  const logHalfWidth = isKnown ? tQuantile((1 + LEVEL) / 2, starts - 1) * Math.sqrt(variance) : NaN
  const difference = differenceFound(Math.expm1(logHalfWidth), LEVEL)
  return { minutes, starts, blocks: starts * startBlocks, difference }
}

/** Differences that the noise of a machine allows to detect, from runs of equal and of planted arms (pure). */
import { holds, isDifferent, measuredIn, replicateOf, variancesOf } from './replication.js'
import { tQuantile } from './stats/student.js'
import { differenceFound } from '../plan/sample-size.js'
import { LEVEL } from '../shared/thresholds.js'

/** @import { Plan, Resolution, Sample, Variances } from '../types.js' */

export const MINUTES = [1, 5, 20]

/**
 * @param {object} input
 * @param {Plan} input.plan
 * @param {Sample[][]} input.runs samples of each independent run
 * @param {string[]} input.equal names of equal arms
 * @param {{ arm: string, more: number, expected: number }[]} input.planted arms with a known difference from the first
 *   equal arm
 * @param {{ startSeconds: number, blockSeconds: number }} input.timing wall time of two arms
 * @returns {Resolution}
 */
export function resolutionOf ({ plan, runs: samples, equal, planted, timing }) {
  const runs = samples.map(own => measuredIn(plan, own))
  const whole = measuredIn(plan, samples.flat())
  /** @type {(arm: string, other: string) => [string, string]} */
  const pair = (arm, other) => [arm, other]
  const twins = equal.flatMap((arm, i) => equal.slice(0, i).map(other => pair(arm, other)))
  const pairs = planted.map(({ arm }) => pair(arm, equal[0]))
  const variances = variancesOf(runs, [...twins, ...pairs])
  const compared = twins.flatMap(pair => replicatesOf(runs, pair))
  return {
    table: MINUTES.map(minutes => differenceIn(minutes, variances, { ...timing, startBlocks: plan.startBlocks ?? 1 })),
    variances,
    equal: { segments: compared.length, different: compared.filter(isDifferent).length, runs: runs.length },
    planted: planted.map(({ arm, more, expected }) => {
      const own = replicatesOf(runs, [arm, equal[0]])
      const { ratio = NaN, low = NaN, high = NaN, verdict = 'inconclusive' } = replicateOf(whole, [arm, equal[0]]) ?? {}
      return {
        more,
        expected,
        ratio,
        low,
        high,
        verdict,
        runs: own.length,
        held: own.filter(holds(expected)).length,
        found: own.filter(isDifferent).length
      }
    })
  }
}

/**
 * @param {ReturnType<typeof measuredIn>[]} runs
 * @param {[string, string]} pair
 * @returns {NonNullable<ReturnType<typeof replicateOf>>[]} of the runs in which it was measured
 */
const replicatesOf = (runs, pair) => runs.flatMap(run => replicateOf(run, pair) ?? [])

/**
 * Computes the detectable difference of a run of this length, from the number of starts of two arms that fit into it.
 *
 * @param {number} minutes
 * @param {Variances} variances
 * @param {{ startSeconds: number, blockSeconds: number, startBlocks: number }} timing
 */
function differenceIn (minutes, { sliceSd, startSd }, { startSeconds, blockSeconds, startBlocks }) {
  const starts = Math.max(0, Math.floor(minutes * 60 / (startSeconds + startBlocks * blockSeconds))) || 0
  const known = starts > 1 && sliceSd !== null && startSd !== null
  const variance = known ? (startSd ** 2 + sliceSd ** 2 / startBlocks) / starts : NaN
  const half = known ? tQuantile((1 + LEVEL) / 2, starts - 1) * Math.sqrt(variance) : NaN
  return { minutes, starts, blocks: starts * startBlocks, difference: differenceFound(Math.expm1(half), LEVEL) }
}

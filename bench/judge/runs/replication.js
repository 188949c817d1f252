/** Agreement of independent runs of the same arms with each other and with a known truth (pure). */
import { createEstimators, computeInterval } from './run-estimate.js'
import { fitStarts, computeSpread, selectBlocks } from '../starts.js'
import { tQuantile } from '../stats/student.js'
import { judgeInterval } from '../verdict.js'
import { LEVEL } from '../../shared/thresholds.js'

/** @import { Plan, RatioInterval, Sample, Variances } from '../../types.js' */
/** @import { RunEstimate } from './run-estimate.js' */

/**
 * @param {Plan} plan
 * @param {Sample[]} samples of one run
 */
export function toMeasuredRun (plan, samples) {
  const { byArm, startOf } = selectBlocks(plan, samples)
  return { byArm, startOf, of: createEstimators(byArm, startOf) }
}

/**
 * @param {ReturnType<typeof toMeasuredRun>} run
 * @param {[string, string]} pair arm and baseline
 * @returns {RatioInterval & { estimate: RunEstimate, verdict: string } | null} with the 95 % interval; null: nothing
 *   valid
 */
export function estimateReplicate (run, [arm, baseline]) {
  const estimate = run.of.pair(arm, baseline)
  if (estimate.starts === 0) return null
  const interval = computeInterval(estimate, LEVEL)
  return { estimate, ...interval, verdict: judgeInterval(interval).verdict }
}

/** @param {{ verdict: string }} run */
export const isDifferent = ({ verdict }) => verdict === 'faster' || verdict === 'slower'
/**
 * @param {number} truth the true ratio
 * @returns {(run: { low: number, high: number }) => boolean}
 */
export const holds = truth => ({ low, high }) => low <= truth && truth <= high

/**
 * Computes how far runs disagree beyond their own variances (R. DerSimonian, N. Laird (1986), Controlled Clinical
 * Trials 7(3), 177-188). The method assumes known variances, but with few starts the variance is uncertain, and two
 * starts can agree by chance. So each run gets the variance of a normal interval as wide as its own
 * (docs/selftest.md).
 *
 * @param {(Pick<RunEstimate, 'centre' | 'variance'> & { df?: number })[]} runs of one contrast; df left out: known
 *   variance
 * @returns {{ q: number, df: number, between: number }} q: about df if the variances of the runs explain their
 *   differences; between: variance of the truth between runs by their equation 8, can be below 0; NaN for fewer than
 *   two runs
 */
export function heterogeneity (runs) {
  const usable = runs.map(asWide).filter(({ centre, variance }) => Number.isFinite(centre) && variance > 0)
  const df = usable.length - 1
  if (df < 1) return { q: NaN, df: Math.max(0, df), between: NaN }
  const weights = usable.map(({ variance }) => 1 / variance)
  const sum = weights.reduce((a, b) => a + b, 0)
  const centre = usable.reduce((a, { centre }, i) => a + weights[i] * centre, 0) / sum
  const q = usable.reduce((a, one, i) => a + weights[i] * (one.centre - centre) ** 2, 0)
  const scale = sum - weights.reduce((a, w) => a + w * w, 0) / sum
  return { q, df, between: (q - df) / scale }
}

/**
 * Replaces the variance by that of a normal interval of the same width.
 *
 * @param {Pick<RunEstimate, 'centre' | 'variance'> & { df?: number }} run
 */
const asWide = ({ centre, variance, df = Infinity }) =>
  ({ centre, variance: df > 0 ? variance * (tQuantile(P, df) / tQuantile(P, Infinity)) ** 2 : NaN })
const P = (1 + LEVEL) / 2

/**
 * Computes the variances of the log-ratio of two arms. Variances are averaged before negative ones become 0, so that
 * random errors of many runs cancel.
 *
 * @param {ReturnType<typeof toMeasuredRun>[]} runs
 * @param {[string, string][]} pairs with the same true ratio in all runs
 * @returns {Variances}
 */
export function computeVariances (runs, pairs) {
  const spreads = runs.filter(({ startOf }) => new Set(startOf.values()).size > 1)
    .map(({ byArm, startOf }) => computeSpread(fitStarts(byArm, startOf))).filter(({ df }) => df > 0)
  const between = pairs.map(([arm, baseline]) =>
    heterogeneity(runs.map(({ of }) => of.pair(arm, baseline))).between).filter(Number.isFinite)
  return {
    sliceSd: rootOfMean(spreads.map(({ slice, df }) => [slice, df])),
    startSd: rootOfMean(spreads.map(({ start, df }) => [start, df])),
    runSd: rootOfMean(between.map(variance => [variance, 1])),
    starts: runs.reduce((sum, { startOf }) => sum + new Set(startOf.values()).size, 0),
    runs: runs.length
  }
}

/**
 * @param {[variance: number, weight: number][]} list
 * @returns {number | null} null: empty list
 */
function rootOfMean (list) {
  const weight = list.reduce((sum, [, w]) => sum + w, 0)
  return weight > 0 ? Math.sqrt(Math.max(0, list.reduce((sum, [v, w]) => sum + v * w, 0) / weight)) : null
}

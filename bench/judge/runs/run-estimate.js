/** Estimate of a log-ratio from one run, with the variance between runs of the same plan: over its starts (pure). */
import { computeOverStarts, fitStarts, groupByStart } from '../starts.js'
import { lag1, widening } from '../stats/dependence.js'
import { huberMeans, overStarts } from '../stats/over-starts.js'
import { computeBlockRatios } from '../stats/paired.js'
import { tQuantile } from '../stats/student.js'

/** @import { RatioInterval } from '../../types.js' */
/** @import { Rates, Starts } from '../starts.js' */
/** @import { OverStarts } from '../stats/over-starts.js' */

/**
 * @typedef {object} RunEstimate
 * @property {number} centre a logarithm
 * @property {number} variance of the centre between runs; with one start, the part that its blocks explain
 * @property {number} df degrees of freedom of the variance; 0: unknown
 * @property {number} starts number of starts
 * @property {number} startVariance variance of the mean of a start beyond what its blocks explain, at least 0; NaN with
 *   one start
 */

/**
 * Returns functions that estimate a figure of an arm, or the ratio of two arms.
 *
 * @param {Rates} byArm the figure of each arm by block
 * @param {ReadonlyMap<number, number>} startOf start of each block
 * @returns {{ pair: (arm: string, baseline: string) => RunEstimate, arm: (arm: string) => RunEstimate }}
 */
export function createEstimators (byArm, startOf) {
  /** @type {Starts | null} */
  let fitted = null
  const of = (/** @type {string} */ arm) => byArm.get(arm) ?? new Map()
  return {
    pair (arm, baseline) {
      const groups = groupByStart(computeBlockRatios(of(arm), of(baseline), startOf))
      if (groups.length < 2) return estimateOneStart(groups)
      fitted ??= fitStarts(byArm, startOf)
      // The level affects the interval, not the variance.
      return toRunEstimate(groups, computeOverStarts(fitted, [arm, baseline], groups, 0.95))
    },
    arm (arm) {
      const rates = [...of(arm)].sort(([a], [b]) => a - b)
      const groups = groupByStart(rates.map(([block, rate]) => (
        { block, start: startOf.get(block) ?? 0, logRatio: Math.log(rate) })))
      return groups.length < 2 ? estimateOneStart(groups) : toRunEstimate(groups, overStarts(groups, 0.95))
    }
  }
}

/**
 * @param {number[][]} groups
 * @param {OverStarts} over
 */
function toRunEstimate (groups, { centre, variance, df }) {
  const slices = huberMeans(groups).variance || 0
  const perStart = slices / (groups.flat().length / groups.length)
  return {
    centre, variance, df, starts: groups.length, startVariance: Math.max(0, variance * groups.length - perStart)
  }
}

/**
 * @param {number[][]} groups at most one
 * @returns {RunEstimate}
 */
function estimateOneStart (groups) {
  const [values = []] = groups
  const { means: [centre = NaN], variance, df } = huberMeans([values])
  const wider = widening(lag1(values), values.length)
  return {
    centre,
    variance: variance / values.length * wider ** 2,
    df: values.length > 1 ? df : 0,
    starts: values.length > 0 ? 1 : 0,
    startVariance: NaN
  }
}

/**
 * @param {RunEstimate} estimate
 * @param {number} level confidence level
 * @returns {RatioInterval} 0 to Infinity if the variance is unknown
 */
export function computeInterval ({ centre, variance, df }, level) {
  const half = df > 0 ? tQuantile((1 + level) / 2, df) * Math.sqrt(variance) : Infinity
  return { ratio: Math.exp(centre), low: Math.exp(centre - half), high: Math.exp(centre + half) }
}

/**
 * Computes the second run minus the first (B. L. Welch (1947), Biometrika 34, 28-35). A run of one start lacks the
 * variance between starts, which is taken from the other run.
 *
 * @param {RunEstimate} first
 * @param {RunEstimate} second
 * @returns {RunEstimate} starts: the smaller number
 */
export function subtractEstimates (first, second) {
  const [one, two] = [borrowStartVariance(first, second), borrowStartVariance(second, first)]
  const variance = one.variance + two.variance
  const known = one.df > 0 && two.df > 0
  return {
    centre: two.centre - one.centre,
    variance,
    df: known && variance > 0 ? variance ** 2 / (one.variance ** 2 / one.df + two.variance ** 2 / two.df) : 0,
    starts: Math.min(one.starts, two.starts),
    startVariance: NaN
  }
}

/**
 * @param {RunEstimate} run
 * @param {RunEstimate} other
 * @returns {RunEstimate}
 */
function borrowStartVariance (run, other) {
  if (run.starts !== 1 || !(other.startVariance >= 0)) return run
  const variance = run.variance + other.startVariance
  // A difference of variances is less certain than their sum, so only its own starts are counted.
  const df = variance ** 2 / (run.variance ** 2 / run.df + other.startVariance ** 2 / (other.starts - 1))
  return { ...run, variance, df }
}

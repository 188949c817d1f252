/** What one run says of a log-ratio, with the variance that another run of the same plan would show: over its starts,
 * where it has several (pure). */
import { computeOverStarts, fitStarts, groupByStart } from './starts.js'
import { lag1 } from './stats/autocorrelation.js'
import { widening } from './stats/dependence.js'
import { huberMeans } from './stats/huber.js'
import { overStarts } from './stats/over-starts.js'
import { computeBlockRatios } from './stats/paired.js'
import { tQuantile } from './stats/student.js'

/** @import { Rates, Starts } from './starts.js' */

/** @typedef {object} RunEstimate
 * @property {number} centre a logarithm
 * @property {number} variance of the centre, from one run to another; with one start what its blocks alone explain
 * @property {number} df degrees of freedom of the variance; 0: unknown
 * @property {number} starts how many of them the variance comes from
 * @property {number} startVariance what the starts themselves vary by, NaN of one start: of a start's mean, less what
 * its slices explain; never below 0 */

/** A figure of every arm by block, ready to be asked for pairs. @param {Rates} byArm
 * @param {ReadonlyMap<number, number>} startOf the start of each block
 * @returns {{ pair: (arm: string, baseline: string) => RunEstimate, arm: (arm: string) => RunEstimate }} */
export function estimatesOf (byArm, startOf) {
  /** @type {Starts | null} */
  let fitted = null
  const of = (/** @type {string} */ arm) => byArm.get(arm) ?? new Map()
  return {
    pair (arm, baseline) {
      const groups = groupByStart(computeBlockRatios(of(arm), of(baseline), startOf))
      if (groups.length < 2) return ofOneStart(groups)
      fitted ??= fitStarts(byArm, startOf)
      // The variance has no level.
      return overAll(groups, computeOverStarts(fitted, [arm, baseline], groups, 0.95))
    },
    arm (arm) {
      const rates = [...of(arm)].sort(([a], [b]) => a - b)
      const groups = groupByStart(rates.map(([block, rate]) => (
        { block, start: startOf.get(block) ?? 0, logRatio: Math.log(rate) })))
      return groups.length < 2 ? ofOneStart(groups) : overAll(groups, overStarts(groups, 0.95))
    }
  }
}

/**
 * @param {number[][]} groups
 * @param {import('./stats/over-starts.js').OverStarts} over
 */
function overAll (groups, { centre, variance, df }) {
  const slices = huberMeans(groups).variance || 0
  const perStart = slices / (groups.flat().length / groups.length)
  return {
    centre, variance, df, starts: groups.length, startVariance: Math.max(0, variance * groups.length - perStart)
  }
}

/**
 * @param {number[][]} groups one, or none
 * @returns {RunEstimate}
 */
function ofOneStart (groups) {
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
 * @param {number} level confidence: 0.95
 * @returns {{ ratio: number, low: number, high: number }} 0 to Infinity where the variance is unknown
 */
export function intervalAt ({ centre, variance, df }, level) {
  const half = df > 0 ? tQuantile((1 + level) / 2, df) * Math.sqrt(variance) : Infinity
  return { ratio: Math.exp(centre), low: Math.exp(centre - half), high: Math.exp(centre + half) }
}

/**
 * The second run less the first: B. L. Welch (1947), Biometrika 34, 28-35. A run of one start does not know what starts
 * differ by: the other run shows it, for the same arms.
 *
 * @param {RunEstimate} first
 * @param {RunEstimate} second
 * @returns {RunEstimate} starts: of the run that has fewer
 */
export function differenceOf (first, second) {
  const [one, two] = [borrowing(first, second), borrowing(second, first)]
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
function borrowing (run, other) {
  if (run.starts !== 1 || !(other.startVariance >= 0)) return run
  const variance = run.variance + other.startVariance
  // What is left of a variance after another was taken off is known less well than the sum: its own starts count only.
  const df = variance ** 2 / (run.variance ** 2 / run.df + other.startVariance ** 2 / (other.starts - 1))
  return { ...run, variance, df }
}

/**
 * Interval that is valid after every block, by the normal mixture of H. Robbins (1970, Annals of Mathematical
 * Statistics 41(5), 1397-1409) in the form of S. R. Howard et al. (2021, Annals of Statistics 49(2), 1055-1080, eq.
 * 14). The estimate over starts and blocks, times its information, is a Brownian motion in the information (C.
 * Jennison, B. W. Turnbull 1997, JASA 92, 1330-1341), so the boundary for sums applies. Its variances are estimated and
 * rounded up; docs/statistics.md shows the error rate by simulation.
 */
import { huberMeans } from './huber.js'
import { tQuantile } from './student.js'
import { normalQuantile } from '../../shared/normal.js'

/** Prior standard deviation of the log-ratio of two starts. */
const PRIOR_START_SD = 0.02
const PRIOR_STARTS = 4 // Weight of the prior, in starts.
const DEPENDENCE = 1.5 // (1 + r)/(1 - r) for a lag-1 of 0.2, twice the usual one.
/** Fewest blocks for an estimate of the noise of blocks. */
const LEAST_BLOCKS = 5
/** Standard error at which the mixture is narrowest: differences of a few percent are decided there. */
const AIMED_AT = 0.01

/**
 * @param {readonly (readonly number[])[]} groups block log-ratios of each start so far, none empty
 * @param {number} level of the whole sequence
 * @returns {{ ratio: number, low: number, high: number }} 0 to Infinity with too few blocks
 */
export function sequenceInterval (groups, level) {
  const { means, variance: slice, df } = huberMeans(groups)
  if (groups.flat().length < LEAST_BLOCKS || !(df > 1)) return { ratio: NaN, low: 0, high: Infinity }
  const size = groups.flat().length / groups.length
  const middle = means.reduce((a, b) => a + b, 0) / means.length
  const own = means.length - 1
  const excess = Math.max(0, means.reduce((sum, m) => sum + (m - middle) ** 2, 0) - own * slice * DEPENDENCE / size)
  const start = (PRIOR_STARTS * PRIOR_START_SD ** 2 + excess) / (PRIOR_STARTS + own)
  const informations = groups.map(({ length }) => 1 / (start + slice * DEPENDENCE / length))
  const information = informations.reduce((a, b) => a + b, 0)
  const centre = informations.reduce((sum, w, g) => sum + w * means[g], 0) / information
  const alpha = 1 - level
  // The variance is estimated from a few starts and blocks, so the interval is widened as by Student's t.
  const p = 1 - alpha / 2
  const unknown = tQuantile(p, Math.min(df, PRIOR_STARTS + own)) / normalQuantile(p)
  const half = unknown * mixtureRadius(information, alpha)
  return { ratio: Math.exp(centre), low: Math.exp(centre - half), high: Math.exp(centre + half) }
}

/**
 * Computes the half-width of Robbins' mixture for an estimate.
 *
 * @param {number} information 1 / variance of the estimate
 * @param {number} alpha probability that the boundary is ever crossed
 */
function mixtureRadius (information, alpha) {
  const log = 2 * Math.log(1 / alpha)
  const rho = 1 / AIMED_AT ** 2 / (log + Math.log(1 + log))
  return Math.sqrt((information + rho) * Math.log((information + rho) / (rho * alpha ** 2))) / information
}

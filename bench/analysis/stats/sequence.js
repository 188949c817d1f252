/** When a contrast is decided, looked at after every block: H. Robbins' normal mixture (1970, Annals of Mathematical
 * Statistics 41(5), 1397-1409), as S. R. Howard et al. write it (2021, Annals of Statistics 49(2), 1055-1080, eq. 14).
 * The estimate over starts and blocks, times its information, is a Brownian motion in the information (C. Jennison, B.
 * W. Turnbull 1997, JASA 92, 1330-1341): so the boundary for sums holds for it. Its variances are estimates, and read
 * high; docs/statistics.md shows by simulation what the rule keeps. */
import { huberMeans } from './huber.js'
import { tQuantile } from './student.js'
import { normalQuantile } from '../../shared/normal.js'

/** The sd of the log-ratio of two arms' starts before any was seen, and how many starts that counts for. */
export const PRIOR_START_SD = 0.02
const PRIOR_STARTS = 4
const DEPENDENCE = 1.5 // (1 + r)/(1 - r) for a lag-1 of 0.2: twice what is usual.
/** Fewer blocks say too little about the noise of slices. */
const LEAST_BLOCKS = 5
/** The mixture is narrowest where the estimate has this standard error: where a few percent are decided. */
const AIMED_AT = 0.01

/** @param {readonly (readonly number[])[]} groups block log-ratios of each start so far; none empty
 * @param {number} level of the whole sequence: 0.99
 * @returns {{ ratio: number, low: number, high: number }} 0 to Infinity while there is too little */
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
  // The variance of a few starts and blocks is not known: as much wider as Student's t is.
  const p = 1 - alpha / 2
  const unknown = tQuantile(p, Math.min(df, PRIOR_STARTS + own)) / normalQuantile(p)
  const half = unknown * mixtureRadius(information, alpha)
  return { ratio: Math.exp(centre), low: Math.exp(centre - half), high: Math.exp(centre + half) }
}

/** The boundary of Robbins' mixture, for an estimate. @param {number} information 1 / variance of the estimate
 * @param {number} alpha probability that it is ever crossed */
export function mixtureRadius (information, alpha) {
  const log = 2 * Math.log(1 / alpha)
  const rho = 1 / AIMED_AT ** 2 / (log + Math.log(1 + log))
  return Math.sqrt((information + rho) * Math.log((information + rho) / (rho * alpha ** 2))) / information
}

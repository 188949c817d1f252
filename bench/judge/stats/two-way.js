/**
 * Fits log rates as arm + block + noise, start by start, by Huber's estimate. The residuals are free of the effects of
 * the start and of the moment.
 */
import { clippedFactor, huberMeans, mean, meanOfKnown } from './over-starts.js'
import { median } from './quantile.js'
import { tQuantile } from './student.js'
import { normalQuantile } from '../../shared/normal.js'

/**
 * Rounds of the fit. Each reduces the error of the block effects to about the share of outliers, so five are enough.
 */
const ROUNDS = 5

/**
 * @typedef {object} TwoWay
 * @property {number[][]} effects log rate by arm and start, without the block effects (mean 0); NaN: no value
 * @property {number[][][]} residuals by arm, start and block; NaN: no value
 * @property {number[][][]} clipped residuals with outliers moved
 * @property {number} variance of a value: variance / n is that of an effect; NaN without df
 * @property {number} df of the variance
 */

/**
 * @param {number[][][]} values log rates by arm, start and block; NaN: no value. Every arm has all starts and blocks.
 * @returns {TwoWay}
 */
export function twoWay (values) {
  const starts = values[0]?.map((_, g) => g) ?? []
  let blocks = starts.map(g => firstBlocks(values.map(arm => arm[g])))
  /** @type {ReturnType<typeof fitArm>[]} */
  let arms = []
  for (let round = 0; round < ROUNDS; round++) {
    arms = values.map(arm => fitArm(arm, blocks))
    blocks = blocks.map((effects, g) => {
      const moved = effects.map((effect, b) => effect + (meanOfKnown(arms.map(({ clipped }) => clipped[g][b])) || 0))
      const centre = mean(moved)
      return moved.map(effect => effect - centre)
    })
  }
  arms = values.map(arm => fitArm(arm, blocks))
  const cells = arms.reduce((sum, { clipped }) => sum + clipped.flat().filter(r => !Number.isNaN(r)).length, 0)
  const effects = arms.map(({ effects }) => effects)
  const df = cells - effects.flat().filter(x => !Number.isNaN(x)).length - blocks.flat().length + starts.length
  const squares = arms.map(({ clipped, share }) =>
    clipped.flat().reduce((sum, r) => sum + (r * r || 0), 0) * clippedFactor(share, df / cells) || 0)
  return {
    effects,
    residuals: arms.map(({ residuals }) => residuals),
    clipped: arms.map(({ clipped }) => clipped),
    variance: df > 0 ? squares.reduce((a, b) => a + b, 0) / df : NaN,
    df
  }
}

/**
 * @param {number[][]} arm by start and block
 * @param {number[][]} blocks effects of the blocks
 */
function fitArm (arm, blocks) {
  const without = arm.map((start, g) => start.map((y, b) => y - blocks[g][b]))
  const { means, values, share } = huberMeans(without.map(start => start.filter(y => !Number.isNaN(y))))
  return {
    effects: means,
    share,
    residuals: without.map((start, g) => start.map(y => y - means[g])),
    clipped: without.map((start, g) => {
      let next = 0
      return start.map(y => Number.isNaN(y) ? NaN : values[g][next++] - means[g])
    })
  }
}

/**
 * @param {number[][]} arms by block
 * @returns {number[]}
 */
function firstBlocks (arms) {
  const centred = arms.map(arm => {
    const valid = arm.filter(y => !Number.isNaN(y))
    if (valid.length === 0) return arm
    const centre = median(valid)
    return arm.map(y => y - centre)
  })
  return (arms[0] ?? []).map((_, b) => {
    const valid = centred.map(arm => arm[b]).filter(y => !Number.isNaN(y))
    return valid.length > 0 ? median(valid) : 0
  })
}

/**
 * Interval that is valid after every block, by the normal mixture of H. Robbins (1970, Annals of Mathematical
 * Statistics 41(5), 1397-1409) in the form of S. R. Howard et al. (2021, Annals of Statistics 49(2), 1055-1080, eq.
 * 14). The estimate over starts and blocks, times its information, is a Brownian motion in the information (C.
 * Jennison, B. W. Turnbull 1997, JASA 92, 1330-1341), so the boundary for sums applies. Its variances are estimated and
 * rounded up; docs/statistics.md shows the error rate by simulation.
 */

/** Prior standard deviation of the log-ratio of two starts. */
const PRIOR_START_SD = 0.02
const PRIOR_STARTS = 4 // Weight of the prior, in starts.
const DEPENDENCE = 1.5 // (1 + r)/(1 - r) for a lag-1 of 0.2, twice the usual one.
/** Fewest blocks for an estimate of the noise of blocks. */
const MIN_BLOCKS = 5
/** Standard error at which the mixture is narrowest: differences of a few percent are decided there. */
const AIMED_AT = 0.01

/**
 * @param {readonly (readonly number[])[]} groups block log-ratios of each start so far, none empty
 * @param {number} level of the whole sequence
 * @returns {{ ratio: number, low: number, high: number }} 0 to Infinity with too few blocks
 */
export function sequenceInterval (groups, level) {
  const { means, variance: slice, df } = huberMeans(groups)
  if (groups.flat().length < MIN_BLOCKS || !(df > 1)) return { ratio: NaN, low: 0, high: Infinity }
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

/**
 * Outliers in a two-way table of arms by starts, and the variance of the other cells. B. Rosner's generalized extreme
 * studentized deviate test (1983, Technometrics 25(2), 165-172) removes the most extreme cell and fits the table again,
 * repeatedly. All cells up to the last one beyond its limit are outliers, so one outlier cannot mask another.
 */

/** Probability of a false outlier in a run without outliers. */
const FALSE_ALARM = 0.005
const MAX_APART = 0.2 // Largest share of outliers. With more, the majority is not defined.
/** Most outliers to look for, because each takes another fit. Tables of up to 500 cells are not affected. */
const MAX_REMOVED = 100
const SWEEPS = 30

/**
 * Finds the outliers of a table, and the variance of the other cells.
 *
 * @param {number[][]} table by arm and start, NaN for a missing cell
 * @param {number[]} [errors] standard error of a cell of each arm, because arms differ in noise
 * @returns {{ apart: { row: number, column: number, deviation: number }[], variance: number, df: number }} apart:
 *   outliers, with the deviation from the fitted value; variance: of the other cells, NaN without df
 */
export function outlying (table, errors = []) {
  let remaining = table
  const cells = table.flat().filter(x => !Number.isNaN(x)).length
  /** @type {{ row: number, column: number }[]} */
  const removed = []
  let outlierCount = 0
  const most = Math.min(MAX_REMOVED, Math.floor(cells * MAX_APART))
  while (removed.length < most) {
    const { residuals, df, squares } = fitAdditive(remaining)
    if (df < 2 || squares === 0) break
    const cell = findFarthest(residuals)
    const distance = Math.abs(residuals[cell.row][cell.column])
    const size = cells - removed.length
    // A residual has df / size of the variance of a cell.
    const residualVariance = squares / df * df / size
    const studentized = distance / Math.sqrt(residualVariance)
    removed.push(cell)
    const probability = 1 - FALSE_ALARM / (2 * size)
    const t = tQuantile(probability, df - 1)
    const isBeyondLimit = studentized > t * Math.sqrt(df / (df - 1 + t * t))
    const isBeyondNoise = distance > normalQuantile(probability) * (errors[cell.row] ?? 0)
    if (isBeyondLimit && isBeyondNoise) outlierCount = removed.length
    remaining = without(remaining, [cell])
  }
  const outliers = removed.slice(0, outlierCount)
  const { residuals, fitted, df, squares } = fitAdditive(without(table, outliers))
  return {
    apart: outliers.map(({ row, column }) => ({ row, column, deviation: table[row][column] - fitted[row][column] })),
    variance: df > 0 ? squares / df : NaN,
    df: residuals.length > 0 ? df : 0
  }
}

/**
 * Returns a copy of a table in which the cells are missing.
 *
 * @param {number[][]} table
 * @param {{ row: number, column: number }[]} cells
 */
const without = (table, cells) => table.map((row, r) =>
  row.map((x, c) => cells.some(({ row, column }) => row === r && column === c) ? NaN : x))

/** Fits row and column effects by least squares. @param {number[][]} table NaN for a missing cell */
function fitAdditive (table) {
  const columns = table[0]?.map((_, c) => c) ?? []
  let byColumn = columns.map(() => 0)
  let byRow = table.map(() => 0)
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const before = byColumn
    byRow = table.map(row => meanOfKnown(row.map((x, c) => x - byColumn[c])) || 0)
    byColumn = columns.map(c => meanOfKnown(table.map((row, r) => row[c] - byRow[r])) || 0)
    // Further sweeps would repeat the same figures.
    if (byColumn.every((effect, c) => effect === before[c])) break
  }
  const fitted = table.map((row, r) => row.map((_, c) => byRow[r] + byColumn[c]))
  const residuals = table.map((row, r) => row.map((x, c) => x - fitted[r][c]))
  const valid = residuals.flat().filter(x => !Number.isNaN(x))
  const rows = table.filter(row => row.some(x => !Number.isNaN(x))).length
  const used = columns.filter(c => table.some(row => !Number.isNaN(row[c]))).length
  return { fitted, residuals, squares: valid.reduce((sum, r) => sum + r * r, 0), df: valid.length - rows - used + 1 }
}

/** Returns the cell with the largest absolute residual. @param {number[][]} residuals */
function findFarthest (residuals) {
  const cells = residuals.flatMap((row, r) => row.map((x, column) => ({ row: r, column, distance: Math.abs(x) })))
  const { row, column } = cells.reduce((farthest, cell) => cell.distance > farthest.distance ? cell : farthest,
    { row: 0, column: 0, distance: -1 })
  return { row, column }
}

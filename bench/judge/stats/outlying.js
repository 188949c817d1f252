/**
 * Outliers in a two-way table of arms by starts, and the variance of the other cells. B. Rosner's generalized extreme
 * studentized deviate test (1983, Technometrics 25(2), 165-172) removes the most extreme cell and fits the table again,
 * repeatedly. All cells up to the last one beyond its limit are outliers, so one outlier cannot mask another.
 */
import { tQuantile } from './student.js'
import { meanOfKnown } from './huber.js'
import { normalQuantile } from '../../shared/normal.js'

/** Probability of a false outlier in a run without outliers. */
const FALSE_ALARM = 0.005
const MOST_APART = 0.2 // Largest share of outliers. With more, the majority is not defined.
/** Most outliers to look for, because each takes another fit. Tables of up to 500 cells are not affected. */
const MOST_REMOVED = 100
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
  const most = Math.min(MOST_REMOVED, Math.floor(cells * MOST_APART))
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
  return {
    fitted, residuals, squares: valid.reduce((sum, r) => sum + r * r, 0), df: valid.length - rows - used + 1
  }
}

/** Returns the cell with the largest absolute residual. @param {number[][]} residuals */
function findFarthest (residuals) {
  const cells = residuals.flatMap((row, r) => row.map((x, column) => ({ row: r, column, distance: Math.abs(x) })))
  const { row, column } = cells.reduce((farthest, cell) => cell.distance > farthest.distance ? cell : farthest,
    { row: 0, column: 0, distance: -1 })
  return { row, column }
}

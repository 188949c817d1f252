/**
 * Outliers in a two-way table of arms by starts, and the variance of the other cells. B. Rosner's generalized extreme
 * studentized deviate test (1983, Technometrics 25(2), 165-172) removes the most extreme cell and fits the table again,
 * repeatedly. All cells up to the last one beyond its limit are outliers, so one outlier cannot mask another.
 */
import { tQuantile } from './student.js'
import { meanOfKnown } from './huber.js'
import { normalQuantile } from '../../shared/normal.js'

/** Probability of a false outlier in a run without outliers. */
export const FALSE_ALARM = 0.005
const MOST_APART = 0.2 // Largest share of outliers. With more, the majority is not defined.
const SWEEPS = 30

/**
 * @param {number[][]} table by arm and start, NaN for a missing cell
 * @param {number[]} [errors] standard error of a cell of each arm, because arms differ in noise
 * @returns {{ apart: { row: number, column: number, deviation: number }[], variance: number, df: number }} apart:
 *   outliers, with the deviation from the fitted value; variance: of the other cells, NaN without df
 */
export function outlying (table, errors = []) {
  let left = table.map(row => [...row])
  const cells = table.flat().filter(x => !Number.isNaN(x)).length
  /** @type {{ row: number, column: number }[]} */
  const taken = []
  let count = 0
  const most = Math.floor(cells * MOST_APART)
  while (taken.length < most) {
    const { residuals, df, squares } = additive(left)
    if (df < 2 || squares === 0) break
    const far = farthest(residuals)
    // A residual has df / size of the variance of a cell.
    const size = cells - taken.length
    const extreme = Math.abs(residuals[far.row][far.column]) / Math.sqrt(squares / df * df / size)
    taken.push(far)
    const t = tQuantile(1 - FALSE_ALARM / (2 * size), df - 1)
    const isBeyond = extreme > t * Math.sqrt(df / (df - 1 + t * t))
    const z = normalQuantile(1 - FALSE_ALARM / (2 * size))
    if (isBeyond && Math.abs(residuals[far.row][far.column]) > z * (errors[far.row] ?? 0)) count = taken.length
    left = without(left, [far])
  }
  const named = taken.slice(0, count)
  left = without(table, named)
  const { residuals, fitted, df, squares } = additive(left)
  return {
    apart: named.map(({ row, column }) => ({ row, column, deviation: table[row][column] - fitted[row][column] })),
    variance: df > 0 ? squares / df : NaN,
    df: residuals.length > 0 ? df : 0
  }
}

/**
 * @param {number[][]} table
 * @param {{ row: number, column: number }[]} cells
 */
const without = (table, cells) => table.map((row, r) =>
  row.map((x, c) => cells.some(({ row, column }) => row === r && column === c) ? NaN : x))

/** Fits row and column effects by least squares. @param {number[][]} table NaN for a missing cell */
function additive (table) {
  const columns = table[0]?.map((_, c) => c) ?? []
  let byColumn = columns.map(() => 0)
  let byRow = table.map(() => 0)
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    byRow = table.map(row => meanOfKnown(row.map((x, c) => x - byColumn[c])) || 0)
    byColumn = columns.map(c => meanOfKnown(table.map((row, r) => row[c] - byRow[r])) || 0)
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

/** @param {number[][]} residuals */
function farthest (residuals) {
  const all = residuals.flatMap((row, r) => row.map((x, column) => ({ row: r, column, far: Math.abs(x) })))
  const { row, column } = all.reduce((most, cell) => cell.far > most.far ? cell : most, { row: 0, column: 0, far: -1 })
  return { row, column }
}

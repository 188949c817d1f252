/** Ratios with their intervals as lines of text, for a comment or a log, on a logarithmic scale (pure). */
import stringWidth from 'string-width'
import { withoutControls } from '../errors.js'
import { isNumber } from '../shared/format.js'

const WIDTH = 37 // Columns of the scale. With its names a chart fits into 80 columns.
const LONGEST_NAME = 40 // Columns of a name, the rest of which is cut off.
/** Smallest and largest end of a scale: a ratio beyond is drawn at the edge. */
const OUTERMOST = { low: 0.1, high: 10 }
const LEAST_SPAN = 0.05 // Share by which the scale extends to each side of 1, so that noise does not look large.

/** @typedef {{ name: string, ratio: number | null, low: number | null, high: number | null }} Row */

/**
 * Draws a line for each row with a ratio: its interval, and a mark at 1.
 *
 * @param {Row[]} rows
 * @returns {string[]} lines, without control characters and backticks; empty: no row has a ratio
 */
export function textChart (rows) {
  const drawn = rows.flatMap(({ ratio, ...row }) => isNumber(ratio) && ratio > 0 ? [{ ...row, ratio }] : [])
  if (drawn.length === 0) return []
  const span = computeSpan(drawn)
  const toColumn = (/** @type {number} */ value) =>
    Math.round((Math.log(clamp(value, 1 / span, span)) / Math.log(span) + 1) / 2 * (WIDTH - 1))
  const names = drawn.map(({ name }) => cut(withoutControls(name).replace(/[`\n]/g, ' ')))
  const column = Math.max(...names.map(name => stringWidth(name)))
  const digits = span < 1.1 ? 3 : 2
  const [left, right] = [(1 / span).toFixed(digits), span.toFixed(digits)]
  const middle = (WIDTH - 1) / 2
  const scale = `${left.padEnd(middle)}1${right.padStart(WIDTH - middle - 1)}`
  return [
    `${' '.repeat(column)}  ${scale}`,
    ...drawn.map((row, i) => `${names[i]}${' '.repeat(column - stringWidth(names[i]))}  ${drawRow(row, toColumn)}`)
  ]
}

/**
 * Returns the upper end of the scale, whose lower end is its reciprocal.
 *
 * @param {{ ratio: number, low: number | null, high: number | null }[]} rows
 */
function computeSpan (rows) {
  const values = rows.flatMap(({ ratio, low, high }) => [ratio, low, high]).filter(isNumber).filter(value => value > 0)
  const distances = values.map(value => Math.exp(Math.abs(Math.log(value))))
  return clamp(Math.max(...distances), 1 + LEAST_SPAN, OUTERMOST.high)
}

/**
 * @param {{ ratio: number, low: number | null, high: number | null }} row
 * @param {(value: number) => number} toColumn
 */
function drawRow ({ ratio, low, high }, toColumn) {
  const cells = Array(WIDTH).fill(' ')
  // An end that is missing is open, so the line extends to the edge.
  const [from, to] = [low || OUTERMOST.low, high ?? OUTERMOST.high].map(toColumn)
  cells.fill('─', from, to + 1)
  cells[from] = low ? '├' : '─'
  cells[to] = high === null ? '─' : '┤'
  cells[toColumn(1)] = '│'
  cells[toColumn(ratio)] = '●'
  return cells.join('').trimEnd()
}

/** Cuts a name to its column. @param {string} name */
function cut (name) {
  if (stringWidth(name) <= LONGEST_NAME) return name
  let short = ''
  for (const letter of name) {
    if (stringWidth(short + letter) >= LONGEST_NAME) break
    short += letter
  }
  return `${short}…`
}

/** @type {(value: number, low: number, high: number) => number} */
const clamp = (value, low, high) => Math.min(Math.max(value, low), high)

/** Sections of a figure of all arms over time: a line and a column for each arm. */
import { isNumber, NONE } from '../shared/format.js'
import { column } from './table.js'

/** @import { ChartBlock, Section, Table } from '../types.js' */

const MAX_ROWS = 15 // Rows of a series in a terminal.
const COLUMN_GAP = 2
const SECOND_WIDTH = 3
const MIN_WIDTH = 7
const USUAL_WIDTH = 9 // Width of the column of an arm, unless its name is longer.

/**
 * @template {{ second: number }} Point
 * @param {Pick<Section, 'id' | 'title'>} heading
 * @param {{ name: string, points: Point[] }[]} arms
 * @param {object} figure
 * @param {string} figure.label of the vertical axis
 * @param {(point: Point) => number | null} figure.getValue
 * @param {(point: Point) => string} figure.print
 * @returns {Section} without blocks if no point has a value
 */
export function overTimeSection (heading, arms, { label, getValue, print }) {
  const shown = arms.filter(({ points }) => points.length > 0)
  const chart = overTimeChart(shown, label, getValue)
  return { ...heading, blocks: chart.lines.length === 0 ? [] : [chart, secondsTable(shown, print)] }
}

/**
 * @template {{ second: number }} Point
 * @param {{ name: string, points: Point[] }[]} arms
 * @param {string} label of the vertical axis
 * @param {(point: Point) => number | null} getValue
 * @returns {Extract<ChartBlock, { chart: 'lines' }>} without lines if no point has a value
 */
export const overTimeChart = (arms, label, getValue) => ({
  chart: 'lines',
  lines: arms.map(({ name, points }) => ({
    name,
    points: points.flatMap(point => {
      const y = getValue(point)
      return isNumber(y) ? [{ x: point.second, y }] : []
    }),
    end: null
  })).filter(({ points }) => points.length > 0),
  axes: { x: 'seconds', y: label }
})

/**
 * Returns a table with a row for each second of at least one arm, and a column for each arm.
 * @template {{ second: number }} Point
 * @param {{ name: string, points: Point[] }[]} arms
 * @param {(point: Point) => string} print
 * @returns {Table<number>}
 */
function secondsTable (arms, print) {
  const seconds = [...new Set(arms.flatMap(({ points }) => points.map(({ second }) => second)))].sort((a, b) => a - b)
  const every = Math.ceil(seconds.length / MAX_ROWS)
  const equalWidth = (/** @type {number} */ columns) =>
    Math.max(MIN_WIDTH, Math.floor((columns - SECOND_WIDTH) / Math.max(1, arms.length)) - COLUMN_GAP)
  return {
    rows: seconds,
    // The first row, the last, and every n-th.
    shown: seconds.filter((_, i) => i === 0 || (i + 1) % every === 0 || i === seconds.length - 1),
    columns: [
      column({ text: 's' }, String, { width: SECOND_WIDTH }),
      column({ page: 'second' }, String, { left: true }),
      ...arms.map(({ name, points }) => column(name, (/** @type {number} */ second) => {
        const point = points.find(point => point.second === second)
        return point ? print(point) : NONE
      }, { width: columns => Math.min(equalWidth(columns), Math.max(USUAL_WIDTH, name.length)) }))
    ]
  }
}

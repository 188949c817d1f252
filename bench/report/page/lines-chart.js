/** Rates over time and by connections: a line for each arm, distinguished by colour, dashes and symbol. */
import * as Plot from '@observablehq/plot'
import { count, isNumber } from '../../shared/format.js'
import { ofApp } from '../latencies.js'
import { groupLadderSteps, groupSteps, hasErrors } from '../tables/arms.js'
import { shownAs } from './rate-chart.js'

/** @import { SymbolType } from '@observablehq/plot' */
/** @import { ArmResult, RunRecord, SeriesPoint, UserPoint } from '../../types.js' */
/** @import { Chart } from './draw.js' */

const COLORS = ['var(--c1)', 'var(--c2)', 'var(--c3)', 'var(--c4)', 'var(--c5)', 'var(--c6)', 'var(--c7)']
const DASHES = ['none', '7 3', '2 3', '9 3 2 3']
/** @type {SymbolType[]} */
const SYMBOLS = ['circle', 'square', 'triangle', 'diamond', 'star', 'wye', 'plus']
const MOST_MARKS = 12 // Marks on one line; more of them would cover it.
const LABEL_WIDTH = 60 // Pixels of a label of the horizontal axis.

/**
 * @typedef {object} Line
 * @property {string} name
 * @property {{ x: number, y: number }[]} points
 * @property {{ x: number, y: number } | null} end the first errors
 */

/** @param {number} i index of the line */
const getLook = i => ({
  color: COLORS[i % COLORS.length],
  dash: DASHES[Math.floor(i / COLORS.length) % DASHES.length],
  symbol: SYMBOLS[i % SYMBOLS.length]
})

/**
 * Returns a line for each arm that was measured second by second.
 * @param {RunRecord} record
 * @param {(point: SeriesPoint) => number | null} getFigure
 */
export const seriesLines = ({ arms, plan }, getFigure) => arms
  .filter(({ name }) => name !== plan.twin?.arm)
  .flatMap(({ name, series = [] }) => toLine(name, series, getFigure))

/**
 * Returns a line for each arm with users.
 * @param {Pick<RunRecord, 'arms'>} record
 * @param {(point: UserPoint) => number | null} getFigure
 */
export const userLines = ({ arms }, getFigure) =>
  arms.flatMap(({ name, users = [] }) => toLine(name, users, getFigure))

/**
 * @template {{ second: number }} T
 * @param {string} name
 * @param {T[]} series
 * @param {(point: T) => number | null} getFigure
 * @returns {Line[]} empty if no point has the figure
 */
function toLine (name, series, getFigure) {
  const points = series.flatMap(point => {
    const y = getFigure(point)
    return isNumber(y) ? [{ x: point.second, y }] : []
  })
  return points.length === 0 ? [] : [{ name, points, end: null }]
}

/**
 * Returns rate by connections for each arm of a ladder.
 * @param {RunRecord} record
 * @returns {Line[]}
 */
export function ladderLines (record) {
  const { scale } = shownAs(record.unit)
  const toPoint = (/** @type {ArmResult} */ { load, rps }) => ({ x: load.connections, y: (rps?.median ?? 0) * scale })
  return groupLadderSteps(record).map(({ name, steps }) => {
    const measured = steps.filter(({ trials }) => trials > 0)
    const failed = measured.find(hasErrors)
    return {
      name,
      points: measured.filter(arm => !hasErrors(arm) && isNumber(arm.rps?.median)).map(toPoint),
      end: failed ? toPoint(failed) : null
    }
  })
}

/**
 * Returns p99 of response time by offered rate for each arm of an open-loop run.
 * @param {RunRecord} record
 * @returns {Line[]}
 */
export const loadLines = record => groupSteps({ arms: record.arms.map(ofApp) }).map(({ name, steps }) => ({
  name,
  points: steps.flatMap(({ rps, latencyMs }) =>
    isNumber(rps?.median) && isNumber(latencyMs?.p99) && latencyMs.p99 > 0
      ? [{ x: rps.median, y: latencyMs.p99 }]
      : []
  ),
  end: null
})).filter(({ points }) => points.length > 0)

/**
 * @param {Line[]} lines
 * @param {object} axes
 * @param {string} axes.x label
 * @param {string} axes.y label
 * @param {boolean} [axes.isStepped] whether x is logarithmic, with a tick for each step
 * @param {boolean} [axes.isLogY] whether y is logarithmic
 * @param {{ y: number, name: string }} [axes.mark] horizontal line with a name
 * @returns {Chart}
 */
export const linesChart = (lines, { x, y, isStepped = false, isLogY = false, mark }) => width => ({
  height: Math.min(380, width * 0.75),
  marginLeft: 64,
  marginTop: 28,
  x: isStepped
    ? {
        label: `${x} →`,
        type: 'log',
        ticks: stepTicks(lines, width),
        tickFormat: (/** @type {number} */ step) => count(step)
      }
    : { label: `${x} →`, ticks: width / 90, zero: isLogY },
  y: isLogY
    ? { label: `↑ ${y}`, grid: true, type: 'log', ticks: 5, tickFormat: (/** @type {number} */ value) => `${value}` }
    : { label: `↑ ${y}`, grid: true, zero: true },
  marks: [
    ...mark
      ? [Plot.ruleY([mark.y], { stroke: 'var(--slower)', strokeDasharray: '4 3' }),
          Plot.text([mark], { y: 'y', text: 'name', frameAnchor: 'left', dy: -7, dx: 4 })]
      : [],
    ...lines.flatMap(({ name, points, end }, i) => {
      const { color, dash, symbol } = getLook(i)
      const every = Math.ceil(points.length / MOST_MARKS)
      return [
        Plot.line(end ? [...points, end] : points, {
          x: 'x',
          y: 'y',
          stroke: color,
          strokeWidth: 2,
          strokeDasharray: dash
        }),
        Plot.dot(points.filter((_, index) => index % every === 0), {
          x: 'x',
          y: 'y',
          stroke: color,
          fill: color,
          symbol,
          r: 4,
          title: () => name
        }),
        Plot.dot(end ? [end] : [], {
          x: 'x',
          y: 'y',
          stroke: 'var(--slower)',
          strokeWidth: 3,
          symbol: 'times',
          r: 7,
          title: () => `${name}: the first errors`
        })
      ]
    })
  ]
})

/**
 * Returns the steps of the horizontal axis. Leaves out every second one if labels would overlap.
 * @param {Line[]} lines
 * @param {number} width in pixels
 */
function stepTicks (lines, width) {
  const xs = lines.flatMap(({ points, end }) => [...points, ...end ? [end] : []]).map(({ x }) => x)
  const steps = [...new Set(xs)].sort((a, b) => a - b)
  return steps.length * LABEL_WIDTH < width ? steps : steps.filter((_, i) => i % 2 === 0)
}

/** @param {Line[]} lines */
export const toLegend = lines =>
  lines.map(({ name }, i) => ({ name, ...getLook(i), symbol: String(getLook(i).symbol) }))

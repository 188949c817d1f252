/** Rates over time, and by connections: a line for each arm, distinguished by colour, dashes and symbol.
 * @import { ArmResult, RunRecord, SeriesPoint, UserPoint } from '../../types.js' @import { Chart } from './draw.js' */
import * as Plot from '@observablehq/plot'
import { count, isNumber } from '../../shared/format.js'
import { groupLadderSteps, groupSteps, hasErrors } from '../tables/arms.js'
import { shownAs } from './rate-chart.js'

/** @import { SymbolType } from '@observablehq/plot' */

const COLORS = ['var(--c1)', 'var(--c2)', 'var(--c3)', 'var(--c4)', 'var(--c5)', 'var(--c6)', 'var(--c7)']
const DASHES = ['none', '7 3', '2 3', '9 3 2 3']
/** @type {SymbolType[]} */
const SYMBOLS = ['circle', 'square', 'triangle', 'diamond', 'star', 'wye', 'plus']
const MOST_MARKS = 12 // More marks on a line than this say no more.

/** @typedef {{ x: number, y: number }} Point */
/** @typedef {{ name: string, points: Point[], ends: Point | null }} Line `ends`: where the first errors came */

/** The look of the n-th line. @param {number} n */
const lookOf = n => ({
  color: COLORS[n % COLORS.length],
  dash: DASHES[Math.floor(n / COLORS.length) % DASHES.length],
  symbol: SYMBOLS[n % SYMBOLS.length]
})

/** @param {RunRecord} record @param {(point: SeriesPoint) => number | null} figure
 * @returns {Line[]} none where nothing was measured second by second */
export const seriesLines = ({ arms, plan }, figure) => arms
  .filter(({ name, series }) => series && series.length > 0 && name !== plan.twin?.arm)
  .map(({ name, series = [] }) => ({
    name,
    points: series.flatMap(point => {
      const y = figure(point)
      return isNumber(y) ? [{ x: point.second, y }] : []
    }),
    ends: null
  }))
  .filter(({ points }) => points.length > 0)

/** @param {Pick<RunRecord, 'arms'>} record @param {(point: UserPoint) => number | null} figure
 * @returns {Line[]} of arms with users */
export const userLines = ({ arms }, figure) => arms.map(({ name, users = [] }) => ({
  name,
  points: users.flatMap(point => {
    const y = figure(point)
    return isNumber(y) ? [{ x: point.second, y }] : []
  }),
  ends: null
})).filter(({ points }) => points.length > 0)

/** @param {RunRecord} record of a ladder @returns {Line[]} */
export function ladderLines (record) {
  const { scale } = shownAs(record.unit)
  return groupLadderSteps(record).map(({ name, steps }) => {
    const measured = steps.filter(({ trials }) => trials > 0)
    const at = (/** @type {ArmResult} */ { load, rps }) => ({ x: load.connections, y: (rps?.median ?? 0) * scale })
    const failed = measured.find(hasErrors)
    return {
      name,
      points: measured.filter(arm => !hasErrors(arm) && isNumber(arm.rps?.median)).map(at),
      ends: failed ? at(failed) : null
    }
  })
}

/** The p99 of response time by offered rate, of an open-loop run. @param {RunRecord} record
 * @returns {Line[]} */
export const loadLines = record =>
  groupSteps(record).map(({ name, steps }) => ({
    name,
    points: steps.flatMap(({ rps, latencyMs }) =>
      isNumber(rps?.median) && isNumber(latencyMs?.p99) && latencyMs.p99 > 0
        ? [{ x: rps.median, y: latencyMs.p99 }]
        : []
    ),
    ends: null
  })).filter(({ points }) => points.length > 0)

/** @param {Line[]} lines
 * @param {{ x: string, y: string, steps?: boolean, times?: boolean, mark?: { y: number, name: string } }} labels
 * `steps`: x is on a scale where ten times is always as far; `times`: y is; `mark`: a height that means something
 * @returns {Chart} */
export const linesChart = (lines, { x, y, steps = false, times = false, mark }) => width => ({
  height: Math.min(380, width * 0.75),
  marginLeft: 64,
  marginTop: 28,
  x: steps
    ? {
        label: `${x} →`,
        type: 'log',
        ticks: stepsOf(lines).filter(fits(width)),
        tickFormat: (/** @type {number} */ step) => count(step)
      }
    : { label: `${x} →`, ticks: width / 90, zero: times },
  y: times
    ? { label: `↑ ${y}`, grid: true, type: 'log', ticks: 5, tickFormat: (/** @type {number} */ value) => `${value}` }
    : { label: `↑ ${y}`, grid: true, zero: true },
  marks: [
    ...mark
      ? [Plot.ruleY([mark.y], { stroke: 'var(--slower)', strokeDasharray: '4 3' }),
          Plot.text([mark], { y: 'y', text: 'name', frameAnchor: 'left', dy: -7, dx: 4 })]
      : [],
    ...lines.flatMap(({ name, points, ends }, n) => {
      const { color, dash, symbol } = lookOf(n)
      const every = Math.ceil(points.length / MOST_MARKS)
      return [
        Plot.line(ends ? [...points, ends] : points, {
          x: 'x',
          y: 'y',
          stroke: color,
          strokeWidth: 2,
          strokeDasharray: dash
        }),
        Plot.dot(points.filter((_, i) => i % every === 0), {
          x: 'x',
          y: 'y',
          stroke: color,
          fill: color,
          symbol,
          r: 4,
          title: () => name
        }),
        Plot.dot(ends ? [ends] : [], {
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

/** @param {Line[]} lines */
const stepsOf = lines =>
  [...new Set(lines.flatMap(({ points, ends }) => [...points, ...ends ? [ends] : []]).map(({ x }) => x))].sort((
    a,
    b
  ) => a - b)

/** On a narrow chart every number would stand in the next one. @param {number} width
 * @returns {(step: number, i: number, all: number[]) => boolean} */
const fits = width => (_, i, all) => all.length * 60 < width || i % 2 === 0

/** What stands for what, as small drawings. @param {Line[]} lines
 * @returns {{ name: string, color: string, dash: string, symbol: string }[]} */
export const legendOf = lines => lines.map(({ name }, n) => ({ name, ...lookOf(n), symbol: String(lookOf(n).symbol) }))

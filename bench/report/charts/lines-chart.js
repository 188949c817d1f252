/** Rates over time and by connections: a line for each arm, distinguished by colour, dashes and symbol. */
import * as Plot from '@observablehq/plot'
import { count } from '../../shared/format.js'

/** @import { SymbolType } from '@observablehq/plot' */
/** @import { ChartLine, LineAxes } from '../../types.js' */
/** @import { Chart } from './draw.js' */

const COLORS = ['var(--c1)', 'var(--c2)', 'var(--c3)', 'var(--c4)', 'var(--c5)', 'var(--c6)', 'var(--c7)']
const DASHES = ['none', '7 3', '2 3', '9 3 2 3']
/** @type {SymbolType[]} */
const SYMBOLS = ['circle', 'square', 'triangle', 'diamond', 'star', 'wye', 'plus']
const MOST_MARKS = 12 // Marks on one line; more of them would cover it.
const LABEL_WIDTH = 60 // Pixels of a label of the horizontal axis.

/** @param {number} i index of the line */
const getLook = i => ({
  color: COLORS[i % COLORS.length],
  dash: DASHES[Math.floor(i / COLORS.length) % DASHES.length],
  symbol: SYMBOLS[i % SYMBOLS.length]
})

/**
 * @param {ChartLine[]} lines
 * @param {LineAxes} axes
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
 * @param {ChartLine[]} lines
 * @param {number} width in pixels
 */
function stepTicks (lines, width) {
  const xs = lines.flatMap(({ points, end }) => [...points, ...end ? [end] : []]).map(({ x }) => x)
  const steps = [...new Set(xs)].sort((a, b) => a - b)
  return steps.length * LABEL_WIDTH < width ? steps : steps.filter((_, i) => i % 2 === 0)
}

/** @param {ChartLine[]} lines */
export const linesLegend = lines =>
  lines.map(({ name }, i) => ({ name, ...getLook(i), symbol: String(getLook(i).symbol) }))

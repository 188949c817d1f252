/**
 * Chart of rates. Every trial is a point, in the order of the blocks from the top of its row to the bottom, so that a
 * drift is visible. The line is the interval of the median.
 */
import * as Plot from '@observablehq/plot'
import { isNumber } from '../../shared/format.js'
import { unitOf } from '../../shared/units.js'
import { layOutRows } from './rows.js'

/** @import { RenderFunction } from '@observablehq/plot' */
/** @import { RunRecord, Sample } from '../../types.js' */
/** @import { Chart } from './draw.js' */

const SPREAD = 0.56 // Share of a row that its points fill.
const LEAST_FROM_ZERO = 0.75 // A scale starts at zero unless the lowest rate exceeds this share of the highest.
const DOT = 3 // Diameter of a point, in pixels.

/** @param {{ samples: Sample[] }} block */
export const rateLegend = ({ samples }) => [
  { name: 'a trial', color: 'var(--point)', symbol: 'circle' },
  ...samples.some(({ invalid }) => invalid)
    ? [{ name: 'an invalid trial', color: 'var(--lost)', symbol: 'circle' }]
    : []
]

/**
 * @param {Pick<RunRecord, 'arms' | 'unit'> & { samples: Sample[] }} block at least one arm with a rate
 * @returns {Chart}
 */
export function rateChart ({ arms, unit, samples }) {
  const { label, scale } = unitOf(unit)
  const shown = arms.filter(({ rps }) => isNumber(rps?.median))
  const rows = new Map(shown.map(({ name }, i) => [name, i]))
  const trials = samples.filter(({ arm, seconds, rps }) => rows.has(arm) && seconds > 0 && isNumber(rps))
  const [valid, invalid] = [trials.filter(({ invalid }) => !invalid), trials.filter(({ invalid }) => invalid)]
  const blocks = Math.max(1, trials.reduce((most, { block }) => Math.max(most, block), 0))
  const medians = shown.flatMap(({ rps }) => rps ? [rps.low, rps.median, rps.high].filter(isNumber) : [])
  const domain = rateDomain([...valid.map(({ rps }) => rps), ...medians]).map(rate => rate * scale)
  return width => {
    const layout = layOutRows(shown.map(({ name }) => name), width)
    const toPoint = (/** @type {Sample} */ { arm, block, rps }) => ({
      x: Math.min(domain[1], Math.max(domain[0], rps * scale)),
      y: (rows.get(arm) ?? 0) + layout.drop + (block / blocks - 0.5) * SPREAD
    })
    const lines = shown.map(({ name, rps }, i) => ({
      name,
      row: i + layout.drop,
      median: (rps?.median ?? NaN) * scale,
      low: (rps?.low || NaN) * scale,
      high: (rps?.high ?? NaN) * scale
    }))
    return {
      ...layout.frame,
      x: { domain, label: `${label} →`, ticks: width / 110, grid: true },
      marks: [
        pointsMark(invalid.map(toPoint), 'var(--lost)'),
        pointsMark(valid.map(toPoint), 'var(--point)'),
        Plot.ruleY(lines.filter(({ low, high }) => isNumber(low) && isNumber(high)), {
          y: 'row',
          x1: 'low',
          x2: 'high',
          stroke: 'var(--ink)',
          strokeWidth: 3
        }),
        Plot.ruleX(lines, {
          x: 'median',
          y1: ({ row }) => row - SPREAD / 2,
          y2: ({ row }) => row + SPREAD / 2,
          stroke: 'var(--ink)',
          strokeWidth: 3,
          title: 'name'
        }),
        ...layout.names
      ]
    }
  }
}

/**
 * Returns the ends of the scale. Reduces in pairs, because a call cannot take a hundred thousand arguments.
 * @param {number[]} rates
 */
function rateDomain (rates) {
  const least = rates.reduce((a, b) => Math.min(a, b), Infinity)
  const most = rates.reduce((a, b) => Math.max(a, b), -Infinity)
  return [least < most * LEAST_FROM_ZERO ? 0 : least * 0.98, most * 1.02]
}

/**
 * Draws many points as one path, because a hundred thousand circles would make a page of ten megabytes. Draws points at
 * the same pixel once.
 * @param {{ x: number, y: number }[]} points in the units of the scales
 * @param {string} color
 * @returns {RenderFunction} a mark of Observable Plot
 */
const pointsMark = (points, color) => (_index, scales, _values, _dimensions, context) => {
  const { x, y } = /** @type {Record<'x' | 'y', (value: number) => number>} */ (/** @type {unknown} */ (scales))
  const pixels = new Set(points.map(point => `${Math.round(x(point.x))},${Math.round(y(point.y))}`))
  const path = context.document.createElementNS('http://www.w3.org/2000/svg', 'path')
  const attributes = {
    d: [...pixels].map(pixel => `M${pixel}h0`).join(''),
    stroke: color,
    'stroke-width': String(DOT),
    'stroke-linecap': 'round',
    fill: 'none'
  }
  for (const [name, value] of Object.entries(attributes)) path.setAttribute(name, value)
  return path
}

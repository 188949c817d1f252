/** Chart of ratios with their intervals, on a scale on which twice and half are equally far from 1. */
import * as Plot from '@observablehq/plot'
import { estimateText } from '../../shared/format.js'
import { isPositive } from '../ratio-rows.js'
import { LETTER_WIDTH, layOutRows } from './rows.js'

/** @import { SymbolType } from '@observablehq/plot' */
/** @import { RatioRow, Verdict } from '../../types.js' */
/** @import { Chart } from './draw.js' */

const MOST = 100 // A larger ratio is drawn at the edge, because its scale would leave no room for the others.
const MARGIN = 1.04 // Factor between the outermost figure and the edge.

/** @typedef {{ color: string, symbol: SymbolType, rotate: number }} Look */

/**
 * Looks of verdicts, which differ by symbol as well as by colour.
 * @type {Record<Verdict, Look>}
 */
const LOOKS = {
  faster: { color: 'var(--faster)', symbol: 'triangle', rotate: 90 },
  slower: { color: 'var(--slower)', symbol: 'triangle', rotate: -90 },
  'no-difference': { color: 'var(--same)', symbol: 'square', rotate: 0 },
  inconclusive: { color: 'var(--open)', symbol: 'circle', rotate: 0 },
  invalid: { color: 'var(--open)', symbol: 'times', rotate: 0 }
}

/**
 * Returns the legend of a chart of verdicts.
 * @param {{ low: number, high: number } | null} noise
 * @param {string} [band] name of the noise
 * @returns {{ name: string, color: string, symbol: string }[]}
 */
export const ratioLegend = (noise, band = 'noise floor (A/A)') => [
  { name: 'faster', color: 'var(--faster)', symbol: 'right' },
  { name: 'slower', color: 'var(--slower)', symbol: 'left' },
  { name: 'no difference', color: 'var(--same)', symbol: 'square' },
  { name: 'inconclusive', color: 'var(--open)', symbol: 'circle' },
  ...noise ? [{ name: band, color: 'var(--band)', symbol: 'band' }] : []
]

/**
 * @param {RatioRow[]} rows at least one
 * @param {{ low: number, high: number } | null} noise band of differences that may be noise
 * @param {string} [label] of the scale
 * @returns {Chart}
 */
export const ratioChart = (rows, noise, label = 'relative throughput →') => width => {
  const layout = layOutRows(rows.map(({ name }) => name), width)
  const domain = toDomain(rows, noise)
  const figures = layout.beside ? rows.map(estimateText) : []
  const marginRight = Math.max(24, ...figures.map(text => text.length * LETTER_WIDTH + 24))
  const ticks = ratioTicks(domain, width - layout.frame.marginLeft - marginRight)
  const clamped = (/** @type {number} */ value) => Math.min(domain[1], Math.max(domain[0], value))
  const placed = rows.map((row, i) => ({
    ...row,
    ratio: clamped(row.ratio),
    from: clamped(row.low ?? domain[0]),
    to: clamped(row.high ?? domain[1]),
    row: i + layout.drop
  }))
  return {
    ...layout.frame,
    marginRight,
    x: { type: 'log', domain, label, ticks, tickFormat: String },
    marks: [
      ...noise && isPositive(noise.low) && isPositive(noise.high)
        ? [Plot.rectX([{ from: clamped(noise.low), to: clamped(noise.high) }],
            { x1: 'from', x2: 'to', fill: 'var(--band)' })]
        : [],
      Plot.gridX(ticks, { stroke: 'var(--line)', strokeOpacity: 1 }),
      Plot.ruleX([1], { stroke: 'var(--ink)', strokeWidth: 1.5 }),
      ...intervals(placed),
      ...placed.map(ratioDot),
      publishedDots(placed.flatMap(({ published, row }) =>
        published === undefined ? [] : [{ published: clamped(published), row }])),
      Plot.text(figures, { y: (_, i) => i, text: text => text, frameAnchor: 'right', textAnchor: 'start', dx: 12 }),
      ...layout.names
    ]
  }
}

/**
 * Draws intervals. Draws an interval without an end up to the edge, and dashed.
 * @param {(RatioRow & { from: number, to: number, row: number })[]} placed
 */
function intervals (placed) {
  const line = { y: 'row', x1: 'from', x2: 'to', stroke: (/** @type {RatioRow} */ row) => LOOKS[row.look].color }
  const closed = placed.filter(({ low, high }) => low !== null && high !== null)
  const open = placed.filter(({ low, high }) => (low === null) !== (high === null))
  return [Plot.ruleY(closed, { ...line, strokeWidth: 3 }),
    Plot.ruleY(open, { ...line, strokeWidth: 2, strokeDasharray: '5 4' })]
}

/** @param {RatioRow} row */
const ratioDot = row => {
  const { symbol, rotate, color } = LOOKS[row.look]
  return Plot.dot([row], {
    x: 'ratio',
    y: 'row',
    symbol,
    rotate,
    r: 6,
    fill: color,
    stroke: color,
    strokeWidth: symbol === 'times' ? 2.5 : 0,
    title: 'title'
  })
}

/** @param {{ published: number, row: number }[]} rows */
const publishedDots = rows => Plot.dot(rows, {
  x: 'published',
  y: 'row',
  symbol: 'diamond',
  r: 7,
  stroke: 'var(--ink)',
  strokeWidth: 1.5,
  fill: 'none',
  title: () => 'published'
})

/**
 * @param {RatioRow[]} rows
 * @param {{ low: number, high: number } | null} noise
 * @returns {[number, number]}
 */
function toDomain (rows, noise) {
  const values = [1, ...rows.flatMap(({ ratio, low, high, published }) => [ratio, low, high, published]), noise?.low,
    noise?.high].filter(isPositive)
  return [Math.max(1 / MOST, Math.min(...values) / MARGIN), Math.min(MOST, Math.max(...values) * MARGIN)]
}

const LABEL_PIXELS = 48 // Least distance of two labels.

const steps = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ step) =>
  Array.from({ length: Math.round((to - from) / step) + 1 }, (_, i) => Number((from + i * step).toFixed(3)))

/** Possible ticks, from the finest to the coarsest. */
const SCALES = [
  steps(0.8, 1.2, 0.01),
  steps(0.5, 2, 0.05),
  steps(0.1, 3, 0.1),
  [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100],
  [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100],
  [0.01, 0.1, 1, 10, 100]
]

/**
 * Returns the ticks of the finest scale that covers the domain and whose labels do not overlap.
 * @param {[number, number]} domain
 * @param {number} pixels width of the domain
 */
export function ratioTicks ([low, high], pixels) {
  const toPixel = (/** @type {number} */ value) => Math.log(value / low) / Math.log(high / low) * pixels
  const inDomain = (/** @type {number[]} */ scale) => scale.filter(value => value >= low && value <= high)
  const fitting = SCALES.find(scale => {
    const pixels = inDomain(scale).map(toPixel)
    const isCovering = scale[0] <= low && scale[scale.length - 1] >= high
    return isCovering && pixels.slice(1).every((pixel, i) => pixel - pixels[i] >= LABEL_PIXELS)
  })
  return inDomain(fitting ?? SCALES[SCALES.length - 1])
}

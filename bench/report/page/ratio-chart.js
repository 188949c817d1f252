/** Chart of ratios with their intervals, on a scale on which twice and half are equally far from 1. */
import * as Plot from '@observablehq/plot'
import { isHeldBack } from '../../judge/verdict.js'
import { estimateText, isNumber } from '../../shared/format.js'
import { layOutRows, LETTER_WIDTH } from './rows.js'
import { ratioTicks } from './ticks.js'

/** @import { SymbolType } from '@observablehq/plot' */
/** @import { ClaimResult, Contrast, RunRecord } from '../../types.js' */
/** @import { Chart } from './draw.js' */

const MOST = 100 // A larger ratio is drawn at the edge, because its scale would leave no room for the others.
const MARGIN = 1.04 // Factor between the outermost figure and the edge.

/** @typedef {{ color: string, symbol: SymbolType, rotate: number }} Look */

/**
 * Looks of verdicts, which differ by symbol as well as by colour.
 * @type {Record<Contrast['verdict'], Look>}
 */
export const LOOKS = {
  faster: { color: 'var(--faster)', symbol: 'triangle', rotate: 90 },
  slower: { color: 'var(--slower)', symbol: 'triangle', rotate: -90 },
  'no-difference': { color: 'var(--same)', symbol: 'square', rotate: 0 },
  inconclusive: { color: 'var(--open)', symbol: 'circle', rotate: 0 },
  invalid: { color: 'var(--open)', symbol: 'times', rotate: 0 }
}

/**
 * Returns the legend of a chart of verdicts.
 * @param {{ low: number, high: number } | null} noise
 * @returns {{ name: string, color: string, symbol: string }[]}
 */
export const ratioLegend = noise => [
  { name: 'faster', color: 'var(--faster)', symbol: 'right' },
  { name: 'slower', color: 'var(--slower)', symbol: 'left' },
  { name: 'no difference', color: 'var(--same)', symbol: 'square' },
  { name: 'inconclusive', color: 'var(--open)', symbol: 'circle' },
  ...noise ? [{ name: 'noise floor (A/A)', color: 'var(--band)', symbol: 'band' }] : []
]

/** @type {Record<ClaimResult['status'], Look>} */
const LOOKS_OF_CLAIMS = {
  confirmed: LOOKS['no-difference'],
  refuted: LOOKS.invalid,
  inconclusive: LOOKS.inconclusive,
  'not-testable': LOOKS.inconclusive
}

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {number} ratio
 * @property {number | null} low null: the interval has no lower end
 * @property {number | null} high null: the interval has no upper end
 * @property {Look} look
 * @property {string} title
 * @property {number} [published]
 */

/**
 * Returns the baseline that all contrasts share.
 * @param {Pick<RunRecord, 'contrasts'>} record
 * @returns {string | null}
 */
export function commonBaseline ({ contrasts }) {
  const [first, ...others] = new Set(contrasts.map(({ baseline }) => baseline))
  return first !== undefined && others.length === 0 ? first : null
}

/**
 * Returns a row for each contrast with a ratio. Excludes pairs in which the load generator was the bottleneck of both.
 * @param {Pick<RunRecord, 'contrasts'>} record
 * @returns {Row[]}
 */
export function ratioRows ({ contrasts }) {
  const hasOneBaseline = commonBaseline({ contrasts }) !== null
  return contrasts.filter(contrast => isPositive(contrast.ratio) && !isHeldBack(contrast)).map(contrast => ({
    name: hasOneBaseline ? contrast.arm : `${contrast.arm} ÷ ${contrast.baseline}`,
    ratio: contrast.ratio,
    ...toDrawnEnds(contrast),
    look: LOOKS[contrast.verdict],
    title: `${contrast.arm} against ${contrast.baseline}: ${contrast.verdict.replace('-', ' ')}`
  }))
}

/**
 * Returns the ends of an interval that are known and a bound of the ratio.
 * @type {(estimate: Pick<Row, 'low' | 'high'> & { oneSided?: Contrast['oneSided'] }) => Pick<Row, 'low' | 'high'>}
 */
const toDrawnEnds = ({ low, high, oneSided }) => ({
  low: isPositive(low) && oneSided !== 'at-most' ? low : null,
  high: isPositive(high) && oneSided !== 'at-least' ? high : null
})

/**
 * Returns a row for each claim about a ratio that was measured.
 * @param {Pick<RunRecord, 'claims'>} record
 * @returns {Row[]}
 */
export const claimRows = ({ claims }) => claims.flatMap(claim => {
  const { id, published, measured, status } = claim
  if (!isPositive(measured) || !isPositive(published)) return []
  return [{
    name: id,
    ratio: measured,
    ...toDrawnEnds(claim),
    look: LOOKS_OF_CLAIMS[status],
    title: `${id}: ${status.replace('-', ' ')}`,
    published
  }]
})

/** @type {(value: unknown) => value is number} */
const isPositive = value => isNumber(value) && value > 0

/**
 * @param {Row[]} rows at least one
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
 * @param {(Row & { from: number, to: number, row: number })[]} placed
 */
function intervals (placed) {
  const line = { y: 'row', x1: 'from', x2: 'to', stroke: (/** @type {Row} */ row) => row.look.color }
  const closed = placed.filter(({ low, high }) => low !== null && high !== null)
  const open = placed.filter(({ low, high }) => (low === null) !== (high === null))
  return [Plot.ruleY(closed, { ...line, strokeWidth: 3 }),
    Plot.ruleY(open, { ...line, strokeWidth: 2, strokeDasharray: '5 4' })]
}

/** @param {Row} row */
const ratioDot = row => Plot.dot([row], {
  x: 'ratio',
  y: 'row',
  symbol: row.look.symbol,
  rotate: row.look.rotate,
  r: 6,
  fill: row.look.color,
  stroke: row.look.color,
  strokeWidth: row.look.symbol === 'times' ? 2.5 : 0,
  title: 'title'
})

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
 * @param {Row[]} rows
 * @param {{ low: number, high: number } | null} noise
 * @returns {[number, number]}
 */
function toDomain (rows, noise) {
  const values = [1, ...rows.flatMap(({ ratio, low, high, published }) => [ratio, low, high, published]), noise?.low,
    noise?.high].filter(isPositive)
  return [Math.max(1 / MOST, Math.min(...values) / MARGIN), Math.min(MOST, Math.max(...values) * MARGIN)]
}

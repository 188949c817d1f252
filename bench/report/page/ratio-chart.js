/** Ratios with their intervals on a scale where twice and half are equally far from 1.
 * @import { Contrast, RunRecord } from '../../types.js' @import { Chart } from './draw.js' */
import * as Plot from '@observablehq/plot'
import { estimateText, isNumber } from '../../shared/format.js'
import { heldBack } from '../sentences.js'
import { LETTER_WIDTH, rowsOf } from './rows.js'
import { ratioTicks } from './ticks.js'

/** @import { SymbolType } from '@observablehq/plot' */

const MOST = 100 // Beyond this a ratio is drawn at the edge: one of a thousand would leave no room for the rest.
const MARGIN = 1.04 // Around what is drawn, as a factor.

/** What a verdict looks like: never by colour alone.
 * @type {Record<Contrast['verdict'], { color: string, symbol: SymbolType, rotate: number }>} */
export const LOOKS = {
  faster: { color: 'var(--faster)', symbol: 'triangle', rotate: 90 },
  slower: { color: 'var(--slower)', symbol: 'triangle', rotate: -90 },
  'no-difference': { color: 'var(--same)', symbol: 'square', rotate: 0 },
  inconclusive: { color: 'var(--open)', symbol: 'circle', rotate: 0 },
  invalid: { color: 'var(--open)', symbol: 'times', rotate: 0 }
}

/** A row: `low` and `high` are null where the interval has no such end. */
/** @typedef {{ name: string, ratio: number, low: number | null, high: number | null, look: typeof
 * LOOKS[Contrast['verdict']], title: string, published?: number }} Row */

/** The one that every contrast has. @param {Pick<RunRecord, 'contrasts'>} record @returns {string | null} */
export function commonBaseline ({ contrasts }) {
  const [first, ...others] = new Set(contrasts.map(({ baseline }) => baseline))
  return first !== undefined && others.length === 0 ? first : null
}

/** Contrasts that have a ratio; those that the load generator held back on both sides have none.
 * @param {RunRecord} record @returns {Row[]} */
export function ratioRows ({ contrasts, arms }) {
  const one = commonBaseline({ contrasts }) !== null
  return contrasts.filter(contrast => isPositive(contrast.ratio) && !heldBack(contrast, arms)).map(contrast => ({
    name: one ? contrast.arm : `${contrast.arm} ÷ ${contrast.baseline}`,
    ratio: contrast.ratio,
    ...ends(contrast),
    look: LOOKS[contrast.verdict],
    title: `${contrast.arm} against ${contrast.baseline}: ${contrast.verdict.replace('-', ' ')}`
  }))
}

/** Claims about a ratio, that have been measured. @param {RunRecord} record @returns {Row[]} */
export const claimRows = ({ claims }) =>
  claims.flatMap(({ id, published, measured, low, high, status }) =>
    isPositive(measured) && isPositive(published)
      ? [{
          name: id,
          ratio: measured,
          ...ends({ low, high, oneSided: null }),
          look:
          {
            confirmed: LOOKS['no-difference'],
            refuted: LOOKS.invalid,
            inconclusive: LOOKS.inconclusive,
            'not-testable': LOOKS.inconclusive
          }[status],
          title: `${id}: ${status.replace('-', ' ')}`,
          published
        }]
      : []
  )

/** @param {{ low: number | null, high: number | null, oneSided: Contrast['oneSided'] }} interval */
const ends = ({ low, high, oneSided }) => ({
  low: isPositive(low) && oneSided !== 'at-most' ? low : null,
  high: isPositive(high) && oneSided !== 'at-least' ? high : null
})

/** @type {(value: unknown) => value is number} */
const isPositive = value => isNumber(value) && value > 0

/** @param {Row[]} rows at least one
 * @param {{ low: number, high: number } | null} noise the band in which differences may be noise
 * @param {string} [label] of the scale @returns {Chart} */
export const ratioChart = (rows, noise, label = 'relative throughput →') => width => {
  const layout = rowsOf(rows.map(({ name }) => name), width)
  const domain = domainOf(rows, noise)
  const figures = layout.beside ? rows.map(estimateText) : []
  const marginRight = Math.max(24, ...figures.map(text => text.length * LETTER_WIDTH + 24))
  const ticks = ratioTicks(domain, width - layout.marginLeft - marginRight)
  const clamped = (/** @type {number} */ value) => Math.min(domain[1], Math.max(domain[0], value))
  const placed = rows.map((row, i) => ({
    ...row,
    ratio: clamped(row.ratio),
    from: clamped(row.low ?? domain[0]),
    to: clamped(row.high ?? domain[1]),
    row: i + layout.drop
  })
  )
  return {
    height: layout.height,
    marginLeft: layout.marginLeft,
    marginRight,
    x: {
      type: 'log',
      domain,
      label,
      ticks,
      tickFormat: String
    },
    y: layout.y,
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

/** @typedef {Row & { from: number, to: number, row: number }} Placed */

/** An interval without an end is drawn up to the edge, and dashed. @param {Placed[]} placed */
const intervals = placed => {
  const line = { y: 'row', x1: 'from', x2: 'to', stroke: (/** @type {Placed} */ row) => row.look.color }
  const open = placed.filter(row => !whole(row) && (row.low !== null || row.high !== null))
  return [Plot.ruleY(placed.filter(whole), { ...line, strokeWidth: 3 }),
    Plot.ruleY(open, { ...line, strokeWidth: 2, strokeDasharray: '5 4' })]
}

/** @param {Placed} row */
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

/** @param {Row} row */
const whole = ({ low, high }) => low !== null && high !== null

/** @param {Row[]} rows @param {{ low: number, high: number } | null} noise @returns {[number, number]} */
function domainOf (rows, noise) {
  const values = [1, ...rows.flatMap(({ ratio, low, high, published }) => [ratio, low, high, published]), noise?.low,
    noise?.high].filter(isPositive)
  return [Math.max(1 / MOST, Math.min(...values) / MARGIN), Math.min(MOST, Math.max(...values) * MARGIN)]
}

/** Prints tables: for a terminal by cli-table3, and as headings and rows for the page and for Markdown.
 * @import { Cell, Column, Table, Verdict } from '../types.js' @import { Style } from './text.js' */
import CliTable from 'cli-table3'
import { breakWord, plain, wrap } from './wrap.js'

const GAP = 2
const BAR = { least: 6, most: 40 }
/** Of a terminal's width, what names take where a bar follows: long ones wrap, so that the bars keep their place. */
const NAMES_BESIDE_BARS = 0.4
const LEAST_NAME = 8
const BORDERS = ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right',
  'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle']
/** @type {Record<Verdict, 'green' | 'red' | 'cyan' | 'yellow'>} */
const VERDICT_COLORS =
  { faster: 'green', slower: 'red', 'no-difference': 'cyan', inconclusive: 'yellow', invalid: 'yellow' }

/** @template Row @param {Table<Row>} table @returns {{ head: { text: string, numeric: boolean }[], rows: string[][] }}
 */
export function pageTable ({ rows, columns }) {
  const shown = columns.filter(({ page }) => page !== undefined)
  return {
    head: shown.map(({ page = '', left = false }) => ({ text: page, numeric: !left })),
    rows: rows.map((row, at) => shown.map(({ cell }) => wordsOf(cell(row, at))))
  }
}

/** @template Row @param {Table<Row>} table @param {Style} style @returns {string[]} lines */
export function textTable ({ rows, columns, names = 1, instead = () => null, from = 1, bar }, style) {
  const shown = columns.filter(({ text }) => text !== undefined)
  const cells = rows.map((row, at) => shown.map(({ cell }) => cell(row, at)))
  const fixed = shown.map(({ width, text = '' }, i) => typeof width === 'function'
    ? width(style.columns)
    : width ?? (i < names ? null : widest([text, ...cells.map(row => wordsOf(row[i]))])))
  const taken = fixed.reduce((total, width) => Number(total) + Number(width), 0) ?? 0
  const room = bar
    ? Math.floor(style.columns * NAMES_BESIDE_BARS)
    : Math.floor((style.columns - taken - GAP * (shown.length - 1)) / names)
  const widths = fixed.map((width, i) =>
    width ?? Math.max(LEAST_NAME, Math.min(room, widest(cells.map(row => plain(wordsOf(row[i]))))))
  )
  const left = bar ? Math.min(BAR.most, style.columns - sum(widths) - GAP * shown.length) : 0
  return draw({
    head: [...shown.map(({ text = '' }) => text), ...left >= BAR.least ? [''] : []],
    rows: rows.map((row, at) => {
      const words = instead(row)
      if (words !== null) return [...cells[at].slice(0, from), { spans: words }]
      return [...cells[at], ...bar && left >= BAR.least ? ['█'.repeat(Math.max(1, Math.round(bar(row) * left)))] : []]
    }),
    widths: left >= BAR.least ? [...widths, left] : widths,
    aligns: [...shown.map(column => column.left ? 'left' : 'right'), 'left']
  }, style)
}

/** @param {{ head: string[], rows: (Cell | { spans: string })[][], widths: number[], aligns: ('left' | 'right')[] }}
 * drawn widths: of the columns, without the gap between them @param {Style} style @returns {string[]} lines */
function draw ({ head, rows, widths, aligns }, { colors }) {
  const table = new CliTable({
    chars: Object.fromEntries(BORDERS.map(name => [name, ''])),
    style: { 'padding-left': 0, 'padding-right': GAP, head: [], border: [], compact: true },
    colWidths: widths.map(width => width + GAP),
    colAligns: widths.map((_, index) => aligns[index])
  })
  table.push(head.map(text => text && colors.dim(text)))
  for (const row of rows) {
    table.push(row.map((cell, index) => {
      if (typeof cell === 'string') return breakWord(plain(cell), widths[index]).join('\n')
      if ('verdict' in cell) return colors[VERDICT_COLORS[cell.as]](cell.verdict)
      const rest = widths.slice(index)
      return {
        content: wrap(cell.spans, sum(rest) + GAP * (rest.length - 1)).join('\n'),
        colSpan: rest.length,
        hAlign: /** @type {const} */ ('left')
      }
    }))
  }
  return table.toString().split('\n').map(line => line.trimEnd())
}

/** A column of the terminal and of the page alike. @template Row
 * @param {string | { text?: string, page?: string }} heading @param {Column<Row>['cell']} cell
 * @param {Pick<Column<Row>, 'width' | 'left'>} [more] @returns {Column<Row>} */
export const column = (heading, cell, more = {}) =>
  ({ ...typeof heading === 'string' ? { text: heading, page: heading } : heading, cell, ...more })

/** @param {Cell} cell */
const wordsOf = cell => typeof cell === 'string' ? cell : cell.verdict

/** @type {(texts: string[]) => number} */
const widest = texts => Math.max(0, ...texts.map(text => text.length))

const sum = (/** @type {number[]} */ values) => values.reduce((a, b) => a + b, 0)

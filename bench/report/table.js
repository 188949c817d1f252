/** Tables: for a terminal by cli-table3, and as headings and rows for the page and for Markdown. */
import CliTable from 'cli-table3'
import { sum } from '../shared/group-by.js'
import { breakWord, toPlainLine, wrap } from './wrap.js'

/** @import { Cell, Column, Table, Verdict } from '../types.js' */
/** @import { Style } from './wrap.js' */

const GAP = 2 // Columns between two columns of a table.
const BAR = { least: 6, most: 40 }
const NAMES_BESIDE_BARS = 0.4 // Share of a terminal for names that are followed by bars; longer names wrap.
const MIN_NAME = 8
/** Letters of a cell, because cli-table3 takes seconds for a forged name of 500 letters. No topology has as many. */
const MAX_LETTERS_OF_CELL = 250
const BORDERS = ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right',
  'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle']
/** @type {Record<Verdict, 'green' | 'red' | 'cyan' | 'yellow'>} */
const VERDICT_COLORS =
  { faster: 'green', slower: 'red', 'no-difference': 'cyan', inconclusive: 'yellow', invalid: 'yellow' }

/**
 * Prints a table for the page and for Markdown.
 * @template Row
 * @param {Table<Row>} table
 * @returns {{ head: { text: string, numeric: boolean }[], rows: string[][] }}
 */
export function pageTable ({ rows, columns }) {
  const shown = columns.filter(({ page }) => page !== undefined)
  return {
    head: shown.map(({ page = '', left = false }) => ({ text: page, numeric: !left })),
    rows: rows.map(row => shown.map(({ cell }) => toWords(cell(row))))
  }
}

/**
 * Prints a table for a terminal.
 * @template Row
 * @param {Table<Row>} table
 * @param {Style} style
 * @returns {string[]} lines
 */
export function textTable ({ rows: all, shown: rows = all, columns, ...layout }, style) {
  const { names = 1, instead = () => null, from = 1, bar } = layout
  const shown = columns.filter(({ text }) => text !== undefined)
  const cells = rows.map(row => shown.map(({ cell }) => cell(row)))
  const fixedWidths = shown.map(({ width, text = '' }, i) => {
    if (typeof width === 'function') return width(style.columns)
    if (width !== undefined || i < names) return width ?? null
    return Math.min(style.columns, widest([text, ...cells.map(row => toWords(row[i]))].map(toPlainLine)))
  })
  const gaps = GAP * (shown.length - 1)
  const nameRoom = bar
    ? Math.floor(style.columns * NAMES_BESIDE_BARS)
    : Math.floor((style.columns - sum(fixedWidths.map(Number)) - gaps) / names)
  const widths = fixedWidths.map((width, i) =>
    width ?? Math.max(MIN_NAME, Math.min(nameRoom, widest(cells.map(row => toPlainLine(toWords(row[i]))))))
  )
  const barRoom = bar ? Math.min(BAR.most, style.columns - sum(widths) - GAP * shown.length) : 0
  const hasBars = barRoom >= BAR.least
  return draw({
    head: [...shown.map(({ text = '' }) => text), ...hasBars ? [''] : []],
    rows: rows.map((row, i) => {
      const words = instead(row)
      if (words !== null) return [...cells[i].slice(0, from), { spans: words }]
      return [...cells[i], ...bar && hasBars ? ['█'.repeat(Math.max(1, Math.round(bar(row) * barRoom)))] : []]
    }),
    widths: hasBars ? [...widths, barRoom] : widths,
    aligns: [...shown.map(column => column.left ? 'left' : 'right'), 'left']
  }, style)
}

/**
 * @param {object} table
 * @param {string[]} table.head
 * @param {(Cell | { spans: string })[][]} table.rows spans: text across all further columns
 * @param {number[]} table.widths without gaps
 * @param {('left' | 'right')[]} table.aligns
 * @param {Style} style
 * @returns {string[]} lines
 */
function draw ({ head, rows, widths, aligns }, { colors }) {
  const table = new CliTable({
    chars: Object.fromEntries(BORDERS.map(name => [name, ''])),
    style: { 'padding-left': 0, 'padding-right': GAP, head: [], border: [], compact: true },
    colWidths: widths.map(width => width + GAP),
    colAligns: widths.map((_, i) => aligns[i])
  })
  // A heading can be the name of an arm.
  table.push(head.map((text, i) => text && colors.dim(breakWord(toPlainLine(text), widths[i]).join('\n'))))
  for (const row of rows) {
    table.push(row.map((cell, i) => {
      if (typeof cell === 'string') return wrapCell(toPlainLine(cell), widths[i])
      if ('as' in cell) return colors[VERDICT_COLORS[cell.as]](cell.text)
      const rest = widths.slice(i)
      return {
        content: wrap(cell.spans, sum(rest) + GAP * (rest.length - 1)).join('\n'),
        colSpan: rest.length,
        hAlign: /** @type {const} */ ('left')
      }
    }))
  }
  return table.toString().split('\n').map(line => line.trimEnd())
}

/**
 * Breaks the text of a cell at spaces, and a longer spec between its parts.
 * @param {string} text
 * @param {number} width
 */
function wrapCell (text, width) {
  const letters = text.length > MAX_LETTERS_OF_CELL ? `${text.slice(0, MAX_LETTERS_OF_CELL)}…` : text
  const isWrapped = letters.length > width && width >= MIN_NAME
  return (isWrapped ? wrap(letters, width) : breakWord(letters, width)).join('\n')
}

/**
 * Returns a column. A heading that is a string is used in a terminal and on the page.
 * @template Row
 * @param {string | { text?: string, page?: string }} heading
 * @param {Column<Row>['cell']} cell
 * @param {Pick<Column<Row>, 'width' | 'left'>} [layout]
 * @returns {Column<Row>}
 */
export const column = (heading, cell, layout = {}) =>
  ({ ...typeof heading === 'string' ? { text: heading, page: heading } : heading, cell, ...layout })

/** @param {Cell} cell */
const toWords = cell => typeof cell === 'string' ? cell : cell.text

/** @type {(texts: string[]) => number} */
const widest = texts => Math.max(0, ...texts.map(text => text.length))

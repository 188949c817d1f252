/**
 * A comment of a pull request (pure). Every text in it can come from a stranger's record, so that it is escaped as
 * Markdown, and neither mentions an account nor links to a page.
 */
import stringWidth from 'string-width'
import { withoutControls } from '../../errors.js'
import { cell, markdownTable } from '../../report/markdown.js'
import { estimateText, isNumber } from '../../shared/format.js'
import { breakWord } from '../../report/wrap.js'

/** @import { Finding } from '../../types.js' */

const WIDTH = 37 // Columns of the scale. With its names a chart fits into 80 columns.
const MAX_NAME = 40 // Columns of a name, the rest of which is cut off.
/** Smallest and largest end of a scale: a ratio beyond is drawn at the edge. */
const OUTERMOST = { low: 0.1, high: 10 }
const MIN_SPAN = 0.05 // Share by which the scale extends to each side of 1, so that noise does not look large.

/** First line of the comment, by which it is found and rewritten. Markdown does not show it. */
export const MARKER = '<!-- hopbench comment -->'
/** Placeholder for the address of the results until they have one. */
export const ARTIFACT_URL = 'HOPBENCH_ARTIFACT_URL'

const MAX_ROWS = 30 // Verdicts of a comment. GitHub accepts 65,536 characters.
const MAX_TEXT = 500 // Characters of a sentence or a name.
const JOINER = '\u2060' // Invisible, and ends a mention, a reference or an address.
/** Longest spec of hexadecimal digits that GitHub does not link as a commit. */
const MAX_HEX = 6
const HASHES = new RegExp(`[0-9a-f]{${MAX_HEX}}(?=[0-9a-f])`, 'gi')

/** Escapes a text as Markdown, and limits its length. @param {string} text */
const escape = text => cell(shorten(text))

const shorten = (/** @type {string} */ text) => withoutControls(text).slice(0, MAX_TEXT)

/** Changes Markdown so that GitHub finds no mention, reference or address in it. @param {string} text */
const toInert = text => text
  .replace(/[@#]/g, `$&${JOINER}`)
  .replace(/:\/\//g, `:${JOINER}//`)
  .replace(/gh(?=-\d)/gi, `$&${JOINER}`)
  .replace(HASHES, `$&${JOINER}`)
  .replace(/www\./gi, match => `${match.slice(0, -1)}${JOINER}.`)

/**
 * Prints the comment.
 *
 * @param {object} result
 * @param {string} result.title
 * @param {string} result.answer
 * @param {Finding[]} result.verdicts
 * @param {string} result.source run, or the two compared runs
 * @returns {string} Markdown, ends with a line break
 */
export function commentMarkdown ({ title, answer, verdicts, source }) {
  const shown = verdicts.slice(0, MAX_ROWS)
  const chart = textChart(shown)
  const table = markdownTable({
    head: [{ text: 'figure' }, { text: 'ratio', numeric: true }, { text: 'verdict' }],
    rows: shown.map(({ name, words, ...estimate }) => [shorten(name), estimateText(estimate), shorten(words)])
  })
  const left = verdicts.length - shown.length
  return [
    MARKER,
    `### ${toInert(escape(title))}`,
    `**${toInert(escape(answer))}**`,
    ...shown.length > 0 ? [toInert(table.join('\n'))] : [],
    ...chart.length > 0 ? [['```text', ...chart, '```'].join('\n')] : [],
    ...left > 0 ? [`${left} more verdicts are in the results.`] : [],
    `<sub>${toInert(escape(source))} · [all results](${ARTIFACT_URL})</sub>`
  ].join('\n\n') + '\n'
}

/** @typedef {{ name: string, ratio: number | null, low: number | null, high: number | null }} Row */

/**
 * Draws a line for each row with a ratio: its interval, and a mark at 1.
 *
 * @param {Row[]} rows
 * @returns {string[]} lines, without control characters and backticks; empty: no row has a ratio
 */
export function textChart (rows) {
  const drawn = rows.flatMap(({ ratio, ...row }) => isNumber(ratio) && ratio > 0 ? [{ ...row, ratio }] : [])
  if (drawn.length === 0) return []
  const span = computeSpan(drawn)
  const toColumn = (/** @type {number} */ value) =>
    Math.round((Math.log(clamp(value, 1 / span, span)) / Math.log(span) + 1) / 2 * (WIDTH - 1))
  const names = drawn.map(({ name }) => withoutControls(name).replace(/[`\n]/g, ' '))
    .map(name => stringWidth(name) > MAX_NAME ? `${breakWord(name, MAX_NAME - 1)[0]}…` : name)
  const column = Math.max(...names.map(name => stringWidth(name)))
  const digits = span < 1.1 ? 3 : 2
  const [left, right] = [(1 / span).toFixed(digits), span.toFixed(digits)]
  const middle = (WIDTH - 1) / 2
  const scale = `${left.padEnd(middle)}1${right.padStart(WIDTH - middle - 1)}`
  return [
    `${' '.repeat(column)}  ${scale}`,
    ...drawn.map((row, i) => `${names[i]}${' '.repeat(column - stringWidth(names[i]))}  ${drawRow(row, toColumn)}`)
  ]
}

/**
 * Returns the upper end of the scale, whose lower end is its reciprocal.
 *
 * @param {{ ratio: number, low: number | null, high: number | null }[]} rows
 */
function computeSpan (rows) {
  const values = rows.flatMap(({ ratio, low, high }) => [ratio, low, high]).filter(isNumber).filter(value => value > 0)
  const distances = values.map(value => Math.exp(Math.abs(Math.log(value))))
  return clamp(Math.max(...distances), 1 + MIN_SPAN, OUTERMOST.high)
}

/**
 * @param {{ ratio: number, low: number | null, high: number | null }} row
 * @param {(value: number) => number} toColumn
 */
function drawRow ({ ratio, low, high }, toColumn) {
  const cells = Array(WIDTH).fill(' ')
  // An end that is missing is open, so the line extends to the edge.
  const [from, to] = [low || OUTERMOST.low, high ?? OUTERMOST.high].map(toColumn)
  cells.fill('─', from, to + 1)
  cells[from] = low ? '├' : '─'
  cells[to] = high === null ? '─' : '┤'
  cells[toColumn(1)] = '│'
  cells[toColumn(ratio)] = '●'
  return cells.join('').trimEnd()
}

/** @type {(value: number, low: number, high: number) => number} */
const clamp = (value, low, high) => Math.min(Math.max(value, low), high)

/** A section of the page, for its template: charts, tables, lists of sentences, and commands in their order. */
import { withOwnCommand } from '../../shared/commands.js'
import { pageTable } from '../table.js'
import { toChart } from '../charts/charts.js'
import { draw } from '../charts/draw.js'

/** @import { Block, ChartBlock, Section } from '../../types.js' */

const LONG_NUMBER = 30 // Letters that a number has at most, its interval included.
const LONG_TEXT = 60 // Letters from which on a cell is wide, so that its row is not tall.

/** @typedef {{ words: string[] }} Words */

/** @param {Section} section */
export const toPageSection = ({ id, title, blocks }) => {
  const hasChart = blocks.some(block => typeof block === 'object' && 'chart' in block)
  /** @type {(Words | Exclude<ReturnType<typeof toPart>, null>)[]} */
  const parts = []
  for (const block of blocks) {
    const last = parts.at(-1)
    if (typeof block !== 'string') parts.push(...[toPart(block, title, hasChart)].filter(part => part !== null))
    else if (last && 'words' in last) last.words.push(withOwnCommand(block))
    else parts.push({ words: [withOwnCommand(block)] })
  }
  return { id, title, parts }
}

/**
 * Returns what the template prints for a block.
 * @param {Exclude<Block, string>} block
 * @param {string} title of the section
 * @param {boolean} hasChart whether tables repeat the numbers of a chart
 */
function toPart (block, title, hasChart) {
  if ('chart' in block) return { figure: drawBlock(block, title) }
  if ('command' in block) return { sentence: block.sentence, command: withOwnCommand(block.command.join(' ')) }
  return block.rows.length === 0 ? null : { table: withCells(pageTable(block)), isOpen: !hasChart }
}

/**
 * Draws a chart for the page.
 * @param {ChartBlock} block
 * @param {string} title alternative text of a chart without a label
 */
export function drawBlock (block, title) {
  const { chart, legend } = toChart(block)
  return { ...draw(chart, block.label ?? title), legend, note: block.note }
}

/**
 * Adds the alignment of its column to each cell, for the template, and whether its text is long.
 * @param {ReturnType<typeof pageTable>} table
 */
export const withCells = ({ head, rows }) => ({
  head,
  cells: rows.map(row => row.map((text, i) => {
    // In place of a number there may be the reason why there is none.
    const reason = head[i].numeric && text.length > LONG_NUMBER
    return { text, numeric: head[i].numeric && !reason, reason, long: text.length > LONG_TEXT }
  }))
})

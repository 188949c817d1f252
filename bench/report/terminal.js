/** Sections of a report in a terminal. */
import { textTable } from './table.js'
import { titled, wrap, wrapItems } from './wrap.js'

/** @import { Block, CommandBlock, Section, Table } from '../types.js' */
/** @import { Style } from './wrap.js' */

/**
 * Prints sections with all of their blocks.
 * @param {Section[]} sections
 * @param {Style} style
 * @returns {string[][]} lines of each section; empty: it has no content for a terminal
 */
export const printSections = (sections, style) =>
  sections.map(({ title, blocks }) => titled(title, printBlocks(blocks, style), style))

/**
 * Prints the sections and blocks of the short report.
 * @param {Section[]} sections
 * @param {Style} style
 * @returns {string[][]} lines of each section
 */
export const printBriefSections = (sections, style) =>
  printSections(sections.filter(({ brief }) => brief).map(toBrief), style)

/**
 * Returns a section with the blocks of the short report.
 * @param {Section} section
 * @returns {Section}
 */
const toBrief = ({ brief, ...section }) => ({ ...section, blocks: Array.isArray(brief) ? brief : section.blocks })

/**
 * @param {Block[]} blocks
 * @param {Style} style
 * @returns {string[]} lines
 */
function printBlocks (blocks, style) {
  const isList = blocks.filter(block => typeof block === 'string').length > 1
  return blocks.flatMap((block, i) => {
    if (typeof block === 'string') return isList ? wrapItems([block], style) : wrap(block, style.columns)
    if ('command' in block) return printCommand(block, style)
    if (!('columns' in block) || block.rows.length === 0 || isOnlyForPages(block)) return []
    const isBehindTable = blocks.slice(0, i).some(before => typeof before === 'object' && 'columns' in before)
    return [...isBehindTable ? [''] : [], ...textTable(block, style)]
  })
}

/** @param {Table<any>} table */
const isOnlyForPages = ({ columns }) => columns.every(({ text }) => text === undefined)

/**
 * Prints a sentence and its command, which begins a line so that it can be copied.
 * @param {CommandBlock} block
 * @param {Style} style
 */
export const printCommand = ({ sentence, command }, style) =>
  [...wrap(sentence, style.columns), ...command.length > 0 ? commandLines(command, style) : []]

/**
 * Prints a command behind its label, or in lines of its own if it does not fit.
 * @param {Pick<CommandBlock, 'label' | 'command'>} block
 * @param {Style} style
 */
export function printBriefCommand ({ label, command }, style) {
  const line = `${label}: ${command.join(' ')}`
  return line.length <= style.columns ? [line] : [`${label}:`, ...commandLines(command, style)]
}

/**
 * Prints a command in one line, or in lines that a shell joins.
 * @param {string[]} parts
 * @param {Style} style
 */
export function commandLines (parts, { columns }) {
  const line = `    ${parts.join(' ')}`
  return line.length <= columns ? [line] : `    ${parts.join(' \\\n    ')}`.split('\n')
}

/** Sections of a report in a terminal. */
import { textTable } from './table.js'
import { heading, joinSections, titled, toStyle, wrap, wrapItems } from './wrap.js'

/** @import { Block, CommandBlock, Report, Section, Table } from '../types.js' */
/** @import { Style } from './wrap.js' */

/**
 * Prints the answer of a record and all of its sections.
 * @template Subject
 * @param {Subject} record
 * @param {Report<Subject>} kind
 * @param {{ columns?: number, color?: boolean }} [terminal]
 * @returns {string} ends with a line break
 */
export function printReport (record, kind, { columns, color } = {}) {
  const style = toStyle(columns, color)
  return joinSections([heading(kind.answer(record).text, style), ...printSections(kind.sections(record), style)])
}

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
const toBrief = ({ brief, isUntitled, ...section }) => ({
  ...section,
  title: isUntitled ? '' : section.title,
  blocks: Array.isArray(brief) ? brief : section.blocks
})

/** Whether a table has a column for a terminal. @param {Table<any>} table */
const isForTerminal = ({ columns }) => columns.some(({ text }) => text !== undefined)

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
    if (!('columns' in block) || block.rows.length === 0 || !isForTerminal(block)) return []
    const isBehindTable = blocks.slice(0, i).some(before => typeof before === 'object' && 'columns' in before)
    return [...isBehindTable ? [''] : [], ...textTable(block, style)]
  })
}

/**
 * Prints a sentence and its command, which begins a line so that it can be copied.
 * @param {CommandBlock} block
 * @param {Style} style
 */
export const printCommand = ({ sentence, command }, style) =>
  [...sentence ? wrap(sentence, style.columns) : [], ...command.length > 0 ? commandLines(command, style) : []]

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

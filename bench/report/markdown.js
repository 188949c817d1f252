/** Markdown (pure): sections and records for a pull request, tables, and escaped text. */
import { withoutControls } from '../errors.js'
import { machineSentence, resolvesSentence } from './sentences/run-sentences.js'
import { pageTable } from './table.js'
import { compact } from './wrap.js'

/** @import { Block, Kind, Report, RunRecord, Section } from '../types.js' */

/**
 * Prints the answer of a record, and the sections of its short report with all of their blocks.
 * @param {RunRecord} record
 * @param {Kind} kind
 * @returns {string} ends with a line break
 */
export const markdown = (record, kind) => withoutControls([
  `**${cell(kind.answer(record).text)}**`,
  cell(record.question),
  ...markdownSections(kind.sections(record).filter(({ brief }) => brief)),
  cell(`${record.experiment}: ${kind.end(record)}`),
  `<sub>${cell(compact([machineSentence(record), resolvesSentence(record)]).join(' '))}</sub>`
].join('\n\n') + '\n')

/**
 * Prints the answer of a record and all of its sections.
 * @template Subject
 * @param {Subject} record
 * @param {Report<Subject>} kind
 * @returns {string} ends with a line break
 */
export const reportMarkdown = (record, kind) =>
  withoutControls([`**${cell(kind.answer(record).text)}**`, ...markdownSections(kind.sections(record))].join('\n\n') +
    '\n')

/**
 * Prints sections. Leaves out those without content for Markdown, which has no charts.
 * @param {Section[]} sections
 * @returns {string[]} paragraphs
 */
const markdownSections = sections => sections.flatMap(({ title, blocks }) => {
  const paragraphs = blocks.flatMap(printBlock)
  // Sentences are items of one list.
  const text = paragraphs.join('\n\n').replace(/^(- .*)\n(?=\n- )/gm, '$1')
  return paragraphs.length === 0 ? [] : [`### ${cell(title)}`, text]
})

/**
 * @param {Block} block
 * @returns {string[]} paragraphs
 */
function printBlock (block) {
  if (typeof block === 'string') return [`- ${cell(block)}`]
  if ('command' in block) return [`${cell(block.sentence)} ${printCommand(block.command.join(' '))}`.trim()]
  if (!('columns' in block) || block.rows.length === 0) return []
  return [markdownTable(pageTable({ ...block, rows: block.shown ?? block.rows })).join('\n')]
}

/** Prints a command as code, unless it could end the code. @param {string} command */
const printCommand = command => /[`\n]/.test(command) || command === '' ? cell(command) : `\`${command}\``

/**
 * @param {{ head: { text: string, numeric?: boolean }[], rows: string[][] }} table
 * @returns {string[]} lines
 */
export const markdownTable = ({ head, rows }) => [
  row(head.map(({ text }) => text)),
  row(head.map(({ numeric }) => numeric ? '---:' : '---')),
  ...rows.map(row)
]

const row = (/** @type {string[]} */ cells) => `| ${cells.map(cell).join(' | ')} |`

/** Characters of HTML, which Markdown reads as markup and entities. @type {Record<string, string>} */
const ENTITIES = { '<': '&lt;', '&': '&amp;' }

/** Escapes text from other programs, so that it is not markup. */
export const cell = (/** @type {string} */ text) =>
  text.replace(/[\\`*_[\]<>|~&]/g, letter => ENTITIES[letter] ?? `\\${letter}`).replace(/\s+/g, ' ')

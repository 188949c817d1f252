/** Runs and tables as Markdown, for pull requests (pure). */
import { toAnswer } from './answer.js'
import { endSentence, machineSentence, noiseSentences, resolvesSentence, saturationSentence } from './sentences.js'
import { pageTable } from './table.js'
import { contrastTable, rateTable } from './tables/arms.js'

/** @import { RunRecord } from '../types.js' */

/**
 * Prints answer and tables of a run.
 * @param {RunRecord} record
 */
export const markdown = record => [
  `**${cell(record.question)}**`,
  '',
  cell(toAnswer(record)),
  '',
  ...markdownTable(pageTable(rateTable(record))),
  '',
  ...record.contrasts.length > 0 ? [...markdownTable(pageTable(contrastTable(record))), ''] : [],
  ...saturationSentence(record).flatMap(sentence => [cell(sentence), '']),
  cell(`${record.experiment}: ${endSentence(record)} ${noiseSentences(record).join(' ')}`),
  '',
  `<sub>${cell([machineSentence(record), resolvesSentence(record)].filter(Boolean).join(' '))}</sub>`,
  ''
].join('\n')

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

/** Escapes text from other programs, so that it is not markup. */
export const cell = (/** @type {string} */ text) =>
  text.replace(/[\\`*_[\]<>|~]/g, letter => letter === '<' ? '&lt;' : `\\${letter}`).replace(/\s+/g, ' ')

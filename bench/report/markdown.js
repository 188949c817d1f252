/** A run as Markdown, for a pull request (pure). */
import { toAnswer } from './answer.js'
import { saturationSentence } from './contrast-sentences.js'
import { noiseSentences } from './noise-sentences.js'
import { endSentence, machineSentence, resolvesSentence } from './run-sentences.js'
import { pageTable } from './table.js'
import { contrastTable, rateTable } from './tables/arms.js'
import { openLoopTable, openLoopTitle } from './tables/open-loop.js'
import { markdownTemplate } from './templates.js'

/** @import { RunRecord } from '../types.js' */

const template = markdownTemplate('markdown.hbs')

/**
 * Prints answer and tables of a run.
 * @param {RunRecord} record
 * @returns {string} ends with a line break
 */
export const markdown = record => template({
  question: record.question,
  answer: toAnswer(record),
  rates: pageTable(rateTable(record)),
  contrasts: record.contrasts.length > 0 && pageTable(contrastTable(record)),
  openLoop: record.openLoop && {
    title: openLoopTitle(record.openLoop),
    table: pageTable(openLoopTable(record, record.openLoop))
  },
  saturation: saturationSentence(record),
  end: `${record.experiment}: ${endSentence(record)} ${noiseSentences(record).join(' ')}`,
  machine: [machineSentence(record), resolvesSentence(record)].filter(Boolean).join(' ')
})

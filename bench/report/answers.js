/** docs/answers.md, and the answers for a terminal: the answers that stored runs print, by question (pure). */
import { IN_CLONE, withOwnCommand } from '../shared/commands.js'
import { ended } from '../shared/format.js'
import { beforeWarmUpSentence } from './before-warm-up.js'
import { inOneLine, printAdvice } from './facts/facts.js'
import { machinesSentence } from './machines.js'
import { pageTable, textTable } from './table.js'
import { contrastTable } from './tables/arms.js'
import { markdownTemplate } from './templates.js'
import { compact, wrap, wrapItems } from './wrap.js'

/** @import { Kind, RunRecord, Section } from '../types.js' */
/** @import { Question } from './questions.js' */
/** @import { Style } from './wrap.js' */

/**
 * @typedef {object} Answer
 * @property {Question} question
 * @property {RunRecord[]} records runs that the answer is based on; empty: not measured
 * @property {string[]} sentences the answer of the only run, or the first sentence of each run with its name; then
 * recommendations and bills
 */

const template = markdownTemplate('answers.hbs')

/**
 * Answers a question from runs.
 * @param {Question} question
 * @param {RunRecord[]} records in the order of the experiments
 * @param {(record: RunRecord) => Kind} kindOf
 * @returns {Answer}
 */
export function answerTo (question, records, kindOf) {
  const [first] = records
  const texts = records.map(record => kindOf(record).answer(record).text)
  const answers = records.length === 1 ? texts : records.map(({ run }, i) => `${toFirstSentence(texts[i])} (${run})`)
  return {
    question,
    records,
    sentences: records.length === 0
      ? ['Not measured yet.']
      : [
          ...answers,
          ...question.advice ? first.recommendation.map(advice => ended(inOneLine(printAdvice(advice)))) : [],
          ...records.flatMap(record => listBills(kindOf(record).sections(record)))
        ]
  }
}

/** Returns the sentences about the offering of each class. @param {Section[]} sections */
const listBills = sections => sections.filter(({ id }) => id === 'classes')
  .flatMap(({ blocks }) => blocks.filter(block => typeof block === 'string'))

/** Returns the first sentence of an answer without its full stop. @param {string} text */
const toFirstSentence = text => text.replace(/\.(?: \p{Lu}.*)?$/su, '')

/**
 * Returns the runs whose ratios are printed below an answer: the first run of each experiment, once on a page.
 * @param {Answer[]} answers
 * @returns {RunRecord[][]} by answer
 */
function listTables (answers) {
  /** @type {Set<string>} */
  const printed = new Set()
  return answers.map(({ records }) => records.filter(({ run, experiment, contrasts }, i) => {
    const isFirst = records.findIndex(other => other.experiment === experiment) === i
    if (contrasts.length === 0 || !isFirst || printed.has(run)) return false
    printed.add(run)
    return true
  }))
}

/**
 * Returns the page.
 * @param {Answer[]} answers
 * @returns {string} Markdown
 */
export function answersPage (answers) {
  const records = answers.flatMap(({ records }) => records)
  const tables = listTables(answers)
  return withOwnCommand(template({
    beforeWarmUp: beforeWarmUpSentence(records, { method: 'method.md' }),
    machines: machinesSentence(records),
    answers: answers.map(({ question, records, sentences: [first, ...others] }, i) => ({
      ...question,
      first,
      others,
      check: question.check.map(words => `${IN_CLONE} ${words}`),
      hasChart: question.chart && records.length > 0,
      runs: records.map(({ run }) => run),
      tables: tables[i].map(record => ({ run: record.run, table: pageTable(toBriefTable(record)) }))
    }))
  }))
}

/**
 * Returns the table of ratios with the columns of a terminal as those of a page.
 * @param {RunRecord} record
 */
function toBriefTable (record) {
  const { columns, ...table } = contrastTable(record)
  return { ...table, columns: columns.map(({ text, ...column }) => ({ ...column, page: text })) }
}

/**
 * Prints answers for a terminal.
 * @param {Answer[]} answers
 * @param {Style} style
 */
export function answersText (answers, style) {
  const { columns, colors } = style
  const records = answers.flatMap(({ records }) => records)
  const tables = listTables(answers)
  return [
    ...answers.map(({ question, records, sentences: [first, ...others] }, i) => [
      colors.bold(question.question),
      ...wrap(first, columns),
      ...wrapItems(others, style),
      ...tables[i].flatMap(record => textTable(contrastTable(record), style)),
      ...wrap(`It depends on ${question.dependsOn}.`, columns),
      ...records.map(({ run }) => colors.dim(run)),
      ...question.check.map(words => `    ${IN_CLONE} ${words}`)
    ].join('\n')),
    ...compact([machinesSentence(records), beforeWarmUpSentence(records)]).map(note => wrap(note, columns).join('\n'))
  ].join('\n\n') + '\n'
}

/** docs/answers.md, and the answers for a terminal: the answers that stored runs print, by question (pure). */
import { isFirm, listHeadlines } from '../size/index.js'
import { getServedNode } from '../../plan/runtimes.js'
import { IN_CLONE, withOwnCommand } from '../../shared/commands.js'
import { ended, isNumber } from '../../shared/format.js'
import { beforeWarmUpSentence } from './before-warm-up-text.js'
import { choiceSentence } from './choice.js'
import { inOneLine, printAdvice } from '../../report/facts/facts.js'
import { getEffect } from '../../report/phrases.js'
import { machinesSentence } from './machines.js'
import { pageTable, textTable } from '../../report/table.js'
import { markdownTemplate } from '../../report/templates.js'
import { compact, wrap, wrapItems } from '../../report/wrap.js'

/** @import { Block, Kind, RunRecord, Table } from '../../types.js' */
/** @import { Question } from './questions.js' */
/** @import { Style } from '../../report/wrap.js' */

/**
 * @typedef {object} Answer
 * @property {Question} question
 * @property {RunRecord[]} records runs that the answer is based on; empty: not measured
 * @property {string[]} runs names of all runs that the records combine
 * @property {string | null} set kind of machine of the runs, under which they are filed; null: filed under none
 * @property {string[]} sentences recommendations; then the answer of the only run, or the first sentence of each run
 * @property {{ run: string, table: Table<any> }[]} tables ratios or losses of the first run, or offerings that sizings
 * name
 */

/** Mark in a page, and the lines of the table below it. */
const TABLE = /^(<!-- hopbench answers --write -->\n\n)(?:\|.*\n)*/m

/** Codes of advice that a table of servers states, too. */
const UNSAFE = ['unsafe', 'unsafe-as-shipped']

const template = markdownTemplate(new URL('answers.hbs', import.meta.url))
/**
 * Answers a question from runs.
 * @param {Question} question
 * @param {RunRecord[]} records in the order of the experiments
 * @param {(record: RunRecord) => Kind} kindOf
 * @param {Partial<Pick<Answer, 'set' | 'runs'>>} [filed] runs: those that the records combine (default: of the records)
 * @returns {Answer}
 */
export function answerTo (question, records, kindOf, { set = null, runs = records.map(({ run }) => run) } = {}) {
  const advice = question.advice ? records.slice(0, 1).flatMap(({ recommendation }) => recommendation) : []
  // Another page has the failures of each server.
  const printed = advice.filter(({ code }) => !(question.page && UNSAFE.includes(code)))
  const answers = records.map(record => kindOf(record).answer(selectPairs(record, question), { ranges: true }).text)
  return {
    question: { ...question, dependsOn: toConditions(question, records) },
    records,
    runs,
    set,
    sentences: [
      ...choiceSentence(advice),
      ...printed.map(item => ended(inOneLine(printAdvice(item)))),
      ...answers.length === 1
        ? answers
        : answers.map((text, i) => `${toFirstSentence(text)}${toLine(records[i], records)}.`),
      ...answers.length === 0 ? ['Not measured yet.'] : []
    ],
    // The sentence has the ratio of a single pair.
    tables: question.pairs?.length === 1
      ? []
      : records.flatMap((record, i) => findTables(record, kindOf(record), i === 0))
  }
}

/**
 * Returns the conditions that would change an answer, with the CPU time of an arm in its runs.
 * @param {Question} question
 * @param {RunRecord[]} records
 */
function toConditions ({ dependsOn, costOf }, records) {
  const costs = records.flatMap(({ arms }) => arms).filter(({ name }) => name === costOf)
    .map(({ cpuMicrosPerRequest }) => cpuMicrosPerRequest?.server).filter(isNumber)
  const ends = [...new Set([Math.min(...costs), Math.max(...costs)].map(cost => cost.toFixed(0)))]
  return dependsOn.replace('#', costs.length > 0 ? `${ends.join(' to ')} µs` : 'not measured')
}

/**
 * Returns the release line of Node if a question has several runs of one experiment.
 * @param {RunRecord} record
 * @param {RunRecord[]} records of the question
 */
function toLine (record, records) {
  const isOnly = records.filter(({ experiment }) => experiment === record.experiment).length === 1
  return isOnly ? '' : ` (Node ${getServedNode(record).split('.')[0]})`
}

/**
 * Returns the ratios or the losses of the first run, or the offerings that a sizing names.
 * @param {RunRecord} record
 * @param {Kind} kind
 * @param {boolean} isFirst
 * @returns {{ run: string, table: Table<any> }[]} one at most
 */
function findTables (record, kind, isFirst) {
  const tables = kind.sections(record).flatMap(({ id, blocks }) => {
    if (['ratios', 'rollout'].includes(id) && isFirst) return blocks.filter(isTable).map(withoutUnknown)
    return id === 'plans'
      ? blocks.filter(isTable).map(({ columns, rows }) =>
        ({ columns, rows: listHeadlines(rows).map(({ row }) => row).filter(isFirm) }))
      : []
  })
  return tables.filter(({ rows }) => rows.length > 0).map(table => ({ run: record.run, table }))
}

/** Leaves out contrasts of which nothing is known. @param {Table<any>} table */
const withoutUnknown = table =>
  ({ ...table, rows: table.rows.filter(row => !('verdict' in row) || getEffect(row) !== 'unknown') })

/** @type {(block: Block) => block is Table<any>} */
const isTable = block => typeof block === 'object' && 'columns' in block

/**
 * Limits the answer of a run to the pairs that the question is about.
 * @param {RunRecord} record
 * @param {Question} question
 * @returns {RunRecord}
 */
function selectPairs (record, { runs, pairs: asked }) {
  const { plan } = record
  if (!asked || record.experiment !== runs[0]) return record
  const pairs = plan.answer?.pairs?.filter(([arm, baseline]) => asked.some(([a, b]) => a === arm && b === baseline))
  return { ...record, plan: { ...plan, answer: { ...plan.answer, pairs } } }
}

/** Returns the first sentence of an answer without its full stop. @param {string} text */
const toFirstSentence = text => text.replace(/\.(?: \p{Lu}.*)?$/su, '')

/**
 * Returns the tables below each answer, those of a run once on a page.
 * @param {Answer[]} answers
 */
function listTables (answers) {
  /** @type {Set<string>} */
  const printed = new Set()
  return answers.map(({ tables }) => tables.filter(({ run }) => !printed.has(run) && printed.add(run)))
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
    answers: answers.map(({ question, records, runs, set, sentences: [first, ...others] }, i) => ({
      ...question,
      set,
      first,
      others,
      check: question.check.map(words => `${IN_CLONE} ${words}`),
      hasChart: question.chart && records.length > 0,
      runs,
      tables: (question.page ? [] : tables[i]).map(({ run, table }) =>
        ({ run: tables[i].length > 1 && run, table: toPageTable(table) }))
    }))
  }))
}

/** Returns a table for a page, with the columns that it has in a terminal. @param {Table<any>} table */
export const toPageTable = ({ columns, ...table }) =>
  pageTable({ ...table, columns: columns.map(({ text, ...column }) => ({ ...column, page: text })) })

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
    ...answers.map(({ question, runs, set, sentences: [first, ...others] }, i) => [
      colors.bold(question.question),
      ...wrap(first, columns),
      ...wrapItems(others, style),
      ...tables[i].flatMap(({ table }) => textTable(table, style)),
      ...wrap(`It depends on ${question.dependsOn}.`, columns),
      ...runs.map(run => colors.dim(run)),
      ...set === null ? [] : [colors.dim(`machine ${set}`)],
      ...question.check.map(words => `    ${IN_CLONE} ${words}`)
    ].join('\n')),
    ...compact([machinesSentence(records), beforeWarmUpSentence(records)]).map(note => wrap(note, columns).join('\n'))
  ].join('\n\n') + '\n'
}

/**
 * Replaces the table of a page.
 * @param {string} page Markdown
 * @param {string[]} lines
 */
export const withTable = (page, lines) => page.replace(TABLE, (_, mark) => `${mark}${lines.join('\n')}\n`)

/** The tables that an answer is based on (pure). */
import { unitOf } from '../../shared/units.js'
import { ownBlocksSentence } from '../contrast-sentences.js'
import { isOfApp } from '../latencies.js'
import { pageTable } from '../table.js'
import { contrastTable, costTable, loadTable, rateTable } from '../tables/arms.js'
import { delaysTable, figuresTable, listKinds, outcomesTable } from '../tables/behaviour.js'
import { withForm } from './behaviour.js'

/** @import { RunRecord } from '../../types.js' */
/** @import { Answer } from './answer.js' */
/** @import { Question } from './questions.js' */

/** @typedef {{ caption: string, table: ReturnType<typeof pageTable>, notes?: string[] }} CaptionedTable */

/**
 * Returns all tables of the first run of an answer (of a site: of both runs), and the contrasts of each further run.
 * Leaves out tables that are above on the page.
 * @param {Answer} answer
 * @param {Answer[]} above the answers before it
 * @returns {CaptionedTable[]}
 */
export function answerTables ({ question, records }, above) {
  if (question.by === 'sizing') return []
  return records.flatMap((record, i) => {
    if (i < countWhole(question)) {
      const isAbove = above.some(other => isIn(record, other.records.slice(0, countWhole(other.question))))
      return isAbove ? [] : listTables(withForm(record, question.forms?.[0] ?? {}))
    }
    return above.some(other => isIn(record, other.records)) ? [] : furtherTables(record)
  }).filter(({ table }) => table.rows.length > 0)
}

/** @type {(record: RunRecord, runs: RunRecord[]) => boolean} */
const isIn = ({ run }, runs) => runs.some(other => other.run === run)

/** Counts the runs of an answer of which all tables are printed. @param {Question} question */
const countWhole = ({ by }) => by === 'site' ? 2 : 1

/**
 * Returns the contrasts of a further run, without notes about its rates, which are not printed. Runs without contrasts
 * have tables under their own questions.
 * @param {RunRecord} record
 * @returns {CaptionedTable[]}
 */
const furtherTables = record => record.contrasts.length === 0
  ? []
  : [{ ...ratioTable(record), notes: [], caption: `Relative throughput in the run ${record.run}` }]

/** @param {RunRecord} record */
const ratioTable = record => ({
  caption: 'Relative throughput', table: pageTable(contrastTable(record)), notes: ownBlocksSentence(record)
})

/**
 * Returns the tables of a run.
 * @param {RunRecord} record
 * @returns {CaptionedTable[]}
 */
function listTables (record) {
  const requests = isOfApp(record.arms) ? ' of requests to the app' : ''
  switch (record.plan.result) {
    case 'latency':
      return [{ caption: `Response time in ms${requests}, by offered rate`, table: pageTable(loadTable(record)) }]
    case 'behaviour': return behaviourTables(record)
  }
  return [
    { caption: 'Throughput, with the 95 % interval of its median', table: pageTable(rateTable(record)) },
    ratioTable(record),
    {
      caption: `CPU time per ${unitOf(record.unit).per} in µs, of load generator, proxy and server; memory in MiB`,
      table: pageTable(costTable(record))
    }
  ]
}

/**
 * Returns the delays or figures that answer the question, and the outcomes of the requests where some failed.
 * @param {RunRecord} record
 * @returns {CaptionedTable[]}
 */
function behaviourTables (record) {
  const { figure, delay } = record.plan.answer ?? {}
  const isAnswered = figure !== undefined || delay !== undefined
  const hasFailures = record.arms.flatMap(listKinds).some(({ failures }) => failures > 0)
  return [
    ...isAnswered && !hasFailures
      ? []
      : [{ caption: 'Outcomes of the requests', table: pageTable(outcomesTable(record)) }],
    ...delay === undefined ? [] : [{ caption: 'Delays over all plays', table: pageTable(delaysTable(record)) }],
    ...figure === undefined ? [] : [{ caption: 'Figures of the plays', table: pageTable(figuresTable(record)) }]
  ]
}

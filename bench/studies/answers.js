/** Computes docs/answers.md from stored runs. */
import { join } from 'node:path'
import { replaceFile } from '../machine/atomic-write.js'
import { kindOf } from '../kinds.js'
import { makeFolder } from '../machine/make-folder.js'
import { PROJECT } from '../plugins.js'
import { answersPage, answerTo } from '../report/answers.js'
import { QUESTIONS } from '../report/questions.js'
import { median } from '../judge/stats/quantile.js'
import { CONFIDENCE, HEADROOM, NEW_CONNECTIONS, SPARE } from '../shared/thresholds.js'
import { listRuns, readRun } from '../store/store.js'
import { withAnswerWords } from './answer-words.js'
import { recordsByLine } from './claims/best-runs.js'
import { lowerToConfidence } from './sizing/confidence.js'
import { readOfferings } from './sizing/offerings.js'
import { computeSizing } from './sizing/sizing-record.js'

/** @import { Offering, RunRecord, SizedTopology } from '../types.js' */
/** @import { Answer } from '../report/answers.js' */
/** @import { Question } from '../report/questions.js' */

const SIZING = 'size'

/**
 * Answers all questions from stored runs.
 * @param {string[]} folders of runs. Each question is answered from the first folder with a run for it.
 * @returns {Promise<Answer[]>} in the order of the questions
 * @throws {HopbenchError} bad-run-file, other-format
 */
export const answers = folders => Promise.all(QUESTIONS.map(question => answer(question, folders)))

/**
 * @param {Question} question
 * @param {string[]} folders
 * @returns {Promise<Answer>}
 */
async function answer (question, folders) {
  for (const folder of folders) {
    const runs = await listRuns(folder)
    const records = (await Promise.all(question.runs.map(name =>
      name === SIZING ? sizings(runs, folder) : recordsByLine(name, runs, folder)))).flat()
    if (records[0]?.experiment === question.runs[0]) {
      return answerTo(question, await Promise.all(records.map(withAnswerWords)), kindOf)
    }
  }
  return answerTo(question, [], kindOf)
}

/**
 * Returns the last sizing for each rate, with the prices, the headroom and the spare instances of today.
 *
 * @param {Awaited<ReturnType<typeof listRuns>>} runs
 * @param {string} folder
 */
async function sizings (runs, folder) {
  /** @type {Map<number, RunRecord>} */
  const byRate = new Map()
  for (const { dir } of runs) {
    const { record } = await readRun(dir, folder)
    if (record?.sizing) byRate.set(record.sizing.goal.rate, record)
  }
  const offerings = readOfferings()
  return [...byRate].sort(([a], [b]) => a - b).map(([, record]) => withTodaysPrices(record, offerings))
}

/**
 * Writes docs/answers.md and its charts.
 *
 * @param {Answer[]} made
 * @param {string} [project] folder
 * @returns {Promise<string[]>} paths of the files
 */
export async function writeAnswers (made, project = PROJECT) {
  const { renderSvg } = await import('../report/page/page.js')
  const folder = join(project, 'docs', 'answers')
  const charts = made.flatMap(({ question: { id, chart = false }, records }) => {
    const text = chart && records.length > 0 ? renderSvg(records[0], kindOf(records[0])) : null
    return text ? [{ file: join(folder, `${id}.svg`), text }] : []
  })
  const files = [...charts, { file: `${folder}.md`, text: answersPage(made) }]
  makeFolder(folder)
  for (const { file, text } of files) await replaceFile(file, text)
  return files.map(({ file }) => file)
}

/**
 * Returns a record of a sizing with the offerings and the margins of today. Verifications stay as they were measured.
 *
 * @param {RunRecord} record
 * @param {Offering[]} offerings
 * @returns {RunRecord}
 */
export function withTodaysPrices (record, offerings) {
  const { sizing, endedAt, environment: { busy } } = record
  if (!sizing) return record
  const { goal, verification, refuted = [], verified = [] } = sizing
  const topologies = sizing.topologies.map(topology => ({ ...topology, capacity: toTodaysCapacity(topology) }))
  const margins = {
    headroom: HEADROOM,
    spare: SPARE,
    confidence: CONFIDENCE,
    newConnections: NEW_CONNECTIONS,
    memoryExtra: null,
    min: 1,
    max: null
  }
  const { rate, p99Ms, profile = { name: 'constant', shares: [1] } } = goal
  const priced = computeSizing({ rate, p99Ms, profile, ...margins, offerings }, {
    topologies,
    verified: [...refuted, ...verified, ...verification ? [verification] : []],
    emulation: sizing.emulation,
    otherShare: busy.busyShare
  }, endedAt ?? record.startedAt)
  return { ...record, sizing: priced }
}

/**
 * Returns the capacity at the confidence of today. The stored capacity was lowered to the confidence of its sizing, and
 * its searches were not: their median is the rate that half of the windows hold.
 *
 * @param {SizedTopology} topology
 */
function toTodaysCapacity ({ capacity, trials }) {
  const { rate, low, high, searches } = capacity
  const half = median(searches)
  const raised = { ...capacity, rate: half, low: half / rate * low, high: half / rate * high }
  return lowerToConfidence(raised, trials, CONFIDENCE)
}

/** Computes docs/answers.md from stored runs. */
import { join } from 'node:path'
import { recommend } from '../judge/recommendation.js'
import { replaceFile } from '../machine/atomic-write.js'
import { PROJECT } from '../plan/plugins.js'
import { answerTo } from '../report/answers/answer.js'
import { answersPage } from '../report/answers/page.js'
import { QUESTIONS } from '../report/answers/questions.js'
import { listRuns, readRun } from '../store/store.js'
import { bestRecord, recordsByLine } from './claims/best-runs.js'
import { knownServers } from '../run/known-servers.js'
import { readOfferings } from './sizing/offerings.js'
import { makeFolder } from '../machine/make-folder.js'
import { median } from '../judge/stats/quantile.js'
import { CONFIDENCE, HEADROOM, NEW_CONNECTIONS, SPARE } from '../shared/thresholds.js'
import { lowerToConfidence } from './sizing/confidence.js'
import { computeSizing } from './sizing/sizing-record.js'

/** @import { Offering, RunRecord, SizedTopology } from '../types.js' */
/** @import { Answer } from '../report/answers/answer.js' */
/** @import { Question } from '../report/answers/questions.js' */

/** Kinds of questions that also show results under older release lines of Node. */
const BY_PAIRS = ['pairs', 'choice']

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
    const records = question.by === 'sizing'
      ? await sizings(runs, folder)
      : (await recordsByLine(question.experiment, runs, folder)).slice(0, BY_PAIRS.includes(question.by) ? Infinity : 1)
    if (records.length > 0) {
      const recommended = question.by === 'recommendation' ? await recommendedBy(records[0], folder) : undefined
      const second = question.second ? await bestRecord(question.second.experiment, runs, folder) : null
      const played = await Promise.all((question.behaviours ?? []).map(name => bestRecord(name, runs, folder)))
      const behaviours = played.filter(record => record !== null)
      return answerTo(question, { records, recommended, second, behaviours })
    }
  }
  return question.fallback ? answer(question.fallback, folders) : answerTo(question, { records: [] })
}

/**
 * Applies the current rules, because the stored recommendation may be older.
 *
 * @param {RunRecord} record
 * @param {string} folder
 */
const recommendedBy = async (record, folder) => recommend(record, await knownServers(record.arms, folder))

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
  const charts = made.flatMap(({ question: { id, chart = false }, records }) => {
    const svg = chart && records.length > 0 ? renderSvg(records[0]) : null
    return svg ? [{ id, file: join(project, 'docs', 'answers', `${id}.svg`), text: svg }] : []
  })
  const files = [
    ...charts,
    {
      file: join(project, 'docs', 'answers.md'),
      text: answersPage(made, { charts: charts.map(({ id }) => id) })
    }
  ]
  makeFolder(join(project, 'docs', 'answers'))
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

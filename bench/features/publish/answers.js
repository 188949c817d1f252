/** Computes docs/answers.md from stored runs. */
import { join } from 'node:path'
import { replaceFile } from '../../machine/files/atomic-write.js'
import { readOwnText } from '../../machine/files/own-files.js'
import { recommend } from '../../judge/recommendation.js'
import { combineRuns } from '../../judge/runs/combine-runs.js'
import { kindOf } from '../../run/kinds.js'
import { knownServers } from '../../run/known-servers.js'
import { markdownTable } from '../../report/markdown.js'
import { makeFolder } from '../../machine/files/make-folder.js'
import { PROJECT } from '../../plan/plugins.js'
import { groupBy } from '../../shared/group-by.js'
import { answersPage, answerTo, toPageTable, withTable } from './answers-text.js'
import { QUESTIONS } from './questions.js'
import { readCompared } from './compared.js'
import { listServers, toServerLines } from './servers.js'
import { readCheck } from '../../store/check-results.js'
import { listRuns, readRun, REFERENCE_DIR } from '../../store/store.js'
import { withAnswerWords } from '../../run/answer-words.js'
import { recordsByLine } from './best-runs.js'
import { readOfferings, withTodaysPrices } from '../size/index.js'

/** @import { CheckFailure, RunRecord } from '../../types.js' */
/** @import { Answer } from './answers-text.js' */
/** @import { Question } from './questions.js' */

const SIZING = 'size'
/** Experiment of `npm run compared -- --frameworks`. */
export const FRAMEWORKS_RUN = 'static-frameworks'

/**
 * Answers all questions from stored runs.
 * @param {string[]} folders of runs. Each question is answered from the first folder with a run for it, and there from
 *   one set of runs, so that its ratios are of one kind of machine.
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
    const { set, records, runs } = await findBestSet(question, folder)
    if (records.length > 0) {
      const worded = await Promise.all(records.map(withAnswerWords))
      const advised = question.advice ? await withTodaysAdvice(worded, folder) : worded
      return answerTo(question, advised, kindOf, { set, runs })
    }
  }
  return answerTo(question, [], kindOf)
}

/**
 * Returns the records of the set that has runs of most experiments of a question. Of equal sets, the one with the last
 * run is best.
 *
 * @param {Question} question
 * @param {string} folder
 * @returns {Promise<{ set: string | null, records: RunRecord[], runs: string[] }>} runs: all that are combined; no
 *   records: no set has a run of the first experiment
 */
async function findBestSet (question, folder) {
  const sets = await Promise.all([...groupBy(await listRuns(folder), ({ set }) => set)].map(async ([set, runs]) => {
    const groups = (await Promise.all(question.runs.map(name =>
      name === SIZING ? sizings(runs, folder) : recordsByLine(name, runs, folder)))).flat()
    const combined = groups.map(combineRuns)
    const records = combined.map(({ record }) => record)
    const last = records.map(({ startedAt }) => startedAt).sort().at(-1) ?? ''
    const names = combined.flatMap(({ runs }) => runs)
    return { set, records, runs: names, last, experiments: new Set(records.map(({ experiment }) => experiment)).size }
  }))
  const [best] = sets.filter(({ records }) => records[0]?.experiment === question.runs[0])
    .sort((a, b) => b.experiments - a.experiments || b.last.localeCompare(a.last, 'en'))
  return best ?? { set: null, records: [], runs: [] }
}

/**
 * Replaces the recommendations of the first run by those that follow from the last check, which can be newer.
 *
 * @param {RunRecord[]} records at least one
 * @param {string} folder of runs
 */
async function withTodaysAdvice ([first, ...others], folder) {
  const facts = await knownServers(first.arms, folder)
  const { advice } = recommend(first, {
    ...facts, failuresOf: (...names) => facts.failuresOf(...names)?.map(withoutDetails) ?? null
  })
  return [{ ...first, recommendation: advice }, ...others]
}

/**
 * Describes a failure of safety by its class, because details help an attacker until the project has mended it.
 *
 * @param {CheckFailure} failure
 */
function withoutDetails (failure) {
  const topic = failure.topic.toLowerCase()
  return failure.safety ? { ...failure, title: topic, saw: `"${topic}"` } : failure
}

/**
 * Returns the last sizing for each rate, with the prices, the headroom and the spare instances of today. Sizings are
 * not combined.
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
  return [...byRate].sort(([a], [b]) => a - b).map(([, record]) => [withTodaysPrices(record, offerings)])
}

/**
 * Describes the servers by the stored check, by the run that answers which one to take, and by that of frameworks.
 *
 * @param {Answer[]} made
 * @param {string} [folder] of the check
 */
export async function storedServers (made, folder = REFERENCE_DIR) {
  const recommended = made.find(({ question }) => question.advice)?.records.slice(0, 1) ?? []
  const frameworks = (await recordsByLine(FRAMEWORKS_RUN, await listRuns(folder), folder)).flat().slice(0, 1)
  const check = await readCheck(folder)
  return { check, rows: listServers(check, [...recommended, ...frameworks], readCompared()) }
}

/**
 * Writes docs/answers.md with its charts, and the tables of questions that other pages have.
 *
 * @param {Answer[]} made
 * @param {string} [project] folder
 * @returns {Promise<string[]>} paths of the files
 */
export async function writeAnswers (made, project = PROJECT) {
  const { renderSvg } = await import('../../report/page/page.js')
  const folder = join(project, 'docs', 'answers')
  const charts = made.flatMap(({ question: { id, chart = false }, records }) => {
    const text = chart && records.length > 0 ? renderSvg(records[0], kindOf(records[0])) : null
    return text ? [{ file: join(folder, `${id}.svg`), text }] : []
  })
  const { rows } = await storedServers(made)
  const pages = made.flatMap(({ question: { page, advice }, tables }) => {
    if (!page || tables.length === 0) return []
    const name = `docs/${page.link.split('#')[0]}`
    const lines = advice ? toServerLines(rows) : markdownTable(toPageTable(tables[0].table))
    return [{ file: join(project, name), text: withTable(readOwnText(join(PROJECT, name)), lines) }]
  })
  const files = [...charts, { file: `${folder}.md`, text: answersPage(made) }, ...pages]
  makeFolder(folder)
  for (const { file, text } of files) await replaceFile(file, text)
  return files.map(({ file }) => file)
}

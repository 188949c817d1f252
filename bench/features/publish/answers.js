/** Computes docs/answers.md from stored runs. */
import { join } from 'node:path'
import { replaceFile } from '../../machine/files/atomic-write.js'
import { kindOf } from '../../run/kinds.js'
import { makeFolder } from '../../machine/files/make-folder.js'
import { PROJECT } from '../../plan/plugins.js'
import { answersPage, answerTo } from './answers-text.js'
import { QUESTIONS } from './questions.js'
import { listRuns, readRun } from '../../store/store.js'
import { withAnswerWords } from '../../run/answer-words.js'
import { recordsByLine } from './best-runs.js'
import { readOfferings, withTodaysPrices } from '../size/index.js'

/** @import { RunRecord } from '../../types.js' */
/** @import { Answer } from './answers-text.js' */
/** @import { Question } from './questions.js' */

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
  const { renderSvg } = await import('../../report/page/page.js')
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

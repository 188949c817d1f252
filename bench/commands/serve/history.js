/** The runs that are stored, the last first, with what can be said of each in a line. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { getErrorMessage } from '../../errors.js'
import { toAnswer } from '../../report/answer.js'
import { listRuns, readRun } from '../../store/store.js'

/** @import { Entry } from './types.js' */

const PAGE = 50 // So many at a time: reading all of a thousand records would take seconds.

/**
 * @param {string} resultsDir
 * @returns {(query: { search?: string, from?: number }) => Promise<{ total: number, entries: Entry[] }>} search: a part
 * of the name of a run; from: how many to leave out
 */
export function createHistory (resultsDir) {
  /** @type {Map<string, { at: number, entry: Entry }>} by run; a record that was replaced is read again */
  const known = new Map()
  /** @param {Awaited<ReturnType<typeof listRuns>>[number]} stored */
  const entryOf = async ({ run, dir, experiment, startedAt }) => {
    const at = await stat(join(dir, 'run.json')).then(({ mtimeMs }) => mtimeMs, () => 0)
    const cached = known.get(run)
    if (cached?.at === at) return cached.entry
    const entry = { run, experiment, startedAt, ...await wordsOf(dir, resultsDir) }
    known.set(run, { at, entry })
    return entry
  }
  return async ({ search = '', from = 0 }) => {
    const wanted = search.toLowerCase().split(/\s+/).filter(Boolean)
    const runs = (await listRuns(resultsDir)).reverse().filter(({ run }) =>
      wanted.every(word => run.toLowerCase().includes(word))
    )
    return { total: runs.length, entries: await Promise.all(runs.slice(from, from + PAGE).map(entryOf)) }
  }
}

/**
 * @param {string} dir
 * @param {string} resultsDir
 * @returns {Promise<Pick<Entry, 'question' | 'answer' | 'state'>>}
 */
async function wordsOf (dir, resultsDir) {
  try {
    const { record } = await readRun(dir, resultsDir)
    if (!record) return { question: '', answer: 'It was interrupted before anything was measured.', state: 'cut off' }
    return {
      question: record.question,
      answer: record.complete ? toAnswer(record) : 'It was interrupted.',
      state: record.complete ? 'complete' : 'cut off'
    }
  } catch (error) {
    return { question: '', answer: getErrorMessage(error), state: 'unreadable' }
  }
}

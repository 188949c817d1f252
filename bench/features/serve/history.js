/** Lists stored runs, the last first, each with its question and a one-line answer. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { getErrorMessage } from '../../errors.js'
import { kindOf } from '../../run/kinds.js'
import { listRuns, readRun } from '../../store/store.js'
import { withAnswerWords } from '../../run/answer-words.js'

/** @import { RunRecord } from '../../types.js' */
/** @import { Entry } from './types.js' */

/** Name of the experiment of topologies that were typed (bench/request/typed-experiment.js). */
const TYPED = 'typed'
const PAGE = 50 // Runs per request, because reading a thousand records takes seconds.

/**
 * @param {string} resultsDir
 * @returns {(query: { search?: string, from?: number }) => Promise<{ total: number, entries: Entry[] }>} search: parts
 * of the name of a run; from: number of runs to skip
 */
export function createHistory (resultsDir) {
  /** @type {Map<string, { at: number, entry: Entry }>} by run; at: time at which its record was written */
  const cache = new Map()
  /** @param {Awaited<ReturnType<typeof listRuns>>[number]} stored */
  const getEntry = async ({ run, dir, experiment, startedAt }) => {
    const at = await stat(join(dir, 'run.json')).then(({ mtimeMs }) => mtimeMs, () => 0)
    const cached = cache.get(run)
    if (cached?.at === at) return cached.entry
    const entry = { run, experiment, startedAt, ...await describeRun(dir, resultsDir) }
    cache.set(run, { at, entry })
    return entry
  }
  return async ({ search = '', from = 0 }) => {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean)
    const runs = (await listRuns(resultsDir)).reverse().filter(({ run }) =>
      words.every(spec => run.toLowerCase().includes(spec))
    )
    return { total: runs.length, entries: await Promise.all(runs.slice(from, from + PAGE).map(getEntry)) }
  }
}

/**
 * @param {string} dir
 * @param {string} resultsDir
 * @returns {Promise<Pick<Entry, 'what' | 'question' | 'answer' | 'state'>>} what: empty if it is unknown
 */
async function describeRun (dir, resultsDir) {
  try {
    const { record } = await readRun(dir, resultsDir)
    if (!record) {
      const answer = 'The run was interrupted before anything was measured.'
      return { what: '', question: '', answer, state: 'cut off' }
    }
    const entry = { what: nameCompared(record), question: record.question }
    if (!record.complete) return { ...entry, answer: 'The run was interrupted.', state: 'cut off' }
    const worded = await withAnswerWords(record)
    return { ...entry, answer: kindOf(worded).answer(worded).text, state: 'complete' }
  } catch (error) {
    return { what: '', question: '', answer: getErrorMessage(error), state: 'unreadable' }
  }
}

/**
 * Names a run by what it compared: the experiment, or the topologies that were typed.
 *
 * @param {Pick<RunRecord, 'experiment' | 'plan'>} record
 */
function nameCompared ({ experiment, plan: { arms, quick } }) {
  const [first, ...others] = new Set(arms.filter(({ twinOf }) => twinOf === null).map(({ name }) => name))
  const compared = others.length > 0 ? `${others.join(', ')} against ${first}` : first
  return `${experiment === TYPED ? compared ?? experiment : experiment}${quick ? ' (quick)' : ''}`
}

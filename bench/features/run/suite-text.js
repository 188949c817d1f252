/** A suite for a terminal: a line for each experiment when it ends, and a summary. */
import { shellWord } from '../../errors.js'
import { duration, ended, listing, plural } from '../../shared/format.js'
import { compact, toPlainLine } from '../../report/wrap.js'

/** @import { SuiteEntry, SuiteRecord } from '../../types.js' */

/**
 * Verdicts and statuses as words after a number.
 * @type {Record<string, string>}
 */
const WORDS = { 'no-difference': 'no difference', 'not-testable': 'not testable' }

/**
 * Returns the line of an experiment that has ended.
 * @param {SuiteEntry} entry
 * @param {number} width of the longest name
 */
export function suiteLine ({ experiment, status, seconds, verdicts, claims, error }, width) {
  const head = `${experiment.padEnd(width)}  ${duration(seconds).padStart(10)}  `
  if (status === 'interrupted') return `${head}interrupted`
  if (status === 'failed') return `${head}FAILED: ${toPlainLine(error ?? 'the reason is unknown.')}`
  return `${head}${counts(verdicts) || 'nothing compared'}; claims: ${counts(claims) || 'none'}`
}

/**
 * Lists counts: "2 faster, 1 slower".
 * @param {Partial<Record<string, number>>} numbers
 */
const counts = numbers => Object.entries(numbers)
  .filter(([, amount]) => amount)
  .map(([word, amount]) => `${amount} ${WORDS[word] ?? word}`).join(', ')

/**
 * Returns the results of a suite and the command that resumes it.
 * @param {SuiteRecord} record
 * @param {{ dir: string, seconds: number }} call folder of the suite, and wall time of this call
 */
export function suiteSummary ({ suite, entries, endedAt }, { dir, seconds }) {
  const list = (/** @type {SuiteEntry['status'][]} */ ...statuses) =>
    entries.filter(({ status }) => statuses.includes(status)).map(({ experiment }) => experiment)
  const failed = list('failed')
  const missing = list('waiting', 'running', 'interrupted')
  const lines = compact([
    `${plural(entries.length, 'experiment')}, ${list('done').length} done in ${duration(seconds)}.`,
    failed.length > 0 && ended(`Failed: ${listing(failed)}`),
    missing.length > 0 && ended(`Missing: ${listing(missing)}`),
    (failed.length > 0 || !endedAt) && `Resume the suite: npm run hopbench -- all --resume ${shellWord(suite)}`,
    `Results: ${dir}`
  ])
  return `${lines.join('\n')}\n`
}

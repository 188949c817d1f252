/** A suite for a terminal: a line for each experiment as it ends, and what is missing in the end.
 * @import { SuiteEntry, SuiteRecord } from '../types.js' */
import { duration, ended, listing, plural } from '../shared/format.js'
import { plain } from './wrap.js'

/** Nouns after a number: "2 faster, 1 slower". @type {Record<string, string>} */
const WORDS = { 'no-difference': 'no difference', 'not-testable': 'not testable' }

/** @param {SuiteEntry} entry that has ended @param {number} width of the longest name @returns {string} */
export function suiteLine (entry, width) {
  const { experiment, status, seconds, verdicts, claims, error } = entry
  const head = `${experiment.padEnd(width)}  ${duration(seconds).padStart(10)}  `
  if (status === 'interrupted') return `${head}interrupted`
  if (status === 'failed') return `${head}FAILED: ${plain(error ?? 'the reason is unknown.')}`
  return `${head}${counts(verdicts) || 'nothing compared'}; claims: ${counts(claims) || 'none'}`
}

/** @param {Partial<Record<string, number>>} numbers */
const counts = numbers => Object.entries(numbers)
  .filter(([, amount]) => amount)
  .map(([word, amount]) => `${amount} ${WORDS[word] ?? word}`).join(', ')

/** What came of it, and how it is resumed. @param {SuiteRecord} record
 * @param {{ dir: string, seconds: number }} where its folder, and the wall time of this call @returns {string} */
export function suiteSummary ({ suite, entries, endedAt }, { dir, seconds }) {
  const names = (/** @type {SuiteEntry['status'][]} */ ...wanted) =>
    entries.filter(({ status }) => wanted.includes(status)).map(({ experiment }) => experiment)
  const failed = names('failed')
  const missing = names('waiting', 'running', 'interrupted')
  const lines = [`${plural(entries.length, 'experiment')}, ${names('done').length} done in ${duration(seconds)}.`]
  if (failed.length > 0) lines.push(ended(`Failed: ${listing(failed)}`))
  if (missing.length > 0) lines.push(ended(`Missing: ${listing(missing)}`))
  if (failed.length > 0 || !endedAt) lines.push(`Resume what is missing: npm run bench:all -- --resume ${suite}`)
  return `${[...lines, `Results: ${dir}`].join('\n')}\n`
}

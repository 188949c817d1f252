/** What caches get right, as text for a terminal: a table of all of them, then the failures of each (pure). */
import { cacheOutcomes } from '../analysis/cache-outcomes.js'
import { wrap } from './wrap.js'

/** @import { CacheOutcome } from '../analysis/cache-outcomes.js' */
/** @import { CachesRecord, CheckedCache } from '../types.js' */

const CELL = 9
/** @type {[string, CacheOutcome[]][]} */
const SUMS = [
  ['what RFC 9111 demands: holds', ['pass']],
  ['  … fails', ['fail']],
  ['what a better cache does: done', ['better']],
  ['  … not done', ['not-better']],
  ['behaviours, both correct: yes', ['yes']],
  ['  … no', ['no']],
  ['question not reached', ['unasked']]
]

/** @param {CachesRecord} record @param {{ columns: number, file?: string }} style file: where it is kept
 * @returns {string} */
export function cachesText (record, { columns, file }) {
  const { caches } = record
  const outcomes = caches.map(({ results }) => cacheOutcomes(results))
  const topics = [...new Set(caches.flatMap(({ results }) => results.map(({ topic }) => topic)))]
  const width = Math.max(...SUMS.map(([name]) => name.length), ...topics.map(topic => topic.length + 2)) + 2
  const row = (/** @type {string} */ name, /** @type {(string | number)[]} */ cells) =>
    `${name.padEnd(width)}${cells.map(cell => String(cell).padStart(CELL)).join('')}`.trimEnd()
  const letters = caches.map((_, i) => String.fromCharCode(65 + i))
  const failed = (/** @type {number} */ i, /** @type {string} */ topic) => caches[i].results
    .filter(result => result.topic === topic && outcomes[i].get(result.id) === 'fail').length
  const lines = [
    ...wrap(caches.map(({ word, version }, i) => `${letters[i]} ${word} (${version})`).join(', '), columns),
    '',
    row(`Tests of ${record.tests}`, letters),
    row('all of them: passed', caches.map(({ results }) => results.filter(({ passed }) => passed).length)),
    ...SUMS.map(([name, kinds]) =>
      row(name, outcomes.map(all => [...all.values()].filter(outcome => kinds.includes(outcome)).length))),
    '',
    'Failures of what RFC 9111 demands',
    ...topics.filter(topic => caches.some((_, i) => failed(i, topic) > 0)).map(topic =>
      row(`  ${topic}`, caches.map((_, i) => failed(i, topic) || ''))),
    '',
    ...caches.flatMap((cache, i) => [...paragraph(cache, outcomes[i], columns), '']),
    ...wrap('https://cache-tests.fyi/ explains each test; docs/check.md says which failures are meant, and why.',
      columns)
  ]
  if (file) lines.push(`Kept in: ${file}`)
  return `${lines.join('\n')}\n`
}

/** @param {CheckedCache} cache @param {Map<string, CacheOutcome>} outcomes @param {number} columns */
function paragraph ({ word, results }, outcomes, columns) {
  const failures = results.filter(({ id }) => outcomes.get(id) === 'fail')
  const topics = [...new Set(failures.map(({ topic }) => topic))]
  return [
    `${word}: ${failures.length} failures`,
    ...topics.flatMap(topic => wrap(
      `${topic}: ${failures.filter(failure => failure.topic === topic).map(({ id }) => id).join(', ')}`, columns,
      { first: '- ', rest: '  ' }))
  ]
}

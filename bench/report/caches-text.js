/** A check of caches as text for a terminal: a table of all caches, then the failures of each (pure). */
import { cacheOutcomes } from '../judge/cache-outcomes.js'
import { listing } from '../shared/format.js'
import { toStyle, wrap, wrapItems } from './wrap.js'

/** @import { CacheOutcome } from '../judge/cache-outcomes.js' */
/** @import { CachesRecord, CheckedCache } from '../types.js' */
/** @import { Style } from './wrap.js' */

const CELL_WIDTH = 9

/**
 * Rows of the table, with the outcomes that each counts.
 * @type {[string, CacheOutcome[]][]}
 */
const SUMS = [
  ['RFC 9111 requirements: met', ['pass']],
  ['  … failed', ['fail']],
  ['optional improvements: present', ['better']],
  ['  … absent', ['not-better']],
  ['behaviours, both correct: yes', ['yes']],
  ['  … no', ['no']],
  ['not tested', ['unasked']]
]

/**
 * @param {CachesRecord} record
 * @param {{ columns: number, file?: string }} options file: where the record is stored
 */
export function cachesText ({ caches, tests }, { columns, file }) {
  const style = toStyle(columns)
  const checked = caches.map(({ spec, results }) => {
    const outcomes = cacheOutcomes(results)
    return { spec, outcomes, failures: results.filter(({ id }) => outcomes.get(id) === 'fail') }
  })
  const topics = [...new Set(caches.flatMap(({ results }) => results.map(({ topic }) => topic)))]
  const width = Math.max(...SUMS.map(([name]) => name.length), ...topics.map(topic => topic.length + 2)) + 2
  const row = (/** @type {string} */ name, /** @type {(string | number)[]} */ cells) =>
    `${name.padEnd(width)}${cells.map(cell => String(cell).padStart(CELL_WIDTH)).join('')}`.trimEnd()
  const letters = caches.map((_, i) => String.fromCharCode(65 + i))
  const topicRows = topics.flatMap(topic => {
    const counts = checked.map(({ failures }) => failures.filter(result => result.topic === topic).length || '')
    return counts.some(Boolean) ? [row(`  ${topic}`, counts)] : []
  })
  const lines = [
    ...wrap(`Failed requirements of RFC 9111: ${listing(checked.map(({ spec, failures }) =>
      `${spec} ${failures.length}`))}.`, columns),
    '',
    ...wrap(caches.map(({ spec, version }, i) => `${letters[i]} ${spec} (${version})`).join(', '), columns),
    '',
    row(`Tests of ${tests}`, letters),
    row('all of them: passed', caches.map(({ results }) => results.filter(({ passed }) => passed).length)),
    ...SUMS.map(([name, kinds]) => row(name, checked.map(({ outcomes }) =>
      [...outcomes.values()].filter(outcome => kinds.includes(outcome)).length))),
    '',
    'Failures of RFC 9111 requirements',
    ...topicRows,
    '',
    ...checked.flatMap(({ spec, failures }) => [...failureLines(spec, failures, style), '']),
    ...wrap('https://cache-tests.fyi/ explains each test; docs/check.md lists the failures that are intended, and why.',
      columns),
    ...file ? [`Stored in: ${file}`] : []
  ]
  return `${lines.join('\n')}\n`
}

/**
 * Lists the failures of a cache by topic.
 * @param {string} spec
 * @param {CheckedCache['results']} failures
 * @param {Style} style
 */
function failureLines (spec, failures, style) {
  const topics = [...new Set(failures.map(({ topic }) => topic))]
  return [
    `${spec}: ${failures.length} failures`,
    ...wrapItems(topics.map(topic =>
      `${topic}: ${failures.filter(failure => failure.topic === topic).map(({ id }) => id).join(', ')}`), style)
  ]
}

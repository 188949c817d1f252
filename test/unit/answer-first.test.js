/** Tests that the outputs of comparisons and checks begin with their answers. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { compareRuns } from '../../bench/judge/compare-runs.js'
import { cachesText } from '../../bench/report/caches-text.js'
import { checkText } from '../../bench/report/check-matrix.js'
import { comparisonAnswer } from '../../bench/report/comparison-words.js'
import { comparisonMarkdown } from '../../bench/report/comparison-markdown.js'
import { renderComparison } from '../../bench/report/comparison.js'
import { REFERENCE_DIR } from '../../bench/store/store.js'
import { storedRun } from '../../bench/run/stored-run.js'

/** @import { CachesRecord, CheckRecord } from '../../bench/types.js' */

/** @param {string} file */
const readReference = file => JSON.parse(readFileSync(join(REFERENCE_DIR, file), 'utf8'))
/** Lines before the first empty one, as one text. @param {string} text */
const firstParagraph = text => text.split('\n\n')[0].replaceAll('\n', ' ')

t.test('a comparison of two runs begins with what became slower, and names no more than a few figures', async t => {
  const runs = ['2026-11-26T16-52-04Z-uds', '2026-11-26T17-23-02Z-uds', '2026-11-26T17-36-08Z-uds']
  const stored = await Promise.all(runs.map(run => storedRun(run, REFERENCE_DIR)))
  for (const after of stored.slice(1)) {
    const comparison = compareRuns(stored[0], after)
    const answer = comparisonAnswer(comparison)
    t.equal(firstParagraph(renderComparison(comparison, { columns: 80 })), answer.join(' '))
    t.ok(comparisonMarkdown(comparison).replace(/\\(.)/g, '$1').startsWith(`**${answer[0]}**`))
    for (const sentence of answer.filter(text => text.startsWith('Inconclusive'))) {
      t.ok(sentence.split(',').length <= 4, sentence)
    }
  }
})

t.test('a check begins with the servers that fail a probe of safety', async t => {
  /** @type {CheckRecord} */
  const record = readReference('check.json')
  const answerOf = (/** @type {CheckRecord} */ checked) => firstParagraph(checkText(checked, { columns: 80 }))
  t.match(answerOf(record), /^\d+ of \d+ servers fail a probe of safety: .*\bst\b.*\. No failure at all: /)
  const one = (/** @type {string} */ name) =>
    answerOf({ ...record, servers: record.servers.filter(server => server.name === name) })
  t.equal(one('connect-static'), 'connect-static passes every probe.')
  t.match(one('st'), /^st fails \d+ of \d+ probes, \d+ of safety\.$/)
  t.equal(answerOf({ ...record, servers: [] }), 'No server could be checked.')
})

t.test('a check of caches begins with the failures of each cache', async t => {
  /** @type {CachesRecord} */
  const record = readReference('caches.json')
  const first = firstParagraph(cachesText(record, { columns: 80 }))
  for (const { spec } of record.caches) t.match(first, new RegExp(`${spec.replaceAll('+', '\\+')} \\d+`))
})

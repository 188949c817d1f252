/** The checks of the corpus of hostile inputs recognise what a hostile input could lead to. */
import t from './tap.js'
import { HopbenchError } from '../../bench/errors.js'
import { findFault } from '../../bench/store/record-format.js'
import { findErrorFaults, findOutputFaults } from './hostile/checks.js'
import { PLANTED_COMMAND, PLANTED_MARKUP, mutate, toJson } from './hostile/mutate.js'
import { runExamples, sizedExample } from './hostile/examples.js'
import { seeded } from './random.js'

t.test('finds control characters, planted commands and markup in what is printed', async t => {
  t.same(findOutputFaults({ printed: ['plain\ntext'], pages: ['&lt;img src=x'] }), [])
  for (const text of ['\u001b[2J', 'a\u202Eb', '\u009b31m', '\r', `Try: npm run bench -- x; ${PLANTED_COMMAND}`]) {
    t.equal(findOutputFaults({ printed: [text] }).length, 1, JSON.stringify(text))
  }
  t.equal(findOutputFaults({ pages: [`<p>${PLANTED_MARKUP}</p>`] }).length, 1)
})

t.test('finds lines and files that a valid input does not lead to', async t => {
  const clean = { 'start.sh': '# By a run\nPROCESSES=2 node app.js', 'app.json': '{ "size": "pro" }' }
  const faultsOf = (/** @type {Record<string, string>} */ files) =>
    findOutputFaults({ scripts: { files: { ...clean, ...files }, clean } }).length
  t.equal(faultsOf({ 'start.sh': '# By another run\nPROCESSES=16 node app.js', 'app.json': '{ "size": "other" }' }), 0)
  t.equal(faultsOf({ 'start.sh': `# By a\n${PLANTED_COMMAND}\nPROCESSES=2 node app.js` }), 1)
  t.equal(faultsOf({ 'app.json': '{ "size": "pro", "x": "y" }' }), 1)
  t.equal(faultsOf({ 'start.sh': '# By a\u2028x\nPROCESSES=2 node app.js' }), 1)
  t.equal(faultsOf({ 'other.sh': '' }), 1)
})

t.test('accepts errors of the catalog only, without control characters', async t => {
  t.same(findErrorFaults(new HopbenchError('no-runs', { dir: 'a\u202Eb\u001b[2J' })), [])
  t.equal(findErrorFaults(new TypeError('x is undefined')).length, 1)
})

t.test('the same number makes the same hostile value, which differs from the valid one', async t => {
  const valid = { a: 'text', b: [1, { c: null }], d: { e: true } }
  const make = (/** @type {number} */ number) => mutate(seeded(number), valid)
  const numbers = Array.from({ length: 200 }, (_, number) => number)
  for (const number of numbers) t.equal(toJson(make(number).value), toJson(make(number).value))
  t.ok(new Set(numbers.map(number => make(number).mutation)).size > 100)
  t.same(valid, { a: 'text', b: [1, { c: null }], d: { e: true } })
})

t.test('the runs from which hostile ones are made are valid', async t => {
  for (const { record, plan, samples } of [...runExamples(), sizedExample()]) {
    t.equal(findFault('record', record), null)
    t.equal(findFault('plan', plan), null)
    t.same(samples.filter((/** @type {unknown} */ sample) => findFault('sample', sample)), [])
  }
})

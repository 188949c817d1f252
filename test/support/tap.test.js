/** Whether assertions fail that tap's own assertions pass. */
import { execa } from 'execa'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { project } from './cli.js'
import t, { findDifference, findVagueness } from './tap.js'
import { readResults } from '../report.js'

t.test('match compares arrays with their length', async t => {
  t.equal(findDifference({ failures: ['x'] }, { failures: [] }), 'failures has 1 elements, the pattern has 0')
  t.equal(findDifference([{ a: 1 }, { a: 2 }], [{ a: 1 }]), 'value has 2 elements, the pattern has 1')
  t.equal(findDifference({ a: [{ b: [1, 2] }] }, { a: [{ b: [1] }] }), 'a.0.b has 2 elements, the pattern has 1')
  t.equal(findDifference(undefined, []), 'value has undefined elements, the pattern has 0')
  t.equal(findDifference({ a: [1, 2], b: 3 }, { a: [1, Number] }), null)
})

t.test('match compares fields exactly, and looks for a string only in a text', async t => {
  t.equal(findDifference({ verdict: 'not slower' }, { verdict: 'slower' }), 'verdict is not equal to the pattern')
  t.equal(findDifference(['a b'], ['a']), '0 is not equal to the pattern')
  t.equal(findDifference({ a: '1' }, { a: 1 }), 'a is not equal to the pattern')
  t.equal(findDifference({}, { a: null }), 'a is not equal to the pattern')
  t.equal(findDifference({ params: { a: 1 } }, { params: {} }), 'params has fields, the pattern has none')
  t.equal(findDifference({ lines: ['a'] }, { lines: /a/ }), 'lines is an object, the pattern is a regular expression')
  t.equal(findDifference({ a: NaN, b: 'text', c: undefined }, { a: NaN, b: /ex/, c: undefined, d: undefined }), null)
  t.equal(findDifference('a text', 'text'), null)
})

t.test('throws requires the code of an error, or a message, or a class that no fault of the code has', async t => {
  const coded = Object.assign(new Error('text'), { code: 'bad-option' })
  for (const pattern of ['words', undefined, /text/, { message: 'text' }]) {
    t.equal(findVagueness(coded, pattern), 'code bad-option is not stated')
  }
  t.equal(findVagueness(coded, { code: 'bad-option' }), null)
  const plain = new RangeError('text')
  for (const pattern of ['words', undefined, {}, { exit: 2 }]) {
    t.equal(findVagueness(plain, pattern), 'neither class, code nor message is stated')
  }
  for (const pattern of [Error, TypeError, ReferenceError]) {
    t.equal(findVagueness(plain, pattern), 'a fault of the code has the same class')
  }
  for (const pattern of [RangeError, /text/, { message: 'text' }]) t.equal(findVagueness(plain, pattern), null)
})

t.test('a test file fails for each of these', async t => {
  const file = join(t.testdir({}), 'planted.mjs')
  writeFileSync(file, `
import t from ${JSON.stringify(join(project, 'test/support/tap.js'))}
const empty = []
t.test('', async () => {})
t.test('', async t => { t.match({ contrasts: [{}] }, { contrasts: empty }, 'without contrasts') })
t.test('', async t => { t.match({ name: 'ab' }, { name: 'a' }) })
t.test('', async t => { t.notMatch(undefined, /a/) })
t.test('', async t => { t.same({ a: 1 }, { a: '1' }, 'same') })
t.test('', async t => { t.throws(() => { throw new TypeError('a') }, 'words') })
t.test('', async t => { await t.rejects(Promise.reject(new TypeError('a')), TypeError) })
t.test('', async t => { t.test('', async t => { t.match([1], empty) }) })
t.match([1], empty)
t.match({ a: [1], b: 'text', c: { d: 1 } }, { a: [1], b: /t$/, c: {} }, 'fields')
t.match({ a: [1], b: 'text', c: { d: 1 } }, { a: [Number], b: /t$/, c: { d: 1 } }, 'an equal value passes')
`)
  const { stdout, exitCode } = await execa(process.execPath, [file], { reject: false })
  const { ok, results } = readResults(file, { stdout, exit: exitCode ?? null, seconds: 0 })
  t.equal(ok, false)
  t.strictSame(results.map(({ ok, name }) => [ok, name]), [
    [false, 'the subtest has no assertion'],
    [false, 'without contrasts: contrasts has 1 elements, the pattern has 0'],
    [false, 'name is not equal to the pattern'],
    [false, 'undefined matches no pattern'],
    [false, 'same'],
    [true, 'words'],
    [false, 'neither class, code nor message is stated'],
    [true, 'expected to reject'],
    [false, 'a fault of the code has the same class'],
    [false, 'value has 1 elements, the pattern has 0'],
    [false, 'value has 1 elements, the pattern has 0'],
    [false, 'fields: c has fields, the pattern has none'],
    [true, 'an equal value passes']
  ])
})

t.test('every test file imports the stricter tap', async t => {
  const files = readdirSync(join(project, 'test'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.js') && name !== 'support/tap.js')
  const importsTap = (/** @type {string} */ name) =>
    /^import .* from 'tap'$/m.test(readFileSync(join(project, 'test', name), 'utf8'))
  t.strictSame(files.filter(importsTap), [])
  t.ok(files.length > 500, `${files.length} files`)
})

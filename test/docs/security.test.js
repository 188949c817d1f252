/** Tests that SECURITY.md is short, and that each of its promises names a test or a behaviour that exists. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { loadBehaviours } from '../../bench/features/deploy/index.js'
import { PROJECT } from '../../bench/plan/plugins.js'

const MAX_WORDS = 1500
/** First columns of tables whose rows are promises. */
const PROMISES = ['source', 'promise']
/** Sections without a promise. */
const WITHOUT = ['Reporting a vulnerability', 'Files and settings']
/** Returns the file of a test. @type {((name: string) => string)[]} */
const FILES = [name => name, name => `test/features/deploy/kit/${name}`]

const text = readFileSync(join(PROJECT, 'SECURITY.md'), 'utf8')
const behaviours = await loadBehaviours()

/** Returns the tests and behaviours that a text names. @param {string} text */
const findTests = text => [...text.matchAll(/`([\w./-]+)`/g)].map(([, name]) => name)
  .filter(name => behaviours.has(name) ||
    (name.endsWith('.test.js') && FILES.some(toFile => existsSync(join(PROJECT, toFile(name))))))

/** Returns the rows of the tables with promises. @param {string} text */
const listPromises = text => text.split(/\n\n+/).filter(block => PROMISES.includes(block.split('|')[1]?.trim()))
  .flatMap(table => table.trim().split('\n').slice(2))

t.test('finds promises, and tests that exist', async t => {
  const table = '| promise | test |\n| --- | --- |\n| a | `b` |\n'
  t.strictSame(listPromises(`A text\n\n${table}\n| other | x |\n| --- | --- |\n| c | d |\n`), ['| a | `b` |'])
  t.strictSame(findTests('`header-aliases`, `context.test.js`, `test/docs/none.test.js`, `test/docs/docs.test.js`'),
    ['header-aliases', 'context.test.js', 'test/docs/docs.test.js'])
})

t.test('each promise names a test', async t => {
  const promises = listPromises(text)
  t.ok(promises.length > 15, `${promises.length} promises`)
  t.strictSame(promises.filter(row => findTests(row).length === 0), [])
  const sections = text.split(/^## /m).slice(1).filter(section => !WITHOUT.some(title => section.startsWith(title)))
  t.strictSame(sections.filter(section => findTests(section).length === 0).map(section => section.split('\n')[0]), [])
})

t.test('each named test exists', async t => {
  const named = [...text.matchAll(/`([\w./-]+\.test\.js)`/g)].map(([, name]) => name)
  t.strictSame(named.filter(name => findTests(`\`${name}\``).length === 0), [])
})

t.test(`has at most ${MAX_WORDS} words`, async t => {
  t.ok(text.split(/\s+/).filter(Boolean).length <= MAX_WORDS)
})

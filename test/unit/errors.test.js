import t from 'tap'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { catalog, explain, HopbenchError } from '../../bench/errors.js'

const project = fileURLToPath(new URL('../../', import.meta.url))
const page = readFileSync(join(project, 'docs/errors.md'), 'utf8')
const rows = [...page.matchAll(/^\| `([a-z-]+)` \| (\d) \| (.+?) \| (.+?) \|$/gm)].map(([, code, exit, meaning, remedy]) => ({ code, exit: Number(exit), meaning, remedy }))

const sources = ['bench', 'servers', 'proxy']
  .flatMap(folder => readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' }).map(name => join(folder, name)))
  .filter(file => file.endsWith('.js'))
  .map(file => ({ file, text: readFileSync(join(project, file), 'utf8') }))

/** Whatever an entry asks of its details, there is something: a text and a list in one. */
const anyDetails = new Proxy({}, { get: () => ['something'] })

t.test('docs/errors.md has a row for every code', async t => {
  const missing = Object.keys(catalog).filter(code => !rows.some(row => row.code === code))
  t.strictSame(missing, [], 'add a row to docs/errors.md for each of these')
})

t.test('docs/errors.md has no row for a code that there is not, and none twice', async t => {
  t.strictSame(rows.filter(({ code }) => !catalog[code]).map(({ code }) => code), [], 'take these rows out of docs/errors.md')
  t.equal(new Set(rows.map(({ code }) => code)).size, rows.length)
})

t.test('page and catalog agree on the exit codes', async t => {
  for (const { code, exit } of rows) t.equal(catalog[code]?.exit, exit, code)
})

t.test('every row is complete sentences', async t => {
  t.ok(rows.length > 20)
  for (const { code, meaning, remedy } of rows) {
    t.match(meaning, /^\S.*\.$/, `meaning of ${code}`)
    t.match(remedy, /^\S.*\.$/, `remedy of ${code}`)
  }
})

t.test('every error says what failed in sentences, and what to try', async t => {
  for (const [code, { exit, what, remedy }] of Object.entries(catalog)) {
    t.match(exit, /^[123]$/, code)
    t.match(what(anyDetails), /^\S.*[.?]$/, `what of ${code}`)
    t.match(String(remedy(anyDetails)), /\S/, `remedy of ${code}`)
    t.notMatch(what(anyDetails) + remedy(anyDetails), /undefined|\[object/, code)
  }
})

t.test('every code that is thrown is in the catalog', async t => {
  const thrown = sources.flatMap(({ file, text }) => [...text.matchAll(/new HopbenchError\(\s*'([^']+)'/g)].map(([, code]) => ({ file, code })))
  t.ok(thrown.length > 10, 'the search found them')
  t.strictSame(thrown.filter(({ code }) => !catalog[code]), [])
})

t.test('every code in the catalog is thrown somewhere', async t => {
  const used = Object.keys(catalog).filter(code => sources.some(({ file, text }) => file.startsWith('bench') && !file.endsWith('errors.js') && text.includes(`'${code}'`)))
  t.strictSame(Object.keys(catalog).filter(code => !used.includes(code)), [], 'take these out of bench/errors.js')
})

t.test('a code that is not in the catalog is a mistake in the code, found at once', async t => {
  t.throws(() => new HopbenchError('no-such-code'), TypeError)
})

t.test('a person is told what failed, the program\'s own last lines, and what to try', async t => {
  const output = Array.from({ length: 12 }, (_, line) => `line ${line}`).join('\n')
  const { text, exit } = explain(new HopbenchError('process-died', { name: 'nginx', how: 'ended with code 1', output }))
  t.equal(exit, 1)
  t.equal(text.split('\n')[0], 'nginx ended with code 1.')
  t.match(text, /\n {4}line 11\nTry: /)
  t.notMatch(text, 'line 3', 'only the last ones')
})

t.test('a failure that nobody foresaw says so', async t => {
  t.match(explain(new RangeError('oops')), { text: /^hopbench itself failed: oops\nTry: set HOPBENCH_DEBUG=1/, exit: 1 })
  t.match(explain('a string'), { text: /a string/, exit: 1 })
})

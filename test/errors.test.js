/**
 * Tests that the catalog of errors, docs/errors.md and the code that throws errors agree.
 *
 * test/errors.full.test.js triggers each error.
 */
import t from './support/tap.js'
import { PROJECT } from '../bench/plan/plugins.js'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { catalog, explain, HopbenchError, topics } from '../bench/errors.js'

/** @import { ErrorEntry } from '../bench/errors/words.js' */

const read = (/** @type {string} */ file) => readFileSync(join(PROJECT, file), 'utf8')
const codes = Object.keys(catalog)
/** @type {Record<string, ErrorEntry>} */
const entries = catalog

/** Sections of the page with their entries. */
const sections = read('docs/errors.md').split(/^## /m).slice(1).map(section => ({
  title: section.split('\n')[0],
  rows: [...section.matchAll(/^- `([a-z-]+)`( \(2\))?: (.+)$/gm)].map(([, code, misuse, text]) =>
    ({ code, exit: misuse ? 2 : 1, text }))
}))
const rows = sections.flatMap(({ rows }) => rows)

const sources = ['bench', 'servers', 'proxy']
  .flatMap(folder =>
    readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' }).map(name => join(folder, name))
  )
  .filter(file => file.endsWith('.js'))
  .map(file => ({ file, text: read(file) }))

/**
 * Files that throw errors whose code is not a literal, with the pattern that finds the codes.
 * @type {Record<string, RegExp | null>}
 */
const PASSED_ON = {
  // Errors of a worker, which arrive as data.
  'bench/errors.js': null,
  // Codes by the messages of ssh.
  'bench/load/hosts/ssh.js': /^ {2}\[\/.*\/i, '([a-z-]+)'\],?$/gm,
  // Machines that were lost, or that sent invalid data.
  'bench/load/hosts/process.js': /'(host-(?:lost|answer))'/g
}

/** File and code of each `new HopbenchError`. */
const made = sources.flatMap(({ file, text }) =>
  [...text.matchAll(/new HopbenchError\(\s*([^\s,)]*)/g)].map(([, first]) => ({
    file,
    code: /^'([a-z-]+)'$/.exec(first)?.[1] ?? null
  })
  )
)
const passedOn = Object.entries(PASSED_ON).flatMap(([file, codes]) =>
  codes === null ? [] : [...read(file).matchAll(codes)].map(([, code]) => code)
)
const thrown = [...made.flatMap(({ code }) => code ?? []), ...passedOn]

t.test('every code belongs to one topic', async t => {
  t.strictSame(Object.values(topics).flatMap(topic => Object.keys(topic)).sort(), codes.toSorted())
})

t.test('each topic has a section in docs/errors.md with the same codes', async t => {
  t.equal(sections.length, Object.keys(topics).length)
  for (const [i, [topic, entries]] of Object.entries(topics).entries()) {
    t.strictSame(sections[i].rows.map(({ code }) => code).sort(), Object.keys(entries).sort(),
      `"${sections[i].title}" of docs/errors.md, and ${topic}`)
  }
})

t.test('docs/errors.md has the exit codes of the catalog', async t => {
  for (const { code, exit } of rows) t.equal(entries[code].exit ?? 1, exit, code)
})

t.test('every entry of docs/errors.md says when the error happens and what to do', async t => {
  for (const { code, text } of rows) t.match(text, /^\S.+\. .+\.$/, code)
})

t.test('every error is created with a literal code, except errors that are passed on', async t => {
  t.strictSame([...new Set(made.filter(({ code }) => code === null).map(({ file }) => file))].sort(),
    Object.keys(PASSED_ON).sort())
})

t.test('the catalog contains exactly the codes that are thrown', async t => {
  t.strictSame([...new Set(thrown)].sort(), codes.toSorted(),
    'remove codes that nothing throws')
})

t.test('the constructor rejects a code that is not in the catalog', async t => {
  t.throws(() => new HopbenchError(/** @type {any} */ ('no-such-code'), {}),
    { message: 'error code "no-such-code" is not in the catalog' })
})

t.test('explains what failed, with the last lines of output and a remedy', async t => {
  const output = Array.from({ length: 12 }, (_, line) => `line ${line}`).join('\n')
  const { text, exit } = explain(new HopbenchError('process-died', { name: 'nginx', how: 'ended with code 1', output }))
  t.equal(exit, 1)
  t.equal(text.split('\n')[0], 'nginx ended with code 1.')
  t.match(text, /\n {4}line 11\nTry: [^\n]*last lines above/)
  t.notMatch(text, 'line 3', 'only the last lines')
})

t.test('does not refer to output when there is none', async t => {
  for (const output of [undefined, null, '', '\n']) {
    const { remedy } = new HopbenchError('not-ready', { name: 'nginx', seconds: 5, output })
    t.match(remedy, /^It wrote nothing; /)
  }
})

t.test('words an invalid option by its value, its presence or a missing part', async t => {
  const saying = (/** @type {object} */ details) =>
    new HopbenchError('bad-option', { option: '--it', why: 'so it is', ...details }).message
  t.equal(saying({ value: 'x' }), '--it cannot be "x": so it is.')
  t.equal(saying({ value: 0 }), '--it cannot be "0": so it is.')
  t.equal(saying({ value: true }), '--it is not possible here: so it is.')
  t.equal(saying({}), '--it is incomplete: so it is.')
})

t.test('reports an unexpected error as a failure of hopbench', async t => {
  t.match(explain(new RangeError('oops')), {
    text: /^hopbench itself failed: oops\nTry: .*HOPBENCH_DEBUG=1/,
    exit: 1
  })
  t.match(explain('a string'), { text: /a string/, exit: 1 })
})

t.test('explains a full disk and too many open files from any system call', async t => {
  const rejection = (/** @type {string} */ code, /** @type {object} */ more) =>
    Object.assign(new Error(`${code}: no`), { code, ...more })
  t.match(explain(rejection('ENOSPC', { path: '/tmp/x/lab.sh' })), {
    text: /^There is no space left to write \/tmp\/x\/lab\.sh; .*\nTry: Free some space/,
    exit: 1
  })
  t.match(explain(rejection('EDQUOT', { syscall: 'write' })).text, /no space left to write a file/)
  for (const code of ['EMFILE', 'ENFILE']) {
    t.match(explain(rejection(code, {})).text, /^No more files can be opened here: .*\nTry: .*ulimit -Hn 65536/)
  }
  t.match(explain(rejection('ENOENT', {})).text, /^hopbench itself failed/)
})

t.test('removes control characters from external text', async t => {
  const evil = '\u001b[2J\u001b]0;owned\u0007\u001b[31mred\u001b[0m\u009b1A\u0007\b\r\u007f\u202e\u001bc'
  const { text } = explain(new HopbenchError('suite-busy', { pid: 1, command: `${evil}hopbench run`, since: 'now' }))
  // eslint-disable-next-line no-control-regex
  t.notMatch(text, /[\0-\t\v-\u001f\u007f-\u009f\u202e]/)
  t.match(text, 'process 1, "redchopbench run"')
  t.match(explain(new HopbenchError('process-died', { name: 'it', how: 'ended', output: `a\tb\n${evil}` })).text,
    '\n    a b\n    redc\nTry: ')
  t.equal(explain(new Error(evil)).text.split('\n')[0], 'hopbench itself failed: redc')
})

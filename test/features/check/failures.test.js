import t from '../../support/tap.js'
import {
  checkFailures, checkForms, isRecommended, isUnsafe, toForms, toServerName
} from '../../../bench/judge/check-failures.js'
import { printReport } from '../../../bench/report/terminal.js'
import { readCheck } from '../../../bench/store/check-results.js'
import { REFERENCE_DIR } from '../../../bench/store/store.js'
import { serversKind } from '../../../bench/features/check/kind.js'
import { makeChain, makeServer as server } from '../../support/checked.js'

/** @import { CheckRecord } from '../../../bench/types.js' */
/** @import { Outcome } from '../../support/checked.js' */

const probes = [
  { name: 'head', title: 'HEAD has no body', topic: 'HEAD', rfc: 'RFC 9110, 9.3.2', safety: false },
  { name: 'dotfiles', title: 'dotfiles are not served', topic: 'Hidden files', rfc: null, safety: true },
  { name: 'replaced', title: 'a replaced file is whole', topic: 'Files', rfc: null, safety: false }
]
/** @type {(spec: string, outcomes: Outcome[]) => ReturnType<typeof makeChain>} */
const chain = (spec, outcomes) => makeChain(spec, probes, outcomes)

/** @type {CheckRecord} */
const record = {
  schema: 1,
  tools: {},
  seconds: 1,
  probes,
  servers: [
    server('good', [
      chain('good', [['pass', 'ok'], ['pass', '404'], ['differs-by-design', 'old bytes for more than 3000 ms']])
    ]),
    server('bad', [
      chain('bad', [['fail', 'the server ended with exit code 1', true], ['pass', '404'], ['pass', 'ok']]),
      chain('nginx:uds/bad', [['fail', 'GET /: the proxy got no answer (502); the server ended with exit code 1',
        true], ['fail', '/.env is served'], ['pass', 'ok']])
    ]),
    server('missing', [{
      spec: 'missing',
      proxy: null,
      transport: null,
      error: 'the package is not installed',
      results: []
    }])
  ]
}

t.test('merges the failures of all chains, safety first, and counts a crash as a safety failure', async t => {
  t.strictSame(checkFailures(record, 'good'), [])
  t.match(checkFailures(record, 'bad'), [
    {
      name: 'head',
      safety: true,
      died: true,
      saw: 'the server ended with exit code 1',
      chains: ['bad', 'nginx:uds/bad']
    },
    { name: 'dotfiles', safety: true, died: false, chains: ['nginx:uds/bad'] }
  ])
})

t.test('ignores a failure of an older check that had no connection, unless the server died', async t => {
  const refused = 'GET /: the connection ended without a response (connect ECONNREFUSED 127.0.0.1:8081)'
  const older = { ...record, servers: [server('bad', [chain('bad', [['fail', refused], ['fail', refused, true]])])] }
  t.match(checkFailures(older, 'bad'), [{ name: 'dotfiles', died: true }])
  t.equal(checkFailures(older, 'bad')?.length, 1)
})

t.test('returns null for a server that was not checked or could not be started', async t => {
  t.equal(checkFailures(record, 'missing'), null)
  t.equal(checkFailures(record, 'other'), null)
  t.equal(checkFailures(null, 'good'), null)
})

/** The record with a recommended form of `bad`, whose remaining failure is not of safety. @type {CheckRecord} */
const bothForms = {
  ...record,
  servers: [
    record.servers[0],
    record.servers[1],
    {
      ...server('bad+production', [chain('bad+production', [['pass', 'ok'], ['pass', '404'], ['fail', 'too long']])]),
      about: /** @type {any} */ ({ production: { settings: { "dotfiles: 'ignore'": ['dotfiles'] } } })
    }
  ]
}

t.test('a server has its failures as shipped and as recommended', async t => {
  const { shipped, recommended, hasBoth } = checkForms(bothForms, 'bad')
  t.strictSame(shipped?.map(({ name }) => name), ['head', 'dotfiles'])
  t.match(recommended, [{ name: 'replaced', safety: false, chains: ['bad+production'] }])
  t.equal(hasBoth, true)
  t.match(checkForms(record, 'bad'), { shipped: { length: 2 }, recommended: { length: 2 }, hasBoth: false },
    'a server without recommended settings has one form')
  t.strictSame(checkForms(record, 'other'), { shipped: null, recommended: null, hasBoth: false })
  for (const name of ['bad', 'files']) {
    const forms = toForms(name)
    t.strictSame(Object.values(forms).map(toServerName), [name, name])
    t.strictSame(Object.values(forms).map(isRecommended), [false, true])
  }
})

t.test('prints both forms of a server in two columns, and judges by the recommended one', async t => {
  const text = printReport(bothForms, serversKind)
  t.match(text, /A.good.1\.0\.0, B.bad.1\.0\.0, B\*.bad\+production.1\.0\.0/)
  t.match(text, /^ +A +B +B\*$/m)
  t.match(text, /^ {2}head +ok +DIES +ok$/m)
  t.match(text, /^bad\+production: 1 of 3 probes failed\n- recommended settings: dotfiles: 'ignore'\n/m)
  const answerOf = (/** @type {CheckRecord} */ record) => serversKind.answer(record).text
  t.equal(answerOf(bothForms), 'None of 2 servers fails a probe of safety. As shipped, and not with recommended ' +
    'settings, bad fails one, too. No failure at all: good.')
  t.equal(answerOf({ ...bothForms, servers: bothForms.servers.slice(1) }), 'bad as shipped fails 2 of 3 probes, 2 ' +
    'of safety; with its recommended settings it fails 1 of 3 probes, none of safety.')
})

t.test('a server is unsafe when it fails a safety probe', async t => {
  t.equal(isUnsafe(checkFailures(record, 'bad')), true)
  t.equal(isUnsafe(checkFailures(record, 'good')), false)
  t.equal(isUnsafe(null), false)
})

t.test('fits the text into its columns and names the chain of each failure', async t => {
  const text = printReport(record, serversKind)
  for (const line of text.split('\n')) t.ok(line.length <= 80, line)
  t.match(text, /A good 1\.0\.0/)
  t.match(text, /head +ok +DIES/)
  t.match(text, /bad: 2 of 3 probes failed, 2 of them of safety/)
  t.match(text, /- SAFETY head \(RFC 9110, 9\.3\.2\): the server ended with exit code 1$/m)
  t.match(text, /- SAFETY dotfiles: \/\.env is served \(nginx:uds only\)/)
  t.match(text, /^a replaced file: old bytes for more than 3000 ms/m)
  t.match(text, /missing could not be started: the package is not installed/)
})

t.test('splits servers over several tables when they do not fit', async t => {
  const many = {
    ...record,
    servers: Array.from({ length: 20 }, (_, i) => ({ ...record.servers[0], name: `server-${i}` }))
  }
  const text = printReport(many, serversKind)
  t.equal(text.match(/^ {2}head /gm)?.length, 3)
  for (const line of text.split('\n')) t.ok(line.length <= 80, line)
})

t.test('answers with the servers that fail a probe of safety', async t => {
  const checked = /** @type {CheckRecord} */ (await readCheck(REFERENCE_DIR))
  const answerOf = (/** @type {CheckRecord} */ record) => serversKind.answer(record).text
  t.match(answerOf(checked), /^\d+ of \d+ servers fail a probe of safety: .*\bnode-static\b.*\. No failure at all: /)
  const one = (/** @type {string} */ name) =>
    answerOf({ ...checked, servers: checked.servers.filter(server => server.name === name) })
  t.equal(one('connect-static'), 'connect-static passes every probe.')
  t.match(one('st'), /^st fails \d+ of \d+ probes, \d+ of safety\.$/)
  t.equal(answerOf({ ...checked, servers: [] }), 'No server could be checked.')
})

/** Tests the parsing of files that Locust 2.47.0 has written. */
import { readFileSync } from 'node:fs'
import t from '../support/tap.js'
import locust from '../../bench/engines/locust.js'
import { toMeasurement } from '../../bench/load/generators/locust/csv-report.js'

/** @param {string} file */
const written = file => readFileSync(new URL(`../support/reference/locust/${file}`, import.meta.url), 'utf8')

/** Report of 40 users during 3 s against nginx with 10 connections. */
const STATS = written('stats.csv')
const HISTORY = written('history.csv')
const FAILURES = written('failures.csv')
const LOG = written('log.txt')
const HEAD = FAILURES.split('\n')[0]
const real = { stats: STATS, history: HISTORY, failures: FAILURES, log: LOG }
/** @param {string} lines */
const failing = lines => toMeasurement({ ...real, failures: `${HEAD}\n${lines}\n` })

t.test('reads requests, errors by kind, latencies and the measured time', async t => {
  const { requests, errors, seconds, latencyMs, bytes } = toMeasurement(real)
  t.same({ requests, errors, bytes }, {
    requests: 456,
    errors: { non2xx: 0, timeouts: 0, resets: 24, mismatches: 0 },
    bytes: null
  })
  t.ok(seconds !== null && Math.abs(seconds - 480 / 173.52) < 0.001)
  t.match(latencyMs, { p50: 11, p90: 16, p95: 19, p99: 22, rate: null, source: /users that wait/ })
  t.ok(latencyMs && latencyMs.max > 46 && latencyMs.max < 47)
})

t.test('computes the rate of each second from two lines of the history', async t => {
  t.same(toMeasurement(real).users, [
    { second: 1, users: 40, rps: 160, failures: 12, p50: null, p95: null },
    { second: 2, users: 40, rps: 160, failures: 4, p50: 11, p95: 21 }
  ])
})

/** @param {[at: number, users: number, requests: number][]} rows */
const historyOf = rows =>
  [HISTORY.split('\n')[0], ...rows.map(([at, users, requests]) =>
    `${at},${users},,Aggregated,0,0,5,5,5,5,5,5,5,5,5,5,5,${requests},0,5,5,5,5,5`
  )].join('\n')

t.test('spreads delayed reports of workers over the preceding seconds', async t => {
  const { users = [] } = toMeasurement({
    ...real,
    history: historyOf([[10, 0, 0], [11, 5, 0], [12, 10, 0], [13, 10, 30], [14, 10, 30], [16, 10, 60], [17, 0,
      60]])
  })
  t.same(users.map(({ second, rps }) => [second, rps]), [[1, 10], [2, 10], [3, 10], [4, 10], [6, 10]])
})

t.test('handles a history with repeated or skipped seconds', async t => {
  const { users = [] } = toMeasurement({
    ...real,
    history: historyOf([[10, 5, 10], [10, 5, 12], [12, 5, 30], [13, 0, 30]])
  })
  t.same(users.map(({ second, rps }) => [second, rps]), [[1, 10], [3, 10]])
  t.same(toMeasurement({ ...real, history: historyOf([]) }).users, [])
  t.same(toMeasurement({ ...real, history: historyOf([[1, 0, 0]]) }).users, [])
})

t.test('groups failures by kind and maps each kind to an error', async t => {
  const { errors, failures } = failing([
    'GET,/page.html,HTTPConnectionClosed(\'connection closed.\'),24',
    'GET,/page.html,"ConnectionRefusedError(111, \'Connection refused\')",10',
    'GET,/page.html,"ConnectionResetError(104, \'Connection reset by peer\')",3',
    'GET,/page.html,"RetriesExceeded(\'http://127.0.0.1:8099/page.html\', 0, original=timed out)",5',
    'GET,/page.html,"BadStatusCode(\'http://127.0.0.1:8080/nothing\', code=404)",7',
    'GET,/page.html,"HTTPError(\'502 Server Error: Bad Gateway for url: http://127.0.0.1:8080/\')",1'
  ].map(line => `${line},2026-11-21T22:41:57Z,2026-11-21T22:41:59Z`).join('\n'))
  t.same(errors, { non2xx: 8, timeouts: 5, resets: 37, mismatches: 0 })
  t.same(failures?.[0], { kind: 'HTTPConnectionClosed(\'connection closed.\')', count: 24 })
  t.ok(failures?.every(({ kind }) => !kind.includes('127.0.0.1')), 'addresses are not part of a kind')
})

t.test('returns no latencies without a response', async t => {
  const refused = STATS.replaceAll(',480,24,', ',10,10,')
  const { requests, latencyMs, seconds } = toMeasurement({
    ...real,
    stats: refused,
    failures: `${HEAD}\nGET,/,"ConnectionRefusedError(111, 'Connection refused')",10,a,b\n`
  })
  t.same({ requests, latencyMs }, { requests: 0, latencyMs: null })
  t.ok(seconds !== null && seconds > 0)
  const nothing = `${STATS.split('\n')[0]}\n,Aggregated,0,0,0,0.0,0,0,0,0.0,0.0${',N/A'.repeat(11)}\n`
  const unused = toMeasurement({ ...real, stats: nothing, failures: `${HEAD}\n` })
  t.strictSame([unused.requests, unused.latencyMs, unused.seconds, unused.failures], [0, null, null, []])
})

t.test('keeps each warning of Locust once', async t => {
  t.same(toMeasurement(real).notes, [
    'Your selected spawn rate is very high (>100), and this is known to sometimes cause issues. Do you really need ' +
    'to ramp up that fast?',
    'CPU usage above 90%! This may constrain your throughput'
  ])
})

t.test('rejects missing, truncated or invalid files and those of another version', async t => {
  /** @type {[name: string, files: object, message: RegExp][]} */
  const cases = [
    ['no totals', { stats: null }, /has left no stats$/],
    ['no history', { history: null }, /has left no history$/],
    ['no failures', { failures: null }, /has left no failures$/],
    ['empty totals', { stats: '' }, /have no column "Name"$/],
    ['without its last row', { stats: STATS.split('\n').slice(0, 2).join('\n') }, /has no row "Aggregated"$/],
    ['cut off in a row', { stats: STATS.slice(0, -40) }, /^line 3 of the CSV has 11 fields$/],
    ['a history that was cut off', { history: HISTORY.slice(0, -30) }, /^line 10 of the CSV has 22 fields$/],
    ['garbage', { stats: 'garbage' }, /have no column "Name"$/],
    ['an unclosed quote', { failures: `${HEAD}\nGET,/,"Connection` }, /^line 2 of the CSV has a wrong quote$/],
    ['another column', { stats: STATS.replace('Request Count', '# requests') }, /have no column "Request Count"$/],
    ['another name for a percentile', { history: HISTORY.replace('95%', 'p95') }, /have no column "95%"$/],
    ['an invalid number', { stats: STATS.replaceAll(',480,', ',many,') }, /"Request Count" holds "many"$/],
    ['half a request', { stats: STATS.replaceAll(',480,', ',480.5,') }, /"Request Count" holds "480\.5"/]
  ]
  for (const [name, files, message] of cases) t.throws(() => toMeasurement({ ...real, ...files }), { message }, name)
})

t.test('starts a process for each core', async t => {
  const load = { engine: 'locust', connections: 10, path: '/', headers: {}, perUserPerSecond: 1 }
  const argv = (/** @type {number | undefined} */ cores) =>
    locust.command(load, { url: 'http://a', socketPath: null, expectBody: null }, {
      program: 'python',
      dir: '/d',
      maxSeconds: 5,
      cores
    }).processes[0].argv
  for (const cores of [undefined, 1]) t.notOk(argv(cores).includes('--processes'))
  t.match(argv(4).join(' '), /--processes 4/)
})

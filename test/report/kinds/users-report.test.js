/** Tests the reports of users in a terminal, on the page and in exports. */
import { parse as parseCsv } from 'csv-parse/sync'
import t from '../../support/tap.js'
import { usersCsv } from '../../../bench/report/page/csv.js'
import { overTimeSection } from '../../../bench/report/over-time.js'
import { findWarnings } from '../../../bench/judge/warnings.js'
import { findFault } from '../../../bench/store/record-format.js'
import { summarize } from '../../../bench/judge/summary.js'
import { parse } from '../../../bench/plan/spec.js'
import { makeArm, makePlan, makeRecord, makeSample } from '../../support/record.js'
import { renderText, toAnswer } from '../../support/rendered.js'
import { renderPage, renderSvg } from '../../support/rendered-page.js'

/** @import { ArmResult, UserPoint } from '../../../bench/types.js' */

/**
 * Makes a point for each second of a series of users.
 * @param {number} seconds
 * @param {number} users
 * @param {Partial<UserPoint>} [more]
 * @returns {UserPoint[]}
 */
const course = (seconds, users, more = {}) =>
  Array.from({ length: seconds },
    (_, i) => ({
      second: i + 1,
      users: Math.min(users, (i + 1) * 100),
      rps: 1000,
      failures: 0,
      p50: 2,
      p95: 9,
      ...more
    }))

/**
 * Makes the result of an arm with users.
 * @param {string} name
 * @param {number} connections
 * @param {Partial<ArmResult>} more
 */
const arm = (name, connections, more = {}) => makeArm({
  name,
  spec: 'nginx+connections=1024/files',
  load: { engine: 'locust', connections, path: '/page.html', headers: {}, spawnPerSecond: 100, perUserPerSecond: 1 },
  rps: { median: 1500, low: 1490, high: 1510 },
  cpuMicrosPerRequest: { load: 600, proxy: 50, server: 0 },
  memoryMiB: { proxy: 9, server: 0 },
  latencyMs: { p50: 3, p90: 8, p95: 12, p99: 40, max: 120, rate: null, source: 'Locust, users that wait' },
  failures: [],
  ...more
})

const failed = arm('default 2000', 2000, {
  users: course(30, 2000, { failures: 1.5 }),
  errors: { non2xx: 0, timeouts: 1, resets: 44, mismatches: 0 },
  failures: [{ kind: "ConnectionResetError(104, 'Connection reset by peer')", count: 44 }, {
    kind: 'timed out',
    count: 1
  }],
  errorLog: [{ text: '[warn] 1024 worker_connections are not enough, reusing connections', count: 21 }],
  notes: ['CPU usage above 90%! This may constrain your throughput']
})
const held = arm('tuned 6000', 6000, { users: course(30, 6000), spec: 'nginx+connections=10240/files' })
const record = makeRecord({
  experiment: 'users',
  protocol: 'series',
  arms: [failed, held],
  contrasts: [],
  claims: [],
  noiseFloor: null,
  plan: makePlan({ experiment: 'users', protocol: 'series', contrasts: [], twin: null, claims: [] }),
  slowerUsers: { capacity: 3000, share: 0.5, arms: [{ arm: 'tuned 6000', users: 6000, wanted: 1, used: 0.25 }] }
})
const samples = [failed, held].map(({ name, users, failures, errorLog, notes }) =>
  makeSample({ arm: name, users, failures, ...errorLog && { errorLog }, ...notes && { notes } })
)

t.test('prints arms, latencies, kinds of errors, the error log and the notes of the generator', async t => {
  const text = renderText({ ...record, warnings: findWarnings(record) }, { columns: 80 })
  t.match(text, /default 2000 +2,000 +2,000 +1,500 +3\.00 +12\.0 +45 +90 % +8 % +9/)
  t.match(text, /^default 2000 +44 +ConnectionResetError/m)
  t.match(text, /^"\[warn\] 1024 worker_connections are not enough, reusing connections": default\s+2000 21 times$/m)
  t.match(text, /^default 2000: "CPU usage above 90%!/m)
  t.match(text.replace(/\s+/g, ' '),
    new RegExp(String.raw`Each user made fewer requests a second than planned: in tuned 6000 0\.250 instead ` +
      String.raw`of 1\.00\. locust makes at most 3,000 requests a second here, and 50 % of that is used`))
  t.notMatch(text, /closed loop|Noise floor|The fastest is|Relative throughput|undefined|NaN/)
  for (const line of text.split('\n')) t.ok(line.length <= 80, line)
})

t.test('names the arms that held their users without an error', async t => {
  t.equal(toAnswer(record),
    'No request failed with tuned 6000 (6,000 users). Requests failed with default 2000 (2,000 users): 45.')
  t.equal(toAnswer({ ...record, arms: [held] }), 'No request failed with tuned 6000 (6,000 users).')
})

t.test('the page has a chart and a table for each figure over time', async t => {
  const html = renderPage({ record, samples, configs: [], check: null })
  for (const id of ['saw', 'users', 'users-rate', 'users-p50', 'users-p95', 'users-failures', 'failures',
    'error-log']) t.match(html, new RegExp(`<section id="${id}">`), id)
  t.match(html, /1024 worker_connections are not enough/)
  t.match(html, /data-name="[^"]*-users\.csv"/)
  t.notMatch(html, /undefined|NaN|closed loop/)
  t.match(renderSvg(record), /^<\?xml/)
})

t.test('omits users from a run without users', async t => {
  const plain = makeRecord()
  t.equal(usersCsv([makeSample()]), null)
  t.notMatch(renderPage({ record: plain, samples: [makeSample()], configs: [], check: null }),
    /users\.csv|id="saw"|id="error-log"/)
})

t.test('prints the error log of runs without users', async t => {
  const log = (/** @type {number} */ count) => [{ text: '[crit] connect() failed', count }]
  const arms = [makeArm({ errorLog: log(3) }), makeArm({ name: 'tcp', errorLog: log(1) })]
  t.match(renderText(makeRecord({ arms })), /^"\[crit\] connect\(\) failed": keepalive 3 times and tcp 1 time$/m)
})

t.test('exports a CSV line for each second of each trial', async t => {
  const rows = parseCsv(String(usersCsv(samples)), { columns: true })
  t.equal(rows.length, 60)
  t.same(rows[0], {
    arm: 'default 2000',
    block: '0',
    second: '1',
    users: '100',
    rps: '1000',
    failures: '1.5',
    p50: '2',
    p95: '9'
  })
})

t.test('thins out a series and keeps its first and last second', async t => {
  const figure = { label: 'users', getValue: () => 1, print: String }
  const { blocks } = overTimeSection({ id: 'x', title: '' }, [{ name: 'it', points: course(120, 6000) }], figure)
  const { rows, shown } = /** @type {{ rows: number[], shown: number[] }} */ (blocks[1])
  t.equal(rows.length, 120)
  t.ok(shown.length <= 17)
  t.same([shown[0], shown.at(-1)], [1, 120])
  t.same(overTimeSection({ id: 'x', title: '' }, [{ name: 'it', points: [] }], figure).blocks, [])
})

t.test('merges trials by medians for each second and sums for each kind', async t => {
  const spec = 'nginx+connections=1024/files'
  const plan = makePlan({
    arms: [{ name: 'it', spec, topology: parse(spec), load: failed.load, twinOf: null }],
    contrasts: [],
    twin: null,
    claims: []
  })
  const trial = (/** @type {number} */ block, /** @type {number} */ p95) =>
    makeSample({
      arm: 'it',
      block,
      users: [{ second: 1, users: 10, rps: block, failures: 0, p50: null, p95 }],
      failures: [{ kind: 'a', count: 2 }],
      errorLog: [{ text: `${block} are not enough`, count: 1 }],
      notes: ['slow']
    })
  const { arms: [result] } = summarize({
    plan,
    samples: [trial(0, 3), trial(1, 9), trial(2, 4)],
    cores: { load: [0], served: [1] }
  })
  t.match(result, {
    users: [{ second: 1, users: 10, rps: 1, p50: null, p95: 4 }],
    failures: [{ kind: 'a', count: 6 }],
    errorLog: [{ count: 3 }],
    notes: ['slow']
  })
})

t.test('records and samples match results/schema.json', async t => {
  t.equal(findFault('record', JSON.parse(JSON.stringify(record))), null)
  for (const sample of samples) t.equal(findFault('sample', JSON.parse(JSON.stringify(sample))), null)
  t.match(findFault('sample', { ...makeSample(), users: [{ second: 1 }] }), /users/)
  t.match(findFault('sample', { ...makeSample(), errorLog: [{ text: 1 }] }), /errorLog/)
})

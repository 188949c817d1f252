/** Response times of requests to an app apart from those for its files: from the windows to the reports. */
import t from '../support/tap.js'
import { computeArmResult } from '../../bench/judge/arm-result.js'
import { combineLatenciesByKind } from '../../bench/judge/latency-by-kind.js'
import { judgeOpenLoop } from '../../bench/judge/open-loop.js'
import { tableCsv } from '../../bench/report/page/csv.js'
import { pageTable } from '../../bench/report/table.js'
import { loadTable } from '../../bench/report/kinds/latency.js'
import { openLoopTable, openLoopTitle } from '../../bench/report/open-loop.js'
import { kindOf } from '../../bench/run/kinds.js'
import { findFault } from '../../bench/store/record-format.js'
import { histogramOf } from '../support/histogram.js'
import { makeArm, makePlan, makeRecord, makeSample } from '../support/record.js'
import { renderText, toAnswer } from '../support/rendered.js'

/** @import { ArmResult, Measurement, OpenLoop, Sample } from '../../bench/types.js' */

const NOTHING = histogramOf()
const percentiles = { p50: 2, p90: 3, p95: 4, p99: 5, max: 6 }
const latencyMs = { ...percentiles, rate: 420, source: 'paced, open loop' }
/** @param {number} ms of every response */
const kindLatency = ms => ({ responses: 1200, p50: ms, p90: ms, p95: ms, p99: ms, max: ms })

t.test('percentiles are of the responses of all windows together', t => {
  const windows = [
    { latencyByKind: { app: histogramOf(...Array(99).fill(1000)), files: NOTHING } },
    { latencyByKind: { app: histogramOf(9000), files: NOTHING } },
    {}
  ]
  const byKind = combineLatenciesByKind(windows)
  t.match(byKind, { files: null, app: { responses: 100, p50: 1, p99: 1, max: 9, p99Range: { low: 1, high: 9 } } })
  t.equal(combineLatenciesByKind([{}, {}]), null)
  t.end()
})

t.test('the result of an arm and of an open loop have them, and the formats accept them', t => {
  const sample = makeSample({
    latencyMs,
    latencyByKind: { app: histogramOf(4000), files: histogramOf(800, 900) },
    requestsPerUnit: 21,
    lagMs: { p50: 0.1, p99: 0.4, max: 2 }
  })
  t.equal(findFault('sample', JSON.parse(JSON.stringify(sample))), null)
  const plan = makePlan()
  const [arm] = plan.arms
  const samples = [{ ...sample, arm: arm.name }]
  const result = computeArmResult({
    arm, samples, blocks: new Map([[sample.block, 1]]), failure: null, cores: { load: [0], served: [1] }
  })
  t.match(result.latencyByKind, { app: { responses: 1, p99: 4 }, files: { responses: 2 } })
  t.equal(result.lagP99Ms, 0.4)
  const [open] = judgeOpenLoop({ ...plan, arms: [arm] }, samples, new Map())
  t.match(open.latencyByKind, { app: { responses: 1 } })
  t.end()
})

/**
 * @param {string} of
 * @param {number} share
 * @param {number} ms
 */
const step = (of, share, ms) => makeArm({
  name: `${of} ${share * 100} %`,
  ladder: { of, step: share === 0.5 ? 0 : 1 },
  load: { engine: 'paced', connections: 400, path: '/', headers: {}, share, paths: ['/', '/a'] },
  latencyMs,
  latencyByKind: { app: kindLatency(ms), files: kindLatency(0.7) }
})
const record = makeRecord({
  unit: 'pages',
  plan: makePlan({ protocol: 'rates', result: 'latency', answer: { by: 'latency' }, twin: null }),
  arms: [step('app', 0.5, 7), step('app', 0.75, 17), step('nginx', 0.5, 6), step('nginx', 0.75, 6.5)],
  contrasts: []
})

t.test('reports print the response times of the app, and those of files beside them', t => {
  t.equal(toAnswer(record), 'The 99th percentile of response time of requests to the app is 7.00 ms with app and ' +
    '6.00 ms with nginx at 50 % of the lowest peak, 17.0 ms and 6.50 ms at 75 %.')
  t.match(renderText(record), /Response time in ms of requests to the app, by offered rate/)
  const { head, rows } = pageTable(loadTable(record))
  const headings = head.map(({ text }) => text)
  t.ok(headings.includes('pages/s'))
  t.same(rows.map(row => row[headings.indexOf('p99, ms')]), ['7.00', '17.0', '6.00', '6.50'])
  t.same(rows.map(row => row[headings.indexOf('files p99, ms')]), Array(4).fill('0.700'))
  t.match(tableCsv(record).split('\n')[0], /appResponses,appP50,appP99,filesResponses,filesP50,filesP99/)
  t.notMatch(tableCsv(makeRecord()), /appP99/)
  t.end()
})

t.test('an answer has the range of the p99 where it is wanted', t => {
  const [first, ...others] = record.arms
  const app = { ...kindLatency(7), p99Range: { low: 6, high: 31 } }
  const ranged = { ...record, arms: [{ ...first, latencyByKind: { app, files: null } }, ...others] }
  t.equal(kindOf(ranged).answer(ranged, { ranges: true }).text,
    'The 99th percentile of response time of requests to the app (range of its trials) is 7.00 ms (6.00 to 31.0) ' +
    'with app and 6.00 ms with nginx at 50 % of the lowest peak, 17.0 ms and 6.50 ms at 75 %.')
  t.equal(toAnswer(ranged), toAnswer(record))
  t.end()
})

t.test('claims no percentile of too few responses', t => {
  const withResponses = (/** @type {number} */ responses) => {
    const latencyByKind = { app: { ...kindLatency(7), responses }, files: null }
    return { ...record, arms: record.arms.map(arm => ({ ...arm, latencyByKind })) }
  }
  const few = withResponses(999)
  t.match(toAnswer(few), /^The 90th percentile of response time of requests to the app is 7.00 ms/)
  const { head, rows } = pageTable(loadTable(few))
  t.equal(rows[0][head.findIndex(({ text }) => text === 'p99, ms')], '–')
  t.match(toAnswer(withResponses(99)), /^The median of response time/)
  t.end()
})

t.test('the table at one rate prints the app\'s percentiles, and its closed loop in requests', t => {
  /** @type {OpenLoop} */
  const openLoop = {
    rate: 400,
    windowSeconds: 6,
    arms: [{
      name: 'keepalive',
      windows: 3,
      sustained: true,
      answeredPerSecond: 400,
      latencyMs,
      latencyByKind: { app: kindLatency(8), files: null },
      responses: 30_000,
      errors: { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 },
      why: null
    }]
  }
  const load = { engine: 'wrk', connections: 100, path: '/', headers: {}, paths: ['/', '/a'] }
  const arms = [makeArm({ load, rps: { median: 100, low: 90, high: 110 } })]
  t.match(openLoopTitle(openLoop), /of requests to the app, open loop, at 400 requests a second/)
  const { head, rows: [row] } = pageTable(openLoopTable({ arms, unit: 'pages' }, openLoop))
  const cellOf = (/** @type {string} */ name) => row[head.findIndex(({ text }) => text === name)]
  t.equal(cellOf('closed loop, req/s'), '200')
  t.equal(cellOf('p99, ms'), '8.00')
  t.equal(cellOf('responses'), '1,200')
  t.end()
})

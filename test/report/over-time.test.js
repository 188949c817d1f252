/** @import { ArmResult, SeriesPoint } from '../../bench/types.js' */
import t from '../support/tap.js'
import { combineLatencies } from '../../bench/judge/arm-result.js'
import { unitOf } from '../../bench/shared/units.js'
import { findWarnings } from '../../bench/judge/warnings.js'
import { makeArm, makePlan, makeRecord } from '../support/record.js'
import { renderText } from '../support/rendered.js'

/**
 * Makes a series with a point for each second.
 * @param {number} seconds
 * @param {(second: number) => Partial<SeriesPoint>} of
 * @returns {SeriesPoint[]}
 */
const seriesOf = (seconds, of) =>
  Array.from({ length: seconds }, (_, i) => ({ second: i + 1, rate: 6400, errors: 0, timeWait: null, ...of(i + 1) }))

/**
 * Returns the lines below a heading up to the next empty line.
 * @param {string} text
 * @param {string} title
 */
const section = (text, title) => {
  const lines = text.split('\n')
  const from = lines.indexOf(title)
  return from === -1 ? [] : lines.slice(from + 1, lines.indexOf('', from))
}

t.test('prints a series second by second, with the sockets in TIME_WAIT', async t => {
  const arms = [
    makeArm({
      name: 'reuse 0',
      series: seriesOf(6,
        second => second > 4 ? { rate: 471, errors: 9000, timeWait: 28231 } : { timeWait: 6400 * second })
    }),
    makeArm({ name: 'uds', series: seriesOf(6, () => ({ rate: 9876 })) })
  ]
  const text = renderText(makeRecord({ protocol: 'series', arms, contrasts: [], claims: [] }))
  const rates = section(text, 'req/s second by second').map(line => line.trim().split(/ {2,}/))
  t.strictSame(rates, [['s', 'reuse 0', 'uds'], ...[1, 2, 3, 4].map(s => [`${s}`, '6,400', '9,876']), ['5', '471',
    '9,876'], ['6', '471', '9,876']])
  const waiting = section(text, 'Sockets in TIME_WAIT second by second').map(line => line.trim().split(/ {2,}/))
  t.strictSame(waiting.at(-1), ['6', '28,231', '–'])
})

t.test('thins out a long series and keeps its first and last second', async t => {
  const arms = [makeArm({ name: 'tcp', series: seriesOf(100, () => ({})) })]
  const rows = section(renderText(makeRecord({ protocol: 'series', arms, contrasts: [] })), 'req/s second by second')
  t.ok(rows.length <= 17, `${rows.length} lines`)
  t.match(rows[1], /^\s*1\s/)
  t.match(rows.at(-1), /^\s*100\s/)
})

t.test('omits the sockets in TIME_WAIT when they were not counted', async t => {
  const text = renderText(makeRecord({ protocol: 'series', arms: [makeArm({ series: seriesOf(3, () => ({})) })] }))
  t.notMatch(text, /TIME_WAIT/)
})

/**
 * Makes the arm of one step of a ladder.
 * @param {string} of
 * @param {number} connections
 * @param {Partial<ArmResult>} more
 */
const step = (of, connections, more = {}) =>
  makeArm({
    name: `${of} c${connections}`,
    ladder: { of, step: connections > 100 ? 1 : 0 },
    load: { engine: 'wrk', connections, path: '/', headers: {} },
    ...more
  })
/** @type {Partial<ArmResult>} */
const beyond = {
  trials: 3,
  rps: null,
  invalidTrials: [{ block: 0, reason: { code: 'beyond-first-errors', params: { connections: 100 } } }]
}

t.test('prints a ladder step by step up to the first errors', async t => {
  const arms = [
    step('nginx', 100),
    step('nginx', 10000),
    step('prefork', 100, { errors: { non2xx: 0, timeouts: 0, resets: 12, mismatches: 0 } }),
    step('prefork', 10000, beyond),
    step('nginx c100 (twin)', 100)
  ]
  const plan = makePlan({ protocol: 'ladder', twin: { arm: 'nginx c100 (twin)', of: 'nginx c100' } })
  const record = makeRecord({ protocol: 'ladder', arms, contrasts: [], claims: [], plan })
  const rows = section(renderText(record), 'req/s by connections, up to the first errors')
    .map(line => line.trim().split(/ {2,}/))
  t.strictSame(rows, [['arm', 'c100', 'c10,000'], ['nginx', '12,350', '12,350'], ['prefork', 'errors', '–']])
  t.notOk(findWarnings(record).some(({ code }) => code === 'invalid-trials'),
    'does not warn of steps that were skipped after the first errors')
})

/**
 * Makes latencies with this p99, in ms.
 * @param {number} p99
 * @param {number | null} rate
 */
const latency = (p99, rate) => ({ p50: p99 / 9, p90: p99 / 3, p95: p99 / 2, p99, max: p99 * 2, rate, source: 'paced' })

t.test('prints the range of p99 over the blocks at offered rates', async t => {
  const blocks = [12, 9, 40].map(p99 => ({ latencyMs: latency(p99, 500) }))
  const latencyMs = combineLatencies([...blocks, { latencyMs: null }])
  t.match(latencyMs, { p99: 12, p99Range: { low: 9, high: 40 } })
  t.notOk('p99Range' in (combineLatencies([{ latencyMs: latency(5, null) }]) ?? {}), 'a closed loop has no rate')
  /** @param {Partial<ArmResult>} more */
  const text = more => renderText(makeRecord({
    protocol: 'rates',
    contrasts: [],
    claims: [],
    arms: [makeArm({
      name: 'app 90 %',
      ladder: { of: 'app', step: 0 },
      load: { engine: 'paced', connections: 400, path: '/', headers: {}, share: 0.9 },
      trials: 3,
      latencyMs,
      ...more
    })]
  }))
  t.match(text({}), /p99 of blocks[^]*\napp +90\s%.* 12\.0 .* 9\.00–40\.0 /)
  t.notMatch(text({ trials: 1 }), /of blocks/, 'one block has no range')
  t.notMatch(text({ latencyMs: latency(12, 500) }), /of blocks/, 'an older record has none')
})

t.test('fits the tables into the width of the terminal', async t => {
  const series = seriesOf(30, () => ({ timeWait: 28231 }))
  const names = ['one with a long name', 'another long name', 'reuse 0', 'reuse 1', 'reuse 2', 'uds']
  const arms = names.map(name => makeArm({ name, series }))
  const ladder = ['nginx', 'prefork with 5000', 'event'].flatMap(of =>
    [100, 500, 1000, 5000, 10000].map(connections => step(of, connections))
  )
  for (const record of [makeRecord({ protocol: 'series', arms }),
    makeRecord({ protocol: 'ladder', arms: ladder, contrasts: [] })]) {
    for (const columns of [80, 120]) {
      for (const line of renderText(record, { columns }).split('\n')) t.ok(line.length <= columns, line)
    }
  }
})

t.test('prints the name and scale of each unit', async t => {
  t.equal(unitOf('bytes').print(1.25e9), '10.0')
  t.equal(unitOf('bytes').print(null), '–')
  const cpuMicrosPerRequest = { load: 1e-4, proxy: 2e-4, server: 3e-4 }
  const arm = makeArm({ rps: { median: 1.25e9, low: 1.2e9, high: 1.3e9 }, cpuMicrosPerRequest })
  const text = renderText(makeRecord({ unit: 'bytes', arms: [arm] }))
  t.match(text, /Gbit\/s/)
  t.match(text, /CPU time per MB in µs/)
  t.match(text, /100 +200 +300/)
  t.match(renderText(makeRecord({ unit: 'handshakes' })), /TLS\/s[^]*CPU time per handshake/)
})

t.test('prints the requests that reached the app for arms with a cache', async t => {
  const arms = [
    makeArm({ name: 'herd', spec: 'nginx:uds+cache=1s/express-json', originRequests: 499 }),
    makeArm({ name: 'lock', spec: 'nginx:uds+cache=1s+lock/express-json', originRequests: 3 }),
    makeArm({ name: 'none', spec: 'nginx:uds/express-json', originRequests: 5000 })
  ]
  const text = renderText(makeRecord({ arms, contrasts: [], plan: { ...makePlan(), windowSeconds: 4 } }))
  t.strictSame(section(text, 'Requests that reached the app in a window of 4 s'), ['- herd: 499', '- lock: 3'])
})

t.test('warns of an unavailable engine and names its replacement', async t => {
  const warning = findWarnings(makeRecord({ engineInstead: { wanted: 'h2load', why: 'h2load is not installed' } }))
    .find(({ code }) => code === 'engine-missing')
  t.match(warning?.params, { engine: 'autocannon', wanted: 'h2load' })
})

/** Tests the parsing of reports that the engines print. */
import { join } from 'node:path'
import t from '../support/tap.js'
import ab from '../../bench/engines/ab.js'
import autocannon from '../../bench/engines/autocannon.js'
import h2load from '../../bench/engines/h2load.js'
import oha from '../../bench/engines/oha.js'
import sTime from '../../bench/engines/s-time.js'
import wrk from '../../bench/engines/wrk.js'
import { AB, AUTOCANNON, H2LOAD, ohaSays, sTimeSays, WRK } from '../support/engine-output.js'

/** @import { EngineFile, Load } from '../../bench/types.js' */

/**
 * @param {EngineFile} engine
 * @param {string} stdout
 */
const read = (engine, stdout, dir = '/nowhere') => engine.parse([{ stdout, stderr: '', dir, exit: 0 }])
const none = { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 }

const failed = H2LOAD.ok.replace('35530 2xx, 0 3xx, 0 4xx, 0 5xx', '35000 2xx, 30 3xx, 200 4xx, 300 5xx')
  .replace('0 failed', '500 failed')
const ohaMs = {
  p50: 0.265486, p90: 1.093633, p95: 3.25, p99: 8.900975, max: 20.5, rate: null, source: 'oha, closed loop'
}
const REFUSED = 'Connection refused (os error 111)'

/**
 * Reports with requests, errors, bytes, seconds and latencies.
 * @type {[string, EngineFile, string, number, object, number | null, number, object?][]}
 */
const READ = [
  ['h2load: reads responses, bytes and seconds', h2load, H2LOAD.ok, 35530, {}, 44909920, 2],
  ['h2load: counts error responses', h2load, failed, 35530, { non2xx: 500 }, 44909920, 2],
  ['h2load: reads no resets, because the report does not contain them', h2load, H2LOAD.reset, 490, {}, 62230, 2],
  ['h2load: counts refused connections as resets', h2load, H2LOAD.refused, 0, { resets: 10 }, 0, 1],
  ['ab: counts a broken connection once and not as a response', ab, AB.reset, 2115, { resets: 43 }, 169200, 1.001],
  ['ab: counts refused connections as resets', ab, AB.refused, 0, { resets: 22346 }, 0, 1],
  ['oha: counts timeouts as errors, but not the requests aborted at the deadline of oha', oha,
    ohaSays({}, { 200: 963 }, { 'aborted due to deadline': 10, timeout: 11 }), 963, { timeouts: 11 }, null,
    2.005238499, ohaMs],
  ['oha: counts error statuses and connection errors', oha,
    ohaSays({}, { 200: 10, 204: 1, 304: 2, 301: 3, 503: 4 }, { 'connection error': 5, [REFUSED]: 6 }), 20,
    { non2xx: 7, resets: 11 }, null, 2.005238499, ohaMs],
  ['oha: has no latencies without a response', oha, ohaSays({ slowest: null }, {}, { [REFUSED]: 6 }), 0, { resets: 6 },
    null, 2.005238499]
]
for (const [title, engine, report, requests, errors, bytes, seconds, latencyMs = null] of READ) {
  t.test(title, async t => {
    t.strictSame(read(engine, report), { requests, errors: { ...none, ...errors }, bytes, seconds, latencyMs })
  })
}

t.test('ab: reads percentiles from the CSV file', async t => {
  const dir = t.testdir({
    'percentages.csv': 'Percentage served,Time in ms\n0,0.091\n5,0.150\n50,0.297\n90,1.125\n95,1.905\n99,3.834\n'
  })
  t.same(read(ab, AB.errors, dir), {
    requests: 18517,
    errors: { ...none, non2xx: 18517 },
    bytes: 6925358,
    seconds: 1.001,
    latencyMs: { p50: 0.297, p90: 1.125, p95: 1.905, p99: 3.834, max: 8, rate: null, source: 'ab, closed loop' }
  })
  t.equal(read(ab, AB.errors).latencyMs, null, 'without the file there are no percentiles')
  t.equal(join(dir, 'percentages.csv'), argumentAfter(ab, '-e', dir), 'ab receives that path')
})

t.test('ab: rejects a report of connections that were not persistent, and names the missing header', async t => {
  t.throws(() => read(ab, AB.notKept), { message: /kept its connection after 0 of 1643 responses.*Content-Length/ })
  t.doesNotThrow(() => read(ab, AB.notKept.replace('Keep-Alive requests:    0\n', '')),
    'new connections are not persistent')
})

t.test('ab: limits the number of requests, because ab allocates memory for all of them', async t => {
  t.equal(argumentAfter(ab, '-n', '/d', 3), '600000')
  t.equal(argumentAfter(ab, '-n', '/d', 3600), '50000000')
  const { argv } = commandOf(ab, '/d', 3)
  t.ok(argv.indexOf('-n') > argv.indexOf('-t'), '-t sets -n: it must come first')
})

t.test('openssl s_time: adds the reports of all processes', async t => {
  const results = [232, 100].map(count => ({ stdout: sTimeSays(count), stderr: '', dir: '/d', exit: 0 }))
  t.same(sTime.parse(results), { requests: 332, errors: none, bytes: 332 * 1259, seconds: null, latencyMs: null })
  t.throws(() => sTime.parse([results[0], { stdout: '', stderr: 'ERROR', dir: '/d', exit: 1 }]), /no report: ERROR/)
})

t.test('wrk: converts percentiles from microseconds', async t => {
  t.same(read(wrk, WRK), {
    requests: 10,
    errors: { non2xx: 1, timeouts: 2, resets: 12, mismatches: 0 },
    bytes: 20,
    seconds: 2.119194,
    latencyMs: {
      p50: 1.5,
      p90: 1.6,
      p95: 1.7,
      p99: 1.8,
      max: 2.5,
      rate: null,
      source: 'wrk, closed loop, with its own correction'
    }
  })
  t.equal(read(wrk, WRK.replace('"requests":10', '"requests":0').replace('"p50":1500', '"p50":0')).latencyMs, null)
})

t.test('wrk: passes options for new connections and a timeout, which is limited in a long run', async t => {
  const load = loadOf({ fresh: true, timeoutSeconds: 2 })
  const { processes: [{ argv }] } = wrk.command(load, target, { program: 'wrk', dir: '/d', maxSeconds: 9 })
  t.equal(argv[argv.indexOf('-H') + 1], 'Connection: close')
  t.equal(argv[argv.indexOf('--timeout') + 1], '2s')
  t.equal(argumentAfter(wrk, '--timeout', '/d', 4200), '120s', 'wrk allocates memory for it')
  t.ok(commandOf(wrk, '/d', 4200).argv.includes('-d4200s'))
})

t.test('autocannon: reads the histogram of the suite and the time from start to finish', async t => {
  const report = {
    ...AUTOCANNON,
    duration: 2.1,
    latencyMicros: { count: 4, max: 2500, counts: [[1500, 3], [2500, 1]] }
  }
  t.match(read(autocannon, JSON.stringify(report)), {
    seconds: 2.104,
    errors: { timeouts: 1, resets: 4, non2xx: 3, mismatches: 2 },
    latencyMs: { p50: 1.5, max: 2.5, source: 'autocannon, closed loop' }
  })
  t.equal(read(autocannon, JSON.stringify({ ...report, latencyMicros: { count: 0, max: 0, counts: [] } })).latencyMs,
    null)
  t.throws(() => read(autocannon, JSON.stringify({ ...report, latencyMicros: null })), { message: /not a histogram/ })
})

t.test('reads versions from the output of the programs', async t => {
  const version = (/** @type {any} */ engine, /** @type {string} */ output) => engine.version.parse(output)
  t.equal(version(h2load, 'h2load nghttp2/1.52.0\n'), '1.52.0')
  t.equal(version(ab, 'This is ApacheBench, Version 2.3 <$Revision: 1903618 $>\nCopyright 1996'), '2.3')
  t.equal(version(oha, 'oha 1.16.0\n'), '1.16.0')
  t.equal(version(sTime, 'OpenSSL 3.0.19 27 Jan 2026 (Library: OpenSSL 3.0.19 27 Jan 2026)\n'), '3.0.19')
  for (const engine of [h2load, ab, oha, sTime, wrk]) {
    t.equal(version(engine, 'usage: something else'), null, engine.about.title)
  }
})

const target = { url: 'http://127.0.0.1:8080', socketPath: null, expectBody: null }
/** @param {Partial<Load>} [more] */
function loadOf (more) {
  return { engine: '', connections: 10, path: '/', headers: {}, ...more }
}

/**
 * @param {EngineFile} engine
 * @param {string} dir
 * @param {number} maxSeconds
 */
function commandOf (engine, dir, maxSeconds) {
  return engine.command(loadOf(), target, { program: engine.about.program, dir, maxSeconds }).processes[0]
}

/**
 * @param {EngineFile} engine
 * @param {string} option
 * @param {string} dir
 */
function argumentAfter (engine, option, dir, maxSeconds = 3) {
  const { argv } = commandOf(engine, dir, maxSeconds)
  return argv[argv.indexOf(option) + 1]
}

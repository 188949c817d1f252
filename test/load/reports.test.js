/**
 * Tests that truncated or damaged reports of load generators are read correctly or rejected.
 */
import fc from 'fast-check'
import t from '../support/tap.js'
import ab from '../../bench/engines/ab.js'
import autocannon from '../../bench/engines/autocannon.js'
import h2load from '../../bench/engines/h2load.js'
import oha from '../../bench/engines/oha.js'
import paced from '../../bench/engines/paced.js'
import sTime from '../../bench/engines/s-time.js'
import wrk from '../../bench/engines/wrk.js'
import { findMeasurementFault } from '../../bench/load/generator.js'
import { AB, AUTOCANNON, H2LOAD, ohaSays, sTimeSays, WRK } from '../support/engine-output.js'
import { CASES, SEED } from '../support/fuzz-cases.js'

/** @import { EngineFile, Measurement } from '../../bench/types.js' */

const histogram = { count: 2, max: 9, counts: [[5, 1], [9, 1]] }
/**
 * Returns a report of paced in which each request has a response.
 * @param {number} sent
 * @param {object} times histogram of the latency and of the lag
 */
const pacedReport = (sent, times) => JSON.stringify({
  sent,
  answers: sent,
  bytes: 1024 * sent,
  seconds: 12,
  opened: 1,
  errors: { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 },
  latency: times,
  lag: times
})
/** @type {[string, EngineFile, string][]} */
const REPORTS = [
  ['h2load', h2load, H2LOAD.ok],
  ['h2load, nothing answered', h2load, H2LOAD.refused],
  ['ab', ab, AB.reset],
  ['ab, errors', ab, AB.errors],
  ['oha', oha, ohaSays({}, { 200: 963 }, { timeout: 11 })],
  ['s_time', sTime, sTimeSays(232)],
  ['wrk', wrk, WRK],
  ['autocannon', autocannon, JSON.stringify({ ...AUTOCANNON, latencyMicros: histogram })],
  ['paced', paced, pacedReport(2, histogram)],
  // Twelve seconds at a request in a minute.
  ['paced, nothing sent', paced, pacedReport(0, { count: 0, max: 0, counts: [] })]
]
const runs = Math.ceil(CASES.reports / REPORTS.length / 2)

/**
 * Returns the measurement of a report, or null if the report is rejected.
 * @param {EngineFile} engine
 * @param {string} stdout
 */
function readOrRefuse (engine, stdout) {
  try {
    const measurement = engine.parse([{ stdout, stderr: '', dir: '/nowhere', exit: 0 }])
    return findMeasurementFault(measurement) === null ? measurement : null
  } catch (error) {
    // bench/load/generator.js reports any error together with the output.
    if (error instanceof Error) return null
    throw error
  }
}

/** @param {Measurement} measurement */
function isSound ({ requests, errors, bytes, seconds, latencyMs }) {
  const counts = [requests, ...Object.values(errors)]
  const figures = latencyMs ? [latencyMs.p50, latencyMs.p90, latencyMs.p95, latencyMs.p99, latencyMs.max] : []
  return counts.every(value => Number.isInteger(value) && value >= 0) &&
    (bytes === null || (Number.isFinite(bytes) && bytes >= 0)) &&
    (seconds === null || (Number.isFinite(seconds) && seconds > 0)) &&
    figures.every(value => Number.isFinite(value) && value >= 0)
}

/**
 * Serializes a measurement without its latencies.
 * @param {Measurement} measurement
 */
const counted = ({ requests, errors, bytes, seconds }) => JSON.stringify({ requests, errors, bytes, seconds })

for (const [name, engine, report] of REPORTS) {
  t.test(`${name}: reads the same figures from a truncated report, or rejects it`, async t => {
    const whole = /** @type {Measurement} */ (readOrRefuse(engine, report))
    t.ok(isSound(whole), 'the complete report is valid')
    fc.assert(fc.property(fc.integer({ min: 0, max: report.length - 1 }), at => {
      const read = readOrRefuse(engine, report.slice(0, at))
      return read === null ||
        (counted(read) === counted(whole) &&
          (read.latencyMs === null || JSON.stringify(read.latencyMs) === JSON.stringify(whole.latencyMs)))
    }), { numRuns: runs, seed: SEED })
  })

  t.test(`${name}: rejects a damaged report, or reads only plausible figures`, async t => {
    const damage = fc.tuple(fc.integer({ min: 0, max: report.length - 1 }), fc.integer({ min: 0, max: 12 }),
      fc.oneof(fc.string({ maxLength: 8 }),
        fc.constantFrom('-1', 'NaN', '1e999', '1.5', 'null', '""', '-', '999999999999999999999', '\n')))
    const check = () => fc.assert(fc.property(damage, ([at, length, text]) => {
      const read = readOrRefuse(engine, report.slice(0, at) + text + report.slice(at + length))
      return read === null || isSound(read)
    }), { numRuns: runs, seed: SEED })
    t.doesNotThrow(check)
  })
}

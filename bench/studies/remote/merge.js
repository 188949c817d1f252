/** What several generators have measured at the same time, as one measurement (pure). */
import { Histogram } from '../../load/histogram.js'

/** @import { Lag, Measurement } from '../../types.js' */

/** Counts and rates add up. Percentiles are those of all answers together, from the merged histograms; never an
 * average: where an engine gives none, there are none. @param {Measurement[]} measurements one at least
 * @returns {Measurement} */
export function mergeMeasurements (measurements) {
  if (measurements.length === 1) return measurements[0]
  const sum = (/** @type {(one: Measurement) => number} */ of) =>
    measurements.reduce((total, one) => total + of(one), 0)
  const all = (/** @type {'bytes' | 'seconds'} */ key) => measurements.every(one => one[key] !== null)
  const requests = sum(one => one.requests)
  const rate = sum(one => one.requests / (one.seconds ?? NaN))
  return {
    requests,
    errors: {
      non2xx: sum(({ errors }) => errors.non2xx),
      timeouts: sum(({ errors }) => errors.timeouts),
      resets: sum(({ errors }) => errors.resets),
      mismatches: sum(({ errors }) => errors.mismatches)
    },
    bytes: all('bytes') ? sum(one => Number(one.bytes)) : null,
    // Their windows are not of exactly the same length: the rates are what adds up.
    seconds: all('seconds') ? (rate > 0 ? requests / rate : Number(measurements[0].seconds)) : null,
    ...latencies(measurements),
    ...users(measurements)
  }
}

/** What users saw, added up second by second; of the percentiles of two groups nothing is known of both.
 * @param {Measurement[]} measurements @returns {Pick<Measurement, 'users' | 'failures' | 'notes'>} */
function users (measurements) {
  if (!measurements.some(({ users }) => users)) return {}
  const points = measurements.flatMap(({ users }) => users ?? [])
  const seconds = [...new Set(points.map(({ second }) => second))].sort((a, b) => a - b)
  const failures = measurements.flatMap(({ failures }) => failures ?? [])
  return {
    users: seconds.map(second => {
      const sum = (/** @type {'users' | 'rps' | 'failures'} */ key) =>
        points.filter(point => point.second === second).reduce((total, point) => total + point[key], 0)
      return { second, users: sum('users'), rps: sum('rps'), failures: sum('failures'), p50: null, p95: null }
    }),
    failures: [...new Set(failures.map(({ kind }) => kind))].map(kind => ({
      kind,
      count: failures.filter(failure => failure.kind === kind).reduce((total, { count }) => total + count, 0)
    })),
    notes: [...new Set(measurements.flatMap(({ notes }) => notes ?? []))]
  }
}

/** @param {Measurement[]} measurements */
function latencies (measurements) {
  const answered = measurements.filter(({ requests }) => requests > 0)
  const histograms = answered.flatMap(({ histograms }) => histograms ?? [])
  const first = answered.find(({ latencyMs }) => latencyMs)?.latencyMs
  if (!first || histograms.length < answered.length) return { latencyMs: null }
  const latency = Histogram.of(histograms.map(({ latency }) => latency))
  const lags = histograms.flatMap(({ lag }) => lag ?? [])
  const lag = lags.length === histograms.length ? Histogram.of(lags) : null
  return {
    latencyMs: {
      ...latency.milliseconds(),
      rate: first.rate === null ? null : answered.reduce((sum, { latencyMs }) => sum + (latencyMs?.rate ?? 0), 0),
      source: `${first.source}, ${measurements.length} generators`
    },
    ...lag && { lagMs: lagOf(lag) },
    histograms: { latency: latency.toJSON(), ...lag && { lag: lag.toJSON() } }
  }
}

/** @param {Histogram} lag */
function lagOf (lag) {
  const { p50, p99, max } = lag.milliseconds()
  return { p50, p99, max }
}

/** Merges the measurements of several generators that ran at the same time (pure). */
import { sumErrors } from '../../judge/arm-result.js'
import { Histogram, mergeKinds } from '../../load/histogram.js'

/** @import { Measurement } from '../../types.js' */

/**
 * Merges measurements. Counts and rates are added. Percentiles are computed from the merged histograms, never averaged,
 * so there are none without histograms.
 *
 * @param {Measurement[]} measurements at least one
 * @returns {Measurement}
 */
export function mergeMeasurements (measurements) {
  if (measurements.length === 1) return measurements[0]
  const sum = (/** @type {(measurement: Measurement) => number} */ select) =>
    measurements.reduce((total, measurement) => total + select(measurement), 0)
  const hasAll = (/** @type {'bytes' | 'seconds'} */ key) =>
    measurements.every(measurement => measurement[key] !== null)
  const requests = sum(measurement => measurement.requests)
  const rate = sum(measurement => measurement.requests / (measurement.seconds ?? NaN))
  // Windows differ slightly in length, so rates are added and the length follows from them.
  const seconds = rate > 0 ? requests / rate : Number(measurements[0].seconds)
  return {
    requests,
    errors: sumErrors(measurements),
    bytes: hasAll('bytes') ? sum(measurement => Number(measurement.bytes)) : null,
    seconds: hasAll('seconds') ? seconds : null,
    ...mergeLatencies(measurements),
    ...mergeUsers(measurements)
  }
}

/**
 * Adds the counts of users second by second. Percentiles are null, because those of groups cannot be merged.
 *
 * @param {Measurement[]} measurements
 * @returns {Pick<Measurement, 'users' | 'failures' | 'notes'>}
 */
function mergeUsers (measurements) {
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
function mergeLatencies (measurements) {
  const served = measurements.filter(({ requests }) => requests > 0)
  const histograms = served.flatMap(({ histograms }) => histograms ?? [])
  const first = served.find(({ latencyMs }) => latencyMs)?.latencyMs
  if (!first || histograms.length < served.length) return { latencyMs: null }
  const latency = Histogram.of(histograms.map(({ latency }) => latency))
  const kinds = histograms.flatMap(({ byKind }) => byKind ?? [])
  const lags = histograms.flatMap(({ lag }) => lag ?? [])
  const lag = lags.length === histograms.length ? Histogram.of(lags) : null
  return {
    latencyMs: {
      ...latency.milliseconds(),
      rate: first.rate === null ? null : served.reduce((sum, { latencyMs }) => sum + (latencyMs?.rate ?? 0), 0),
      source: `${first.source}, ${measurements.length} generators`
    },
    ...lag && { lagMs: toLag(lag) },
    histograms: {
      latency: latency.toJSON(),
      ...lag && { lag: lag.toJSON() },
      ...kinds.length > 0 && kinds.length === histograms.length && { byKind: mergeKinds(kinds) }
    }
  }
}

/**
 * @param {Histogram} lag
 * @returns {NonNullable<Measurement['lagMs']>}
 */
function toLag (lag) {
  const { p50, p99, max } = lag.milliseconds()
  return { p50, p99, max }
}

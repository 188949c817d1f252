/** Response times of the requests of one kind: to an app, or for its files (pure). */
import { REQUEST_KINDS, toRecord } from '../shared/group-by.js'

/** @import { HistogramData, KindLatency, LatencyByKind, Sample } from '../types.js' */

const PERCENTILES = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 }

/**
 * Merges the histograms of all windows. A percentile of all responses is better known than the median of those of the
 * windows, because few of the requests are to the app.
 *
 * @param {Pick<Sample, 'latencyByKind'>[]} samples
 * @returns {LatencyByKind | null} null: the kinds are unknown
 */
export function combineLatenciesByKind (samples) {
  const known = samples.flatMap(({ latencyByKind }) => latencyByKind ?? [])
  if (known.length === 0) return null
  return toRecord(REQUEST_KINDS, kind => toLatency(known.map(histograms => histograms[kind])))
}

/**
 * @param {HistogramData[]} windows in microseconds
 * @returns {KindLatency | null} null: without a response
 */
function toLatency (windows) {
  const filled = windows.filter(({ count }) => count > 0)
  if (filled.length === 0) return null
  const p99s = filled.map(window => findPercentile([window], PERCENTILES.p99))
  return {
    responses: filled.reduce((sum, { count }) => sum + count, 0),
    ...toRecord(['p50', 'p90', 'p95', 'p99'], key => findPercentile(filled, PERCENTILES[key])),
    max: Math.max(...filled.map(({ max }) => max)) / 1000,
    p99Range: { low: Math.min(...p99s), high: Math.max(...p99s) }
  }
}

/**
 * Returns the nearest-rank percentile of merged histograms. Buckets have a width of at most one part in 1024.
 *
 * @param {HistogramData[]} histograms at least one value
 * @param {number} p as in 0.99
 * @returns {number} in milliseconds
 */
export function findPercentile (histograms, p) {
  const buckets = histograms.flatMap(({ counts }) => counts).sort(([a], [b]) => a - b)
  const rank = Math.ceil(p * buckets.reduce((sum, [, count]) => sum + count, 0))
  let reached = 0
  const [micros] = buckets.find(([, count]) => (reached += count) >= rank) ?? [NaN]
  return micros / 1000
}

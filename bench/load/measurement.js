/** Checks the figures of an engine's report (pure). */

/** @import { Measurement } from '../types.js' */

/**
 * Returns which figure of a report is impossible. A damaged report, or one of a version whose fields have another
 * meaning, may be read without an error.
 * @param {Measurement} measurement
 * @returns {string | null} null: all figures are possible
 */
export function findMeasurementFault ({ requests, errors, bytes, seconds, latencyMs, lagMs }) {
  for (const [name, count] of Object.entries({ requests, ...errors })) {
    if (!(Number.isInteger(count) && count >= 0)) return `${name} is ${count}`
  }
  if (bytes !== null && !(Number.isFinite(bytes) && bytes >= 0)) return `bytes is ${bytes}`
  if (seconds !== null && !(Number.isFinite(seconds) && seconds > 0)) return `seconds is ${seconds}`
  if (latencyMs) return findPercentileFault('latency', latencyMs)
  return lagMs ? findPercentileFault('lag', lagMs) : null
}

/**
 * @param {string} name
 * @param {{ p50: number, p90?: number, p95?: number, p99: number, max: number }} percentiles
 */
function findPercentileFault (name, { p50, p90 = p50, p95 = p90, p99, max }) {
  const rising = [p50, p90, p95, p99, max]
  const isPossible = rising.every((value, i) => Number.isFinite(value) && value >= (rising[i - 1] ?? 0))
  return isPossible ? null : `percentiles of the ${name} are ${rising.join(', ')}`
}

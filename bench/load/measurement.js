/** What an engine's report says must be able to be true, whatever the report looked like (pure). */

export { isErrorStatus } from '../shared/trial.js'

/** @import { Measurement } from '../types.js' */

/** A report that is damaged, or of a version that means something else by its fields, may be read without an error.
 * @param {Measurement} measurement @returns {string | null} what cannot be true; null: all of it can */
export function faultOfMeasurement ({ requests, errors, bytes, seconds, latencyMs, lagMs }) {
  for (const [name, count] of Object.entries({ requests, ...errors })) {
    if (!(Number.isInteger(count) && count >= 0)) return `${name} is ${count}`
  }
  if (bytes !== null && !(Number.isFinite(bytes) && bytes >= 0)) return `bytes is ${bytes}`
  if (seconds !== null && !(Number.isFinite(seconds) && seconds > 0)) return `seconds is ${seconds}`
  return latencyMs ? percentileFault('latency', latencyMs) : lagMs ? percentileFault('lag', lagMs) : null
}

/** @param {string} what @param {{ p50: number, p90?: number, p95?: number, p99: number, max: number }} percentiles */
function percentileFault (what, { p50, p90 = p50, p95 = p90, p99, max }) {
  const rising = [p50, p90, p95, p99, max]
  const wrong = rising.some((value, i) => !(Number.isFinite(value) && value >= (rising[i - 1] ?? 0)))
  return wrong ? `percentiles of the ${what} are ${rising.join(', ')}` : null
}

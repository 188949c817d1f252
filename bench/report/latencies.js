/** Response times as reports show them: of the requests to the app, where those for its files are known (pure). */
import { RESPONSES_FOR } from '../judge/open-loop.js'

/** @import { ArmResult, KindLatency } from '../types.js' */

/**
 * Returns an arm with the response times of the requests to its app. File traffic is reported beside them.
 *
 * @template {Pick<ArmResult, 'latencyMs' | 'latencyByKind'>} T
 * @param {T} arm
 * @returns {T} the same arm, if the kinds of its requests are unknown
 */
export const ofApp = arm => {
  const { latencyByKind, latencyMs } = arm
  if (!latencyByKind || !latencyMs) return arm
  const { rate, source } = latencyMs
  return { ...arm, latencyMs: latencyByKind.app && { ...toClaimed(latencyByKind.app), rate, source } }
}

/**
 * Removes the percentiles for which there are too few responses, because few requests of a page are to the app.
 * @param {KindLatency} latency
 * @returns {KindLatency} NaN: not claimed
 */
function toClaimed ({ p99Range, ...latency }) {
  if (latency.responses >= RESPONSES_FOR.p99) return { ...latency, p99Range }
  return { ...latency, p99: NaN, ...latency.responses < RESPONSES_FOR.p90 && { p90: NaN, p95: NaN } }
}

/** Whether response times are those of the requests to the app. @param {Pick<ArmResult, 'latencyByKind'>[]} arms */
export const isOfApp = arms => arms.some(({ latencyByKind }) => latencyByKind)

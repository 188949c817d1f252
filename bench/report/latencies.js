/** Response times as reports show them: of the requests to the app, where those for its files are known (pure). */

/** @import { ArmResult } from '../types.js' */

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
  return { ...arm, latencyMs: latencyByKind.app && { ...latencyByKind.app, rate, source } }
}

/** Whether response times are those of the requests to the app. @param {Pick<ArmResult, 'latencyByKind'>[]} arms */
export const isOfApp = arms => arms.some(({ latencyByKind }) => latencyByKind)

/** Runs as CSV, for spreadsheets (pure). */
import { stringify } from 'csv-stringify/sync'

/** @import { RunRecord, Sample } from '../../types.js' */

/** Escapes a name that begins with "=", which a spreadsheet would evaluate as a formula. */
export const CSV_OPTIONS = { header: true, escape_formulas: true }

/**
 * Prints a line for each trial.
 * @param {Sample[]} samples
 */
export const samplesCsv = samples => stringify(samples.map(sample => ({
  arm: sample.arm,
  block: sample.block,
  startedAt: sample.startedAt,
  count: sample.requests,
  seconds: sample.seconds,
  perSecond: sample.rps,
  non2xx: sample.errors.non2xx,
  timeouts: sample.errors.timeouts,
  resets: sample.errors.resets,
  mismatches: sample.errors.mismatches,
  loadCpuSeconds: sample.cpuSeconds.load,
  proxyCpuSeconds: sample.cpuSeconds.proxy,
  serverCpuSeconds: sample.cpuSeconds.server,
  idleCpuSeconds: sample.cpuSeconds.idle,
  proxyMiB: sample.memoryMiB.proxy,
  serverMiB: sample.memoryMiB.server,
  upstreamConnectionsPerRequest: sample.proof.upstreamConnectionsPerRequest,
  cacheHitRatio: sample.proof.cacheHitRatio,
  socketType: sample.proof.socketType,
  invalid: sample.invalid?.code ?? ''
})), CSV_OPTIONS)

/**
 * Prints the figures of users, a line for each second of each trial.
 * @param {Sample[]} samples
 * @returns {string | null} null: the run had no users
 */
export function usersCsv (samples) {
  const lines = samples.flatMap(({ arm, block, users = [] }) => users.map(point => ({ arm, block, ...point })))
  return lines.length === 0 ? null : stringify(lines, CSV_OPTIONS)
}

/**
 * Prints a line for each arm.
 * @param {RunRecord} record
 */
export const tableCsv = ({ arms }) => stringify(arms.map(arm => ({
  arm: arm.name,
  topology: arm.word,
  trials: arm.trials,
  invalidTrials: arm.invalidTrials.length,
  perSecond: arm.rps?.median ?? '',
  low: arm.rps?.low ?? '',
  high: arm.rps?.high ?? '',
  ...arm.errors,
  loadMicros: arm.cpuMicrosPerRequest?.load ?? '',
  proxyMicros: arm.cpuMicrosPerRequest?.proxy ?? '',
  serverMicros: arm.cpuMicrosPerRequest?.server ?? '',
  proxyMiB: arm.memoryMiB?.proxy ?? '',
  serverMiB: arm.memoryMiB?.server ?? '',
  bytesPerResponse: arm.bytesPerResponse ?? '',
  limitedBy: arm.bound,
  invalid: arm.invalid?.code ?? ''
})), CSV_OPTIONS)

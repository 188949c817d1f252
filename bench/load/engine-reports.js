/** Builds arguments and reads reports in the formats that several engines share. */
import { readFileSync } from 'node:fs'
import { attempt } from '../shared/attempt.js'

/** @import { Latency } from '../types.js' */

/** Returns arguments for headers, as curl has them. @param {Record<string, string>} headers */
export const headerArguments = headers =>
  Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])

/**
 * @param {string} engine
 * @param {{ stdout: string, stderr: string }} output
 * @returns {any}
 * @throws {TypeError}
 */
export const parseJsonReport = (engine, { stdout, stderr }) => attempt(() => JSON.parse(stdout), () => {
  throw new TypeError(`${engine}'s report is not JSON: ${(stdout + stderr).slice(-200)}`)
})

/**
 * Creates the error of an engine that printed no report.
 * @param {string} engine
 * @param {{ stdout: string, stderr: string }} output
 */
export const noReport = (engine, { stdout, stderr }) =>
  new TypeError(`${engine} printed no report: ${(stdout + stderr).slice(-200)}`)

/**
 * Builds latencies of a load without a rate, such as a closed loop.
 * @param {number[]} milliseconds percentiles 50, 90, 95 and 99, and the maximum
 * @param {string} source
 * @returns {Latency | null} null: a percentile is missing
 */
export function latencyWithoutRate (milliseconds, source) {
  if (!milliseconds.every(Number.isFinite)) return null
  const [p50, p90, p95, p99, max] = milliseconds
  return { p50, p90, p95, p99, max, rate: null, source }
}

/**
 * @param {string} file
 * @returns {string | null} null: the engine did not write the file
 */
export const readReportFile = file => attempt(() => readFileSync(file, 'utf8'), () => null)

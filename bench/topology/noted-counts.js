/** Parses counters and log lines that the templates of HAProxy and Envoy write in the same form (pure). */

/** @import { FrontCounts } from '../types.js' */

/**
 * Returns counters with the time in the header X-Micros.
 *
 * @param {Record<string, string | string[] | undefined>} headers
 * @param {{ connections: number, requests: number }} counters NaN: not found
 * @param {{ title: string, body: string }} source of the counters
 * @returns {FrontCounts}
 * @throws {TypeError} if a counter or the time is missing
 */
export function toCounts (headers, counters, { title, body }) {
  const counts = { atSeconds: Number(headers['x-micros']) / 1e6, ...counters }
  if (!Object.values(counts).every(Number.isFinite)) {
    throw new TypeError(`${title}'s statistics do not contain its counters: ${body.slice(0, 200)}`)
  }
  return counts
}

/**
 * Parses "noted MICROSECONDS STATUS", which templates log for a response that is an error.
 *
 * @param {string} line
 * @returns {{ atSeconds: number, status: number, cache: null } | null} null: another line
 */
export function parseNoted (line) {
  const [, micros, status] = /^noted (\d+) (\d+)$/.exec(line) ?? []
  return micros === undefined ? null : { atSeconds: Number(micros) / 1e6, status: Number(status), cache: null }
}

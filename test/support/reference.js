/** Reference values computed by SciPy and NumPy (test/support/reference/README.md). */
import { readFileSync } from 'node:fs'

/** @typedef {{ low: number, high: number } | null} Interval */
/**
 * @typedef {object} Reference
 * @property {{ values: number[], hodgesLehmann: number, lag1: number,
 *   intervals: { level: number, interval: Interval }[], medianIntervals: { level: number, interval: Interval }[],
 *   quantiles: { p: number, value: number }[] }[]} samples
 * @property {{ n: number, level: number, k: number }[]} depth
 * @property {{ p: number, z: number }[]} normalQuantiles
 */

/** @type {Reference} */
export const reference = JSON.parse(readFileSync(new URL('reference/statistics.json', import.meta.url), 'utf8'))

/**
 * Whether two values agree to 1e-9, relative for values above 1.
 * @param {number} found
 * @param {number} wanted
 */
export const agrees = (found, wanted) => Math.abs(found - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted))

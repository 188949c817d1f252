/** Measures how unevenly the loaded processes use CPU time (pure). Simultaneous requests and garbage collections use up
 * a CPU quota before its period ends. */
import { median, quantile } from '../../../judge/stats/quantile.js'

/** Length of a quota period: the kernel's default. CPU time is read at this interval. */
export const PERIOD_SECONDS = 0.1
/** Share of the median CPU usage below which the processes are idle, before and after the load. */
const IDLE_SHARE = 0.5
/** Share of the cores above which a window is skipped, because on busy cores simultaneous requests queue, which evens
 * out the CPU usage. */
const BUSY_SHARE = 0.6
/** Quantile of the periods that contains a garbage collection, because one in ten to thirty periods has one. */
const COLLECTION_QUANTILE = 0.98

/**
 * Removes the idle periods at both ends.
 *
 * @param {number[]} parts cores used, period by period
 */
export function underLoad (parts) {
  if (parts.length === 0) return []
  const least = IDLE_SHARE * median(parts)
  const isLoaded = (/** @type {number} */ cores) => cores >= least
  return parts.slice(parts.findIndex(isLoaded), parts.findLastIndex(isLoaded) + 1)
}

/**
 * Computes the index of dispersion of CPU time: the variance of the time used per period over its mean. For requests
 * that arrive at random and cost c each it is c at every rate; garbage collections add to it. By default the median of
 * the windows is returned, because one disturbed window in ten would triple the index of all windows together.
 *
 * @param {number[][]} windows cores used, period by period, each window at its own rate
 * @param {number} cores of the served side
 * @param {number} [confidence] share of the windows that are to hold the goal
 * @returns {number | null} seconds of CPU time; null: too few windows
 */
export function burstSeconds (windows, cores, confidence = 0.5) {
  const indexes = selectWindows(windows, cores).filter(({ mean }) => mean > 0).map(({ parts, mean }) =>
    parts.reduce((total, part) => total + (part - mean) ** 2, 0) * PERIOD_SECONDS / (parts.length - 1) / mean)
  return indexes.length > 0 ? quantile(indexes, confidence) : null
}

/**
 * Estimates the CPU time of a large burst: what a period with a garbage collection uses beyond the mean.
 *
 * @param {number[][]} windows cores used, period by period
 * @param {number} cores of the served side
 * @param {number} [confidence] share of the windows that are to hold the goal
 * @returns {number | null} seconds; null: too few windows
 */
export function pauseSeconds (windows, cores, confidence = 0.5) {
  const pauses = selectWindows(windows, cores).map(({ parts, mean }) =>
    quantile(parts.map(part => (part - mean) * PERIOD_SECONDS), COLLECTION_QUANTILE))
  return pauses.length > 0 ? Math.max(0, quantile(pauses, confidence)) : null
}

/**
 * Selects the windows on cores that were not busy, or all windows if there are none.
 *
 * @param {number[][]} windows
 * @param {number} cores
 */
function selectWindows (windows, cores) {
  const measured = windows.filter(({ length }) => length > 1)
    .map(parts => ({ parts, mean: parts.reduce((a, b) => a + b, 0) / parts.length }))
  const free = measured.filter(({ mean }) => mean <= BUSY_SHARE * cores)
  return free.length > 0 ? free : measured
}

/** How unevenly the served side uses CPU time, as seen while it is loaded (pure). A quota is used up before its period
 * ends whenever more was to be done in it than usual: requests that came together, or a garbage collection. */
import { median, quantile } from '../../analysis/stats/quantile.js'

/** The kernel's period of a quota, unless a provider sets another. CPU time is read that often. */
export const PERIOD_SECONDS = 0.1
const AT_REST = 0.5 // Before and after its load the served side rests: so few of the usual is that.
/** Where the cores are busy for most of the time, requests that came together have spread out already. */
const BUSY_SHARE = 0.6
/** A collection is in one period of ten to thirty: of all periods, the largest but for a fiftieth have one. */
const WITH_COLLECTION = 0.98

/** @param {number[]} parts cores used, period by period, from before the load until after it
 * @returns {number[]} those under load */
export function underLoad (parts) {
  if (parts.length === 0) return []
  const least = AT_REST * median(parts)
  const isLoaded = (/** @type {number} */ cores) => cores >= least
  return parts.slice(parts.findIndex(isLoaded), parts.findLastIndex(isLoaded) + 1)
}

/** The index of dispersion of CPU time: the variance of what is used in a period over its mean. Requests that come by
 * chance and cost c each have c; a garbage collection now and then adds to it. It is the same at every rate. The middle
 * window's counts where half of the windows are to hold the goal: one in ten in which the machine was disturbed, or
 * code was compiled, made that of all together three times as large.
 * @param {number[][]} windows cores used, period by period, each window at a rate of its own
 * @param {number} cores that could be used
 * @param {number} [confidence] share of the windows that are to hold
 * @returns {number | null} seconds of CPU time; null: too few to estimate */
export function burstSeconds (windows, cores, confidence = 0.5) {
  const each = unhurried(windows, cores).filter(({ mean }) => mean > 0).map(({ parts, mean }) =>
    parts.reduce((total, part) => total + (part - mean) ** 2, 0) * PERIOD_SECONDS / (parts.length - 1) / mean)
  return each.length > 0 ? quantile(each, confidence) : null
}

/** CPU time of one of the larger bursts: what a period with a garbage collection uses beyond the usual.
 * @param {number[][]} windows as above @param {number} cores @param {number} [confidence] as above
 * @returns {number | null} seconds */
export function pauseSeconds (windows, cores, confidence = 0.5) {
  const each = unhurried(windows, cores).map(({ parts, mean }) =>
    quantile(parts.map(part => (part - mean) * PERIOD_SECONDS), WITH_COLLECTION))
  return each.length > 0 ? Math.max(0, quantile(each, confidence)) : null
}

/** Windows on cores that were not busy; all of them where there is no other. @param {number[][]} windows
 * @param {number} cores */
function unhurried (windows, cores) {
  const known = windows.filter(({ length }) => length > 1).map(parts => ({ parts, mean: meanOf(parts) }))
  const free = known.filter(({ mean }) => mean <= BUSY_SHARE * cores)
  return free.length > 0 ? free : known
}

/** @param {number[]} values */
const meanOf = values => values.reduce((a, b) => a + b, 0) / values.length

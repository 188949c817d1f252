/** How unevenly the served side uses CPU time, and how much of a quota that leaves to be used at a latency goal (pure).
 * A quota is used up before its period ends whenever more was to be done in it than usual: requests that came together,
 * or a garbage collection with all its threads. Whoever is under way then waits for the next period. */
import { median } from '../../analysis/stats/quantile.js'

/** The kernel's period of a quota. What happens within one makes no difference to it: CPU time is read that often. */
export const PERIOD_SECONDS = 0.1
const LATE_SHARE = 0.01 // Of a hundred answers one may be late.
const AT_REST = 0.5 // Before and after its load the served side rests: so few of the usual is that.
/** Of the longest pause that can be: nothing is used at once, there is the network before it and the scheduler between.
 */
const LONGEST_PAUSE = 0.9
/** Where the cores are busy for most of the time, they have spread out by themselves what came together. */
const BUSY_SHARE = 0.6

/** @param {number[]} parts cores used, period by period, from before the load until after it
 * @returns {number[]} those under load */
export function underLoad (parts) {
  if (parts.length === 0) return []
  const least = AT_REST * median(parts)
  const isLoaded = (/** @type {number} */ cores) => cores >= least
  return parts.slice(parts.findIndex(isLoaded), parts.findLastIndex(isLoaded) + 1)
}

/** The index of dispersion of CPU time: the variance of what is used in a period over its mean. Requests that come by
 * chance and cost c each have c; a garbage collection now and then adds to it. It is the same at every rate, so that
 * all windows count together.
 * @param {number[][]} windows cores used, period by period, each window at a rate of its own
 * @param {number} cores that could be used
 * @returns {number | null} seconds of CPU time; null: there is too little to tell */
export function burstSeconds (windows, cores) {
  const known = windows.filter(({ length }) => length > 1).map(parts => ({
    n: parts.length,
    mean: meanOf(parts),
    squares: squaresOf(parts)
  })
  )
  const free = known.filter(({ mean }) => mean <= BUSY_SHARE * cores)
  const counted = free.length > 0 ? free : known
  const sum = (/** @type {(window: typeof known[number]) => number} */ of) =>
    counted.reduce((total, window) => total + of(window), 0)
  // Each window has a mean of its own, and loses a degree of freedom to it.
  const expected = sum(({ n, mean }) => (n - 1) * mean)
  return expected > 0 ? sum(({ squares }) => squares) * PERIOD_SECONDS / expected : null
}

/** The share of a quota that can be used before one answer in a hundred is late. No pause is longer than what a period
 * has left when its quota was used by all cores at once. An answer that may wait as long as that is not late for one;
 * and when several follow each other, more is done at once and costs less: all of it can be used (docs/sizing.md).
 * Otherwise, what is still to be done, W, is that of a queue that q cores empty and into which CPU time comes at a mean
 * of m cores with an index of dispersion I. In heavy traffic (Kingman, On Queues in Heavy Traffic, 1962) P(W > w) =
 * exp(−2(q − m)w / Im), and W takes W/q. So with m/q = 1 / (1 + I ln(100) / 2dq) one in a hundred waits longer than d.
 * Bursts as large as a whole period's quota cost more than that. @param {object} quota
 * @param {number} quota.cpu cores, as a plan has them @param {number} quota.cores that can be used at once
 * @param {number} quota.burst index of dispersion, seconds
 * @param {number} quota.delay seconds that an answer may wait for CPU time @returns {number} 0 to 1 */
export function usableShare ({ cpu, cores, burst, delay }) {
  if (delay >= LONGEST_PAUSE * (1 - cpu / cores) * PERIOD_SECONDS) return 1
  return delay > 0 ? 1 / (1 + burst * Math.log(1 / LATE_SHARE) / (2 * delay * cpu)) : 0
}

/** @param {number[]} values */
const meanOf = values => values.reduce((a, b) => a + b, 0) / values.length

/** @param {number[]} values @returns {number} sum of the squares of what lies between each of them and their mean */
function squaresOf (values) {
  const mean = meanOf(values)
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
}

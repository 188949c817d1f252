/** Lengths of the windows in which a deployed instance is loaded, and bounds of the load of a search (pure). */
import { BRACKET, MAX_TRIALS, NEARBY } from '../capacity/capacity.js'
import { MAX_REPEATS } from '../capacity/curve.js'
import { SHARES } from '../topology.js'

/** Shortest window, in seconds: of a trial of the search, and of a point of the curve. */
const SECONDS = { trial: { full: 3, quick: 1.5 }, curve: { full: 2, quick: 1.5 } }
/** Length of a window in goals, at least. At a rate above the capacity the queue grows until the end of the window, and
 * the goal holds until the queue is as long. A capacity of 40 was found to be 62 with 1.7 goals. */
const GOALS = { full: 20, quick: 10 }
/** Fewest response times whose 99th percentile (nearest rank) is not the longest one. */
const MIN_TIMES = 100
/** Mean number of response times of a window. A lost packet delays one response by 200 ms or more, and must not decide
 * about the goal alone. Arrivals are random: of a mean of 150, fewer than 100 arrive in one of 100,000 windows. */
const MEAN_TIMES = 150
/** Time at the start of a window whose latencies are excluded, in seconds (bench/engines/paced.js). */
const SETTLE_SECONDS = 0.5
/** Lowest rate of a first search, per second. Windows of MEAN_TIMES last 15 s there, and longer ones would not fit into
 * the time that --max-time permits by default. */
export const MIN_RATE = 10
/** Time that a window takes besides, in seconds: the generator starts, and the last responses arrive. */
const BESIDE_SECONDS = 1.5
/** Share of the permitted rate at which the search starts. The rate then rises by a quarter in each trial, so that an
 * instance is not loaded at once with a rate far above its capacity. */
const START = 0.1
/** Smallest share of the capacity on the curve. CPU time, for which there are smaller ones, is not measured. */
const MIN_SHARE = 0.1
/** Requests before the first window: the check of the address, and the responses that are compared. */
export const REQUESTS_TO_CHECK = 9

/** @typedef {{ requests: number, seconds: number }} Amount */
/** @typedef {{ p99Ms: number, quick: boolean }} Options */

/**
 * Returns the rate at which the search starts.
 *
 * @param {number} mostRps
 */
export const getStart = mostRps => Math.max(START * mostRps, MIN_RATE)

/**
 * Returns the shares of the capacity at which the latency is measured.
 *
 * @param {boolean} quick
 */
export const getShares = quick => SHARES[quick ? 'quick' : 'full'].filter(share => share >= MIN_SHARE)

/**
 * Returns the length of a window, in seconds.
 *
 * @param {keyof typeof SECONDS} kind
 * @param {number} rate
 * @param {Options} options
 */
export function getSeconds (kind, rate, { p99Ms, quick }) {
  const mode = quick ? 'quick' : 'full'
  const forTimes = MEAN_TIMES / Math.max(rate, MIN_RATE) + SETTLE_SECONDS
  return Math.max(SECONDS[kind][mode], GOALS[mode] * p99Ms / 1000, forTimes)
}

/**
 * Returns whether a window of the curve has enough response times for a 99th percentile, on average.
 *
 * @param {number} rate
 * @param {Options} options
 */
export const hasP99 = (rate, options) => rate * (getSeconds('curve', rate, options) - SETTLE_SECONDS) >= MIN_TIMES

/**
 * Returns the limit of requests of a window. The number of random arrivals varies by the square root of its mean, so
 * the limit cuts off one window in millions.
 *
 * @param {number} rate
 * @param {number} seconds
 */
export const limitOfWindow = (rate, seconds) => Math.ceil(rate * seconds + 5 * Math.sqrt(rate * seconds) + 5)

/**
 * Returns the load that must be permitted at least: that of one search and of the curve.
 *
 * @param {number} mostRps
 * @param {Options} options
 * @returns {Amount}
 */
export function getLeast (mostRps, options) {
  const { requests, seconds } = boundLoad(mostRps, options, {
    start: getStart(mostRps), down: BRACKET.down, capacity: MIN_RATE
  })
  return { requests: REQUESTS_TO_CHECK + requests, seconds }
}

/**
 * Returns the largest load of a further search and of the curve.
 *
 * @param {number} mostRps
 * @param {Options} options
 * @param {number} capacity as found so far
 */
export const boundFurther = (mostRps, options, capacity) =>
  boundLoad(mostRps, options, { start: capacity / NEARBY, down: 1 / NEARBY, capacity: capacity / NEARBY })

/**
 * Bounds the load of a search and of the curve. Low rates have long windows, high rates many requests.
 *
 * @param {number} mostRps
 * @param {Options} options
 * @param {{ start: number, down: number, capacity: number }} lowest start: rate of the first window; down: factor by
 *   which the rate of the next window is smaller at most; capacity: the smallest possible result
 * @returns {Amount}
 */
function boundLoad (mostRps, options, { start, down, capacity }) {
  const trials = Array.from({ length: MAX_TRIALS }, (_, i) => start * down ** i)
  const points = getShares(options.quick).map(share => share * capacity)
  const search = boundWindows('trial', trials, { mostRps, options })
  const curve = boundWindows('curve', [...points, ...Array(MAX_REPEATS).fill(points[0])], { mostRps, options })
  return { requests: search.requests + curve.requests, seconds: search.seconds + curve.seconds }
}

/**
 * @param {keyof typeof SECONDS} kind
 * @param {number[]} rates the lowest possible ones
 * @param {{ mostRps: number, options: Options }} bounds
 * @returns {Amount}
 */
const boundWindows = (kind, rates, { mostRps, options }) => ({
  requests: rates.length * limitOfWindow(mostRps, getSeconds(kind, mostRps, options)),
  seconds: rates.reduce((sum, rate) => sum + getSeconds(kind, rate, options) + BESIDE_SECONDS, 0)
})

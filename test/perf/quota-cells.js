/**
 * Compares the estimated capacity of apps under a quota with the measured one (pure). `npm run perf -- q` measures,
 * results/reference/quotas.json has the measurements, and test/features/size/capacity/quota-measured.test.js repeats
 * the estimate.
 */
import { capacityUnder } from '../../bench/features/size/capacity/cost.js'
import { computeDelay } from '../../bench/features/size/prices/instance.js'

export const GOALS_MS = [25, 50, 100, 250]
/** Highest rate that is tried, as a multiple of the highest estimate. */
export const ABOVE = 1.4
/** Windows beyond the highest rate of the searches, at most. Without them a
 * rate that every window met only bounds the measured capacity from below. */
const MAX_BEYOND = 4
/** Ratio of two rates beyond those of the searches, at least. */
const STEP_BEYOND = 1.12

/**
 * @typedef {object} Seen of one app under one quota
 * @property {string} app
 * @property {number} cpu the quota, cores
 * @property {number} cores that there are
 * @property {number} unloadedMs median
 * @property {{ rate: number, cores: number }[]} usages without the quota
 * @property {number | null} burst seconds of CPU time, as burstSeconds() computes them without the quota
 * @property {number | null} pause the same of pauseSeconds()
 * @property {{ rate: number, p99Ms: number | null }[]} outcomes under the quota; null: something failed
 */
/** @typedef {{ app: string, cpu: number, p99Ms: number, estimated: number, measured: number }} Cell rates */

/**
 * @param {Seen} seen
 * @param {number[]} [goals] ms
 * @returns {Cell[]}
 */
export const cellsOf = (seen, goals = GOALS_MS) => goals.map(p99Ms => ({
  app: seen.app,
  cpu: seen.cpu,
  p99Ms,
  estimated: estimated(seen, p99Ms),
  measured: threshold(seen.outcomes.map(({ rate, p99Ms: seenMs }) => ({ rate, holds: (seenMs ?? Infinity) <= p99Ms })))
}))

/**
 * @param {Seen} seen
 * @param {number} p99Ms
 */
function estimated ({ cpu, cores, unloadedMs, usages, burst, pause }, p99Ms) {
  const delay = computeDelay({ p50Ms: unloadedMs }, p99Ms)
  const uneven = burst === null ? null : { cores, delay, burst, pause: pause ?? undefined }
  return capacityUnder(cpu, usages, Infinity, uneven).rate
}

/**
 * Finds the rate that best separates the windows that meet the goal from the others: the middle of the range with the
 * fewest windows on the wrong side.
 * @param {{ rate: number, holds: boolean }[]} outcomes
 */
function threshold (outcomes) {
  const byRate = [...outcomes].sort((a, b) => a.rate - b.rate)
  const wrong = Array.from({ length: byRate.length + 1 }, (_, i) =>
    byRate.filter(({ holds }, j) => holds === (j >= i)).length)
  const least = Math.min(...wrong)
  const between = (/** @type {number} */ i) =>
    Math.sqrt((byRate[i - 1] ?? byRate[0]).rate * (byRate[i] ?? byRate[i - 1]).rate)
  return Math.sqrt(between(wrong.indexOf(least)) * between(wrong.lastIndexOf(least)))
}

/**
 * Returns rates above the highest one so far, at equal ratios, up to the target.
 * @param {number} highest rate so far
 * @param {number} target
 */
export function ratesBeyond (highest, target) {
  const ratio = target / highest
  if (!(ratio > 1)) return []
  const steps = Math.min(MAX_BEYOND, Math.ceil(Math.log(ratio) / Math.log(STEP_BEYOND)))
  return Array.from({ length: steps }, (_, i) => highest * ratio ** ((i + 1) / steps))
}

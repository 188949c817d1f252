/**
 * Change points of a series: positions at which its level changes (pure). Finds the partition with the least sum of
 * squared distances from the means of its segments, plus a penalty for each change: optimal partitioning of B. Jackson
 * et al. (2005, IEEE Signal Processing Letters 12(2), 105-108). PELT (R. Killick et al. 2012, JASA 107(500), 1590-1598)
 * finds the same partition in less time, which a history of some hundred runs does not need.
 */
import { median } from './quantile.js'

/** Fewest values of a segment: one or two values are no new level. */
const LEAST_SEGMENT = 3

/**
 * Penalty of a change, in variances of the noise times the logarithm of the number of values. With it a series of noise
 * alone seldom shows a change, at any length: docs/statistics.md has the rates of a simulation.
 */
const PENALTY = 6
/** Share by which the estimate of the noise is raised, times the number of values, because few values can be alike. */
const SMALL_SAMPLE = 4

/**
 * Returns the first index of each level after the first, with a penalty that few series of noise alone exceed.
 *
 * @param {readonly number[]} values in order
 * @param {number} [noise] known standard deviation, which is used if the values vary less
 * @returns {number[]} ascending; empty for fewer values than two segments have
 */
export function findSteps (values, noise = 0) {
  const count = values.length
  if (count < 2 * LEAST_SEGMENT) return []
  const deviation = Math.max(computeNoise(values) * (1 + SMALL_SAMPLE / count), noise)
  return findChangePoints(removeOutliers(values), PENALTY * deviation ** 2 * Math.log(count))
}

/**
 * Replaces each value by the median of itself and its neighbours, which removes single outliers and leaves steps where
 * they are.
 *
 * @param {readonly number[]} values at least three
 */
const removeOutliers = values => values.map((_, i) => {
  const start = Math.min(Math.max(i - 1, 0), values.length - 3)
  return median(values.slice(start, start + 3))
})

/**
 * Returns the first index of each segment after the first.
 *
 * @param {readonly number[]} values in order
 * @param {number} penalty in squared units of the values
 * @param {number} [least] fewest values of a segment
 * @returns {number[]} ascending
 */
export function findChangePoints (values, penalty, least = LEAST_SEGMENT) {
  const cost = createCost(values)
  /** Least cost of the first i values, and the start of their last segment. */
  const best = [{ cost: -penalty, start: 0 }]
  for (let end = 1; end <= values.length; end++) {
    best[end] = { cost: Infinity, start: 0 }
    for (let start = 0; start <= end - least; start++) {
      const total = best[start].cost + cost(start, end) + penalty
      if (total < best[end].cost) best[end] = { cost: total, start }
    }
  }
  const found = []
  for (let { start } = best[values.length]; start > 0; start = best[start].start) found.unshift(start)
  return found
}

/**
 * Returns a function of the squared distances of values from their mean, by cumulated sums.
 *
 * @param {readonly number[]} values
 * @returns {(start: number, end: number) => number}
 */
function createCost (values) {
  // Sums of distances from the mean of all lose fewer digits.
  const centre = values.reduce((sum, value) => sum + value, 0) / values.length
  const sums = [0]
  const squares = [0]
  values.forEach((value, i) => {
    sums.push(sums[i] + value - centre)
    squares.push(squares[i] + (value - centre) ** 2)
  })
  return (start, end) => squares[end] - squares[start] - (sums[end] - sums[start]) ** 2 / (end - start)
}

/** Share of the differences of neighbours, the smallest ones, that the noise is estimated from. */
const KEPT = 0.75
/** Mean of this share of the absolute differences of two normal values with a standard deviation of 1. */
const NORMAL_MEAN = 0.7282

/**
 * Estimates the standard deviation within segments from the differences of neighbours. Leaves out the largest, among
 * which are those of steps and outliers.
 *
 * @param {readonly number[]} values at least two
 */
function computeNoise (values) {
  const distances = values.slice(1).map((value, i) => Math.abs(value - values[i])).sort((a, b) => a - b)
  const kept = distances.slice(0, Math.ceil(distances.length * KEPT))
  return kept.reduce((sum, distance) => sum + distance, 0) / kept.length / NORMAL_MEAN
}

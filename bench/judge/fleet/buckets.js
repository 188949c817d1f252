/** Histogram with buckets of equal ratio, so that a quantile is exact to half a percent. */

/** Ratio of the upper and lower bound of a bucket. */
const RATIO = 1.005
const LOG_RATIO = Math.log(RATIO)

/** Returns the index of the bucket of a time in seconds. @param {number} seconds */
export const toBucket = seconds => Math.round(Math.log(Math.max(seconds, 1e-9)) / LOG_RATIO)

/**
 * @param {Map<number, number>} buckets count by index
 * @param {number} count of all buckets
 * @param {number} p
 * @returns {number} seconds
 */
export function histogramQuantile (buckets, count, p) {
  let seen = 0
  for (const [index, here] of [...buckets].sort(([a], [b]) => a - b)) {
    seen += here
    if (seen >= p * count) return Math.exp(index * LOG_RATIO)
  }
  return NaN
}

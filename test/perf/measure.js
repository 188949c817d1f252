/** Number formats and the median of the parts. */

/**
 * @param {number} value
 * @param {number} [digits]
 */
export const fixed = (value, digits = 2) => value.toFixed(digits)
/** @param {number} share */
export const percent = share => `${(share * 100).toFixed(1)} %`

/** @param {number[]} values */
export function median (values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

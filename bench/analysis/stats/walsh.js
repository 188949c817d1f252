/**
 * Walsh averages: the n(n+1)/2 means (x_i + x_j)/2 with i <= j, which include each x_i. The k-th of them is found
 * without a list of all: an interval of values is halved, with the averages below counted in O(n) each time, until it
 * contains one value.
 */

/**
 * @param {number} n number of values
 * @returns {number} number of Walsh averages
 */
export const walshCount = n => n * (n + 1) / 2

/**
 * @param {ArrayLike<number>} sorted ascending
 * @param {number} k 1 for the smallest, n(n+1)/2 for the largest
 * @returns {number} the k-th smallest Walsh average, exactly
 */
export function walshAverage (sorted, k) {
  const n = sorted.length
  if (!(k >= 1 && k <= walshCount(n))) throw new RangeError(`${n} values have no Walsh average number ${k}`)
  let low = sorted[0]
  let high = sorted[n - 1]
  let below = countAtMost(sorted, low)
  if (below >= k) return low
  let upTo = walshCount(n)
  // Holds: below = count(low) < k <= count(high) = upTo.
  while (upTo - below > 1) {
    const middle = (low + high) / 2
    // low and high are adjacent floating-point numbers, so the remaining averages are equal.
    if (middle <= low || middle >= high) break
    const count = countAtMost(sorted, middle)
    if (count >= k) {
      high = middle
      upTo = count
    } else {
      low = middle
      below = count
    }
  }
  return smallestAbove(sorted, low)
}

/**
 * Counts the Walsh averages up to a limit.
 *
 * @param {ArrayLike<number>} sorted
 * @param {number} limit
 */
function countAtMost (sorted, limit) {
  let count = 0
  let j = sorted.length - 1
  // The last x_j of a pair moves down as x_i grows, so one pass over both is enough.
  for (let i = 0; i <= j; i++) {
    while (j >= i && (sorted[i] + sorted[j]) / 2 > limit) j--
    count += j - i + 1
  }
  return count
}

/**
 * @param {ArrayLike<number>} sorted
 * @param {number} limit
 */
function smallestAbove (sorted, limit) {
  let smallest = Infinity
  let j = sorted.length - 1
  for (let i = 0; i < sorted.length; i++) {
    while (j >= i && (sorted[i] + sorted[j]) / 2 > limit) j--
    const first = Math.max(j + 1, i)
    if (first < sorted.length) smallest = Math.min(smallest, (sorted[i] + sorted[first]) / 2)
  }
  return smallest
}

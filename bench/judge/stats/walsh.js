/**
 * Walsh averages: the n(n+1)/2 means (x_i + x_j)/2 with i <= j, which include each x_i. The k-th of them is found
 * without a list of all: an interval of values is halved, with the averages below counted in O(n) each time, until its
 * ends are adjacent floating-point numbers.
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
  if (countAtMost(sorted, low) >= k) return low
  // Holds: fewer than k averages are at most low, and at least k are at most high.
  while (true) {
    const middle = (low + high) / 2
    if (middle <= low || middle >= high) return high
    if (countAtMost(sorted, middle) >= k) high = middle
    else low = middle
  }
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

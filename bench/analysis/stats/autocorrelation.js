/** How much of a value's deviation is seen again in the next one.
 * @param {readonly number[]} values in the order in which they were measured
 * @returns {number} between -1 and 1: sum of (x_i - m)(x_{i+1} - m) over sum of (x_i - m)²; NaN for fewer than three
 * values, 0 when they are all equal As in G. E. P. Box, G. M. Jenkins (1976), Time Series Analysis, section 2.1.5. Not
 * corrected for its bias: this is the number that is published. */
export function lag1 (values) {
  const n = values.length
  if (n < 3) return NaN
  const mean = values.reduce((sum, x) => sum + x, 0) / n
  let products = 0
  let squares = 0
  for (let i = 0; i < n; i++) {
    squares += (values[i] - mean) ** 2
    if (i > 0) products += (values[i] - mean) * (values[i - 1] - mean)
  }
  return squares === 0 ? 0 : products / squares
}

/**
 * lag1() without its bias to first order: in n values of an AR(1) process whose mean is estimated too, it comes out low
 * by (1 + 4ρ)/n.
 *
 * @param {number} lag1 as lag1() gave it
 * @param {number} n of how many values
 * @returns {number} between -1 and 1 Sources: F. H. C. Marriott, J. A. Pope (1954), Biometrika 41, 390-402; M. G.
 *   Kendall (1954), Biometrika 41, 403-404.
 */
export const withoutBias = (lag1, n) => Math.max(-1, Math.min(1, lag1 + (1 + 4 * lag1) / n))

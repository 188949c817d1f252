/**
 * Computes the lag-1 autocorrelation: the sum of (x_i - m)(x_{i+1} - m) over the sum of (x_i - m)² (G. E. P. Box, G. M.
 * Jenkins (1976), Time Series Analysis, section 2.1.5). Its bias is not corrected, because records contain this figure.
 *
 * @param {readonly number[]} values in the order of measurement
 * @returns {number} between -1 and 1; NaN for fewer than three values, 0 for equal values
 */
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
 * Corrects the bias of lag1() to first order. In n values of an AR(1) process with an estimated mean the bias is -(1 +
 * 4ρ)/n (F. H. C. Marriott, J. A. Pope (1954), Biometrika 41, 390-402; M. G. Kendall (1954), Biometrika 41, 403-404).
 *
 * @param {number} lag1 as computed by lag1()
 * @param {number} n number of values
 * @returns {number} between -1 and 1
 */
export const withoutBias = (lag1, n) => Math.max(-1, Math.min(1, lag1 + (1 + 4 * lag1) / n))

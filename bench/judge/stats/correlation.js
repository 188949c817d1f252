/**
 * Computes Pearson's coefficient of correlation.
 *
 * @param {readonly number[]} x
 * @param {readonly number[]} y of the same length
 * @returns {number} between -1 and 1; NaN if x or y is constant, or for fewer than three values
 */
function correlation (x, y) {
  if (x.length !== y.length || x.length < 3) return NaN
  const products = (/** @type {(i: number) => number} */ of) => x.reduce((sum, _, i) => sum + of(i), 0)
  const [mx, my] = [products(i => x[i]) / x.length, products(i => y[i]) / y.length]
  return products(i => (x[i] - mx) * (y[i] - my)) /
    Math.sqrt(products(i => (x[i] - mx) ** 2) * products(i => (y[i] - my) ** 2))
}

/**
 * Computes Spearman's coefficient of correlation, which outliers do not affect. It is also the correlation of the
 * rank-sum statistics of two figures measured together (M. L. Puri, P. K. Sen, Nonparametric Methods in Multivariate
 * Analysis, 1971, chapter 5).
 *
 * @param {readonly number[]} x
 * @param {readonly number[]} y of the same length
 * @returns {number} as correlation()
 */
export const rankCorrelation = (x, y) => correlation(ranks(x), ranks(y))

/** Returns the rank of each value. Equal values have the mean of their ranks. @param {readonly number[]} values */
function ranks (values) {
  const sorted = [...values].sort((a, b) => a - b)
  return values.map(value => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2)
}

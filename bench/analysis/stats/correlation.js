/**
 * Pearson's coefficient of correlation.
 * @param {readonly number[]} x
 * @param {readonly number[]} y as many
 * @returns {number} between -1 and 1; NaN where one of them does not vary, or there are fewer than three
 */
export function correlation (x, y) {
  if (x.length !== y.length || x.length < 3) return NaN
  const products = (/** @type {(i: number) => number} */ of) => x.reduce((sum, _, i) => sum + of(i), 0)
  const [mx, my] = [products(i => x[i]) / x.length, products(i => y[i]) / y.length]
  return products(i => (x[i] - mx) * (y[i] - my)) /
    Math.sqrt(products(i => (x[i] - mx) ** 2) * products(i => (y[i] - my) ** 2))
}

import t from '../../support/tap.js'
import { shiftBetween } from '../../../bench/judge/stats/rank-sum.js'

/**
 * Critical values of U, two-sided at 5 %, from the table of H. B. Mann and D. R. Whitney as extended by
 * R. Milton (1964), JASA 59, 925-934: the largest u with P(U <= u) <= 0.025.
 */
const CRITICAL =
  /** @type {const} */ ([[4, 4, 0], [5, 5, 2], [6, 6, 5], [7, 7, 8], [8, 8, 13], [9, 9, 17], [10, 10, 23], [12, 12,
    37], [15, 15, 64], [20, 20, 127], [5, 8, 6], [6, 10, 11], [10, 20, 55]])

/**
 * Returns the position of the difference that bounds the interval. The sorted differences are 1 to mn.
 * @param {number} m
 * @param {number} n
 * @param {number} level
 */
const depthOf = (m, n, level) => shiftBetween(Array.from({ length: m }, (_, i) => i),
  Array.from({ length: n }, (_, i) => m * (i + 1)), level).low

t.test('computes the depth of published tables', async t => {
  for (const [m, n, critical] of CRITICAL) t.equal(depthOf(m, n, 0.95), critical + 1, `${m} and ${n} values`)
})

t.test('the normal approximation of many values continues the exact depths without a step', async t => {
  for (const level of [0.9, 0.95, 0.99]) {
    const [exact, normal] = [depthOf(200, 200, level), depthOf(200, 201, level)]
    t.ok(Math.abs(Number(normal) / Number(exact) - 1) < 0.01, `level ${level}`)
  }
})

t.test('reproduces an example from the literature', async t => {
  // Hollander, Wolfe and Chicken, table 4.1 and example 4.4: permeability of the amniotic membrane at term and at 12 to
  // 26 weeks; the estimate is 0.305 and the interval of 95.6 %, from the 9th and the 42nd difference, (-0.15, 0.76).
  const atTerm = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
  const earlier = [1.15, 0.88, 0.90, 0.74, 1.21]
  const { shift, low, high } = shiftBetween(earlier, atTerm, 0.95)
  t.ok(Math.abs(shift - 0.305) < 1e-9, `${shift}`)
  t.ok(Math.abs(Number(low) + 0.15) < 1e-9 && Math.abs(Number(high) - 0.76) < 1e-9, `${low} to ${high}`)
})

t.test('returns no interval for few values and rejects a level of 1', async t => {
  t.match(shiftBetween([1, 2], [3, 4], 0.95), { shift: 2, low: null, high: null })
  t.throws(() => shiftBetween([1, 2, 3, 4, 5], [1, 2, 3, 4, 5], 1), RangeError)
})

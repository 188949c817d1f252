import t from '../../support/tap.js'
import { hodgesLehmann, signedRankInterval } from '../../../bench/judge/stats/paired.js'
import { agrees, reference } from '../../support/reference.js'
import { smallestSampleFor } from '../../../bench/plan/sample-size.js'

/**
 * Returns the position of the Walsh average that bounds the interval; 0: there is no interval. No two averages of these
 * values are alike.
 * @param {number} n
 * @param {number} level
 */
function depthOf (n, level) {
  const values = Array.from({ length: n }, (_, i) => i + Math.sqrt(i + 2) / 1e3)
  const { low } = signedRankInterval(values, level) ?? {}
  const averages = values.flatMap((value, i) => values.slice(i).map(other => (value + other) / 2))
  return low === undefined ? 0 : averages.filter(average => average <= low).length
}

t.test('computes the same depth as SciPy', async t => {
  for (const { n, level, k } of reference.depth) t.equal(depthOf(n, level), k, `n = ${n}, level ${level}`)
})

t.test('the normal approximation continues the exact depths without a step', async t => {
  for (const level of [0.9, 0.95, 0.99, 1 - 0.05 / 6]) {
    const exact = [299, 300].map(n => depthOf(n, level))
    const normal = depthOf(301, level)
    // The depth grows smoothly with n. The approximation deviates by a few of 45,000 averages.
    t.ok(Math.abs(normal - (2 * exact[1] - exact[0])) < 20, `level ${level}`)
  }
})

t.test('computes the same estimates and intervals as SciPy', async t => {
  for (const { values, hodgesLehmann: estimate, intervals } of reference.samples) {
    t.ok(agrees(hodgesLehmann(values), estimate), `estimate, n = ${values.length}`)
    for (const { level, interval } of intervals) {
      const found = signedRankInterval(values, level)
      if (interval === null || found === null) {
        t.equal(found, interval, `n = ${values.length} is too small for ${level}`)
      } else {
        t.ok(agrees(found.low, interval.low) && agrees(found.high, interval.high),
          `n = ${values.length}, level ${level}`)
      }
    }
  }
})

t.test('returns no interval when there are too few values for the level', async t => {
  t.equal(smallestSampleFor(0.95), 6)
  t.equal(smallestSampleFor(1 - 0.05 / 6), 8)
  t.equal(smallestSampleFor(0.96875), 6, 'six values reach exactly 2/64')
  for (const level of [0.9, 0.95, 0.96875, 0.99, 1 - 0.05 / 6]) {
    const n = smallestSampleFor(level)
    t.equal(depthOf(n - 1, level), 0)
    t.equal(depthOf(n, level), 1)
  }
  t.equal(signedRankInterval([], 0.95), null)
})

t.test('does not depend on the order of the values and does not change them', async t => {
  const values = [3, 1, 2, 6, 5, 4]
  t.strictSame(signedRankInterval(values, 0.95), { low: 1, high: 6 })
  t.strictSame(values, [3, 1, 2, 6, 5, 4])
})

t.test('rejects levels outside (0, 1)', async t => {
  t.throws(() => signedRankInterval([1, 2, 3], 95), RangeError)
  t.throws(() => signedRankInterval([1, 2, 3], NaN), RangeError)
})

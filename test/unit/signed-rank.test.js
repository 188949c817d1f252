import t from '../support/tap.js'
import {
  EXACT_UP_TO, hodgesLehmann, signedRankCdf, signedRankDepth, signedRankInterval
} from '../../bench/judge/stats/signed-rank.js'
import { agrees, reference } from '../support/reference.js'
import { smallestSampleFor } from '../../bench/plan/sample-size.js'

t.test('computes the same exact distribution as SciPy', async t => {
  for (const { n, values } of reference.cdf) {
    const cdf = signedRankCdf(n)
    t.equal(cdf.length, values.length)
    t.ok(values.every((value, w) => agrees(cdf[w], value)), `n = ${n}`)
  }
})

t.test('the distribution of many values sums to 1', async t => {
  const cdf = signedRankCdf(EXACT_UP_TO)
  t.ok(agrees(cdf[cdf.length - 1], 1))
  const middle = Math.floor((cdf.length - 1) / 2)
  t.ok(cdf[middle] >= 0.5 && cdf[middle] < 0.501, 'symmetric about n(n+1)/4')
})

t.test('computes the same depth as SciPy', async t => {
  for (const { n, level, k } of reference.depth) t.equal(signedRankDepth(n, level) ?? 0, k, `n = ${n}, level ${level}`)
})

t.test('the normal approximation continues the exact depths without a step', async t => {
  for (const level of [0.9, 0.95, 0.99, 1 - 0.05 / 6]) {
    const exact = [-1, 0].map(step => signedRankDepth(EXACT_UP_TO + step, level) ?? 0)
    const normal = signedRankDepth(EXACT_UP_TO + 1, level) ?? 0
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

t.test('the estimate is robust to an outlier', async t => {
  const values = [1, 2, 3, 4, 5, 6, 7, 8, 9]
  t.equal(hodgesLehmann(values), 5)
  t.ok(Math.abs(hodgesLehmann([...values.slice(0, 8), 1e9]) - 5) < 1)
})

t.test('returns no interval when there are too few values for the level', async t => {
  t.equal(smallestSampleFor(0.95), 6)
  t.equal(smallestSampleFor(1 - 0.05 / 6), 8)
  t.equal(smallestSampleFor(0.96875), 6, 'six values reach exactly 2/64')
  for (const level of [0.9, 0.95, 0.96875, 0.99, 1 - 0.05 / 6]) {
    const n = smallestSampleFor(level)
    t.equal(signedRankDepth(n - 1, level), null)
    t.equal(signedRankDepth(n, level), 1)
  }
  t.equal(signedRankInterval([], 0.95), null)
})

t.test('does not depend on the order of the values and does not change them', async t => {
  const values = [3, 1, 2, 6, 5, 4]
  t.strictSame(signedRankInterval(values, 0.95), { low: 1, high: 6 })
  t.strictSame(values, [3, 1, 2, 6, 5, 4])
})

t.test('rejects levels outside (0, 1)', async t => {
  t.throws(() => signedRankDepth(12, 95), RangeError)
  t.throws(() => signedRankDepth(12, NaN), RangeError)
})

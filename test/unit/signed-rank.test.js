import t from 'tap'
import {
  EXACT_UP_TO, hodgesLehmann, signedRankCdf, signedRankDepth, signedRankInterval
} from '../../bench/analysis/stats/signed-rank.js'
import { agrees, reference } from '../support/reference.js'
import { smallestSampleFor } from '../../bench/plan/sample-size.js'

t.test('the exact distribution is that of SciPy', async t => {
  for (const { n, values } of reference.cdf) {
    const cdf = signedRankCdf(n)
    t.equal(cdf.length, values.length)
    t.ok(values.every((value, w) => agrees(cdf[w], value)), `n = ${n}`)
  }
})

t.test('the distribution of many values neither overflows nor loses its sum', async t => {
  const cdf = signedRankCdf(EXACT_UP_TO)
  t.ok(agrees(cdf[cdf.length - 1], 1))
  const middle = Math.floor((cdf.length - 1) / 2)
  t.ok(cdf[middle] >= 0.5 && cdf[middle] < 0.501, 'symmetric about n(n+1)/4')
})

t.test('the depth of an interval is that of SciPy', async t => {
  for (const { n, level, k } of reference.depth) t.equal(signedRankDepth(n, level) ?? 0, k, `n = ${n}, level ${level}`)
})

t.test('the normal approximation takes over without a step', async t => {
  for (const level of [0.9, 0.95, 0.99, 1 - 0.05 / 6]) {
    const exact = [-1, 0].map(step => signedRankDepth(EXACT_UP_TO + step, level) ?? 0)
    const normal = signedRankDepth(EXACT_UP_TO + 1, level) ?? 0
    // The depth grows smoothly with n; what the approximation adds is a few of 45,000 averages.
    t.ok(Math.abs(normal - (2 * exact[1] - exact[0])) < 20, `level ${level}`)
  }
})

t.test('the estimate and its interval are those of SciPy', async t => {
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

t.test('one wild value does not move the estimate', async t => {
  const values = [1, 2, 3, 4, 5, 6, 7, 8, 9]
  t.equal(hodgesLehmann(values), 5)
  t.ok(Math.abs(hodgesLehmann([...values.slice(0, 8), 1e9]) - 5) < 1)
})

t.test('values too few for the level have no interval', async t => {
  t.equal(smallestSampleFor(0.95), 6)
  t.equal(smallestSampleFor(1 - 0.05 / 6), 8)
  t.equal(smallestSampleFor(0.96875), 6, 'exactly 2/64 is reached by six')
  for (const level of [0.9, 0.95, 0.96875, 0.99, 1 - 0.05 / 6]) {
    const n = smallestSampleFor(level)
    t.equal(signedRankDepth(n - 1, level), null)
    t.equal(signedRankDepth(n, level), 1)
  }
  t.equal(signedRankInterval([], 0.95), null)
})

t.test('an order of the values does not matter, and they are left as they were', async t => {
  const values = [3, 1, 2, 6, 5, 4]
  t.strictSame(signedRankInterval(values, 0.95), { low: 1, high: 6 })
  t.strictSame(values, [3, 1, 2, 6, 5, 4])
})

t.test('a level that is not one is refused', async t => {
  t.throws(() => signedRankDepth(12, 95), RangeError)
  t.throws(() => signedRankDepth(12, NaN), RangeError)
})

import t from '../../support/tap.js'
import { medianInterval, quantile } from '../../../bench/judge/stats/quantile.js'
import { agrees, reference } from '../../support/reference.js'

t.test('computes the same quantiles as NumPy', async t => {
  for (const { values, quantiles } of reference.samples) {
    t.ok(quantiles.every(({ p, value }) => agrees(quantile(values, p), value)), `n = ${values.length}`)
  }
})

t.test('rejects empty values and shares outside [0, 1]', async t => {
  t.throws(() => quantile([], 0.5), RangeError)
  t.throws(() => quantile([1], 95), RangeError)
  t.throws(() => quantile([1], NaN), RangeError)
})

t.test('computes the same interval of a median as SciPy', async t => {
  for (const { values, medianIntervals } of reference.samples) {
    for (const { level, interval } of medianIntervals) {
      t.strictSame(medianInterval(values, level), interval, `n = ${values.length}, level ${level}`)
    }
  }
})

t.test('computes the interval of thousands of values', async t => {
  const interval = medianInterval(Array.from({ length: 5000 }, (_, i) => i), 0.95)
  // By the normal approximation: 2500 ± 1.96 sqrt(5000)/2.
  t.ok(interval && Math.abs(interval.low - 2430) < 3 && Math.abs(interval.high - 2569) < 3)
})

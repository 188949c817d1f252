import t from '../support/tap.js'
import { Histogram } from '../../bench/load/histogram.js'
import { randomFrom } from '../../bench/shared/random.js'

/** @param {number[]} values */
function histogramOf (values) {
  const histogram = new Histogram()
  values.forEach(value => histogram.record(value))
  return histogram
}

/**
 * Computes a percentile by nearest rank of the sorted values.
 * @param {number[]} values
 * @param {number} p
 */
const byRank = (values, p) => [...values].sort((a, b) => a - b)[Math.max(0, Math.ceil(p * values.length) - 1)]

t.test('percentiles match those of the sorted values within 0.1 %', async t => {
  const random = randomFrom(1, 'latencies')
  // Spans microseconds to minutes, the range of latencies.
  const values = Array.from({ length: 20_000 }, () => Math.round(Math.exp(random() * 18)))
  const histogram = histogramOf(values)
  for (const p of [0.001, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 1]) {
    const exact = byRank(values, p)
    t.ok(Math.abs(histogram.percentile(p) - exact) <= exact / 1000,
      `p${p * 100}: ${histogram.percentile(p)} and ${exact}`)
  }
  t.equal(histogram.max, Math.max(...values))
  t.equal(histogram.count, 20_000)
})

t.test('stores small values exactly', async t => {
  const values = [0, 1, 1, 2, 2047]
  const histogram = histogramOf(values)
  for (const p of [0.2, 0.4, 0.6, 0.8, 1]) t.equal(histogram.percentile(p), byRank(values, p))
})

t.test('merged histograms equal one histogram of all values', async t => {
  const random = randomFrom(2, 'latencies')
  const parts = [1000, 1, 5000].map(length => Array.from({ length }, () => Math.round(random() * 1e6)))
  const merged = new Histogram()
  for (const part of parts) merged.add(JSON.parse(JSON.stringify(histogramOf(part))))
  t.same(merged.toJSON(), histogramOf(parts.flat()).toJSON())
})

t.test('returns NaN as percentile of an empty histogram', async t => {
  t.ok(Number.isNaN(new Histogram().percentile(0.5)))
})

t.test('counts a value beyond the range in the largest bucket', async t => {
  const histogram = histogramOf([1, 2 ** 40])
  t.equal(histogram.max, 2 ** 40)
  t.ok(histogram.percentile(1) > 2 ** 31)
})

t.test('rejects invalid histograms and inconsistent counts', async t => {
  for (const other of [null, {}, { count: 1, max: 1 }, { count: 2, max: 1, counts: [[1, 1]] }, {
    count: 1,
    max: NaN,
    counts: [[1, 1]]
  }]) {
    // @ts-expect-error on purpose
    t.throws(() => new Histogram().add(other), { message: /not a histogram$|counts do not add up$/ })
  }
})

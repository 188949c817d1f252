import t from '../support/tap.js'
import { randomFrom } from '../../bench/shared/random.js'
import { walshAverage, walshCount } from '../../bench/judge/stats/signed-rank.js'

/**
 * Returns all Walsh averages in order, by brute force.
 * @param {Float64Array} sorted
 */
function everyAverage (sorted) {
  const all = []
  for (let i = 0; i < sorted.length; i++) for (let j = i; j < sorted.length; j++) all.push((sorted[i] + sorted[j]) / 2)
  return all.sort((a, b) => a - b)
}

t.test('selects the same average as a full list', async t => {
  const random = randomFrom(1, 'walsh')
  /** @type {{ sorted: Float64Array, at: number }[]} */
  const wrong = []
  for (let round = 0; round < 300; round++) {
    const n = 1 + Math.floor(random() * 15)
    // Every other sample has many equal values.
    const sorted = Float64Array.from({ length: n }, () => round % 2 ? Math.floor(random() * 6) : random() - 0.5).sort()
    everyAverage(sorted).forEach((average, at) => {
      if (walshAverage(sorted, at + 1) !== average) wrong.push({ sorted, at })
    })
  }
  t.strictSame(wrong, [])
})

t.test('rejects positions outside the n(n+1)/2 averages', async t => {
  t.equal(walshCount(4), 10)
  t.throws(() => walshAverage([1, 2, 3, 4], 0), RangeError)
  t.throws(() => walshAverage([1, 2, 3, 4], 11), RangeError)
})

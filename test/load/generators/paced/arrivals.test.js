import t from '../../../support/tap.js'
import { arrivalTimes } from '../../../../bench/load/generators/paced/arrivals.js'
import { randomFrom } from '../../../../bench/shared/random.js'

/**
 * Returns the first arrival times, in ms.
 * @param {{ rate: number, arrivals: 'constant' | 'poisson' }} order
 * @param {number} length
 */
function times (order, length, seed = 1) {
  const next = arrivalTimes({ ...order, random: randomFrom(seed, 'arrivals') })
  return Array.from({ length }, next)
}
/** @param {number[]} all */
const gaps = all => all.slice(1).map((time, i) => time - all[i])
/** @param {number[]} values */
const mean = values => values.reduce((a, b) => a + b) / values.length

t.test('spaces constant arrivals evenly without drift, from a random offset in the first gap', async t => {
  const all = times({ rate: 3, arrivals: 'constant' }, 30_001)
  t.ok(all[0] >= 0 && all[0] < 1000 / 3)
  t.ok(Math.abs(all[30_000] - all[0] - 10_000_000) < 1e-3, 'on time after ten thousand seconds')
  for (const gap of gaps(all.slice(0, 100))) t.ok(Math.abs(gap - 1000 / 3) < 1e-6)
})

t.test('draws the gaps of Poisson arrivals from an exponential distribution', async t => {
  const all = gaps(times({ rate: 1000, arrivals: 'poisson' }, 100_001))
  t.ok(Math.abs(mean(all) - 1) < 0.02, 'the mean is the inverse of the rate')
  t.ok(Math.abs(Math.sqrt(mean(all.map(gap => (gap - 1) ** 2))) - 1) < 0.03, 'the standard deviation equals the mean')
  t.ok(Math.abs(all.filter(gap => gap > Math.LN2).length / all.length - 0.5) < 0.01,
    'half of the gaps are longer than ln 2 of the mean')
})

t.test('returns the same schedule for the same seed and another for another seed', async t => {
  const order = { rate: 50, arrivals: /** @type {const} */ ('poisson') }
  t.same(times(order, 100), times(order, 100))
  t.notSame(times(order, 100), times(order, 100, 2))
})

t.test('rejects a rate that is not positive', async t => {
  for (const rate of [0, -1, NaN]) t.throws(() => times({ rate, arrivals: 'constant' }, 1), RangeError)
})

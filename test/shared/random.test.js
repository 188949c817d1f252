import t from '../support/tap.js'
import { randomFrom, shuffle } from '../../bench/shared/random.js'

/**
 * Returns the first numbers of a stream.
 * @param {() => number} random
 * @param {number} count
 */
const take = (random, count) => Array.from({ length: count }, random)

t.test('returns the same numbers for the same seed and stream only', async t => {
  const numbers = take(randomFrom(7, 'order', 3), 20)
  t.strictSame(take(randomFrom(7, 'order', 3), 20), numbers)
  for (const other of [randomFrom(8, 'order', 3), randomFrom(7, 'order', 4), randomFrom(7, 'other', 3),
    randomFrom(7, 'order', '3')]) {
    t.notSame(take(other, 20), numbers)
  }
})

t.test('returns the numbers of earlier releases, because stored seeds must reproduce their order', async t => {
  t.strictSame(take(randomFrom(42, 'order', 0), 3).map(x => x * 2 ** 32), [1378764082, 940116231, 1899116564])
})

t.test('numbers are uniform in [0, 1) and not autocorrelated', async t => {
  const numbers = take(randomFrom(1, 'even'), 100_000)
  t.ok(numbers.every(x => x >= 0 && x < 1))
  const bins = new Array(10).fill(0)
  for (const x of numbers) bins[Math.floor(x * 10)]++
  // Chi-squared with 9 degrees of freedom: 27.9 has probability 0.001.
  t.ok(bins.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0) < 27.9)
  const products = numbers.slice(1).reduce((sum, x, i) => sum + (x - 0.5) * (numbers[i] - 0.5), 0)
  t.ok(Math.abs(products / numbers.length * 12) < 0.012, 'correlation within 4 standard errors of 0')
})

t.test('first numbers of neighbouring streams are uniform', async t => {
  const firsts = Array.from({ length: 20_000 }, (_, block) => randomFrom(1, 'order', block)())
  const mean = firsts.reduce((sum, x) => sum + x, 0) / firsts.length
  t.ok(Math.abs(mean - 0.5) < 4 * Math.sqrt(1 / 12 / firsts.length))
})

t.test('shuffles to every order with equal probability', async t => {
  const random = randomFrom(3, 'shuffle')
  /** @type {Record<string, number>} */
  const seen = {}
  for (let i = 0; i < 12_000; i++) {
    const order = shuffle(['a', 'b', 'c'], random).join('')
    seen[order] = (seen[order] ?? 0) + 1
  }
  t.equal(Object.keys(seen).length, 6)
  // Chi-squared with 5 degrees of freedom: 20.5 has probability 0.001.
  t.ok(Object.values(seen).reduce((sum, count) => sum + (count - 2000) ** 2 / 2000, 0) < 20.5)
})

t.test('does not change the shuffled list', async t => {
  const list = [1, 2, 3]
  t.strictSame(shuffle(list, randomFrom(1)).sort(), [1, 2, 3])
  t.strictSame(list, [1, 2, 3])
})

t.test('rejects seeds that are not unsigned 32-bit integers', async t => {
  for (const seed of [-1, 1.5, 2 ** 32, NaN]) t.throws(() => randomFrom(seed), RangeError)
})

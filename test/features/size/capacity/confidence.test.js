import t from '../../../support/tap.js'
import { lowerToConfidence } from '../../../../bench/features/size/capacity/confidence.js'
import { randomFrom } from '../../../../bench/shared/random.js'

/**
 * Simulates trials of searches around a capacity of 1,000.
 * @param {number} scale width of the transition from trials that hold to trials that do not
 * @param {number} seed
 */
function trials (scale, seed) {
  const random = randomFrom(seed, 'trials')
  return Array.from({ length: 30 }, () => {
    const rate = 1000 * Math.exp(0.24 * (random() - 0.5))
    return { rate, holds: random() < 1 / (1 + Math.exp(Math.log(rate / 1000) / scale)) }
  })
}

/**
 * Returns the rate that a share of the windows holds, as a share of the capacity.
 * @param {ReturnType<typeof trials>} measured
 * @param {number} share
 */
const factorHeldBy = (measured, share) =>
  lowerToConfidence({ rate: 1000, low: 900, high: 1100, searches: [], atLeast: false }, measured, share).rate / 1000

t.test('returns the capacity itself for half of the windows', async t => {
  t.equal(factorHeldBy(trials(0.05, 1), 0.5), 1)
})

t.test('returns a lower rate for a larger share of windows and for a wider transition', async t => {
  const mean = (/** @type {number} */ scale, /** @type {number} */ share) => {
    const factors = Array.from({ length: 20 }, (_, seed) => factorHeldBy(trials(scale, seed), share))
    return factors.reduce((a, b) => a + b, 0) / factors.length
  }
  const expected = Math.exp(-0.05 * Math.log(19))
  t.ok(Math.abs(mean(0.05, 0.95) / expected - 1) < 0.06, `${mean(0.05, 0.95)}, ${expected}`)
  t.ok(mean(0.05, 0.95) < mean(0.05, 0.8))
  t.ok(mean(0.1, 0.95) < mean(0.01, 0.95))
})

t.test('returns a reduced rate from few trials even if they agree', async t => {
  const few = [{ rate: 990, holds: true }, { rate: 1010, holds: false }]
  const factor = factorHeldBy(few, 0.95)
  t.ok(factor > 0.85 && factor < 0.98, String(factor))
})

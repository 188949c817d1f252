/** Tests the level of families of intervals that are correlated in pairs. */
import t from '../../support/tap.js'
import { rankCorrelation } from '../../../bench/judge/runs/run-metrics.js'
import { levelOfFamily } from '../../../bench/judge/stats/family.js'
import { shiftBetween } from '../../../bench/judge/stats/rank-sum.js'
import { normalQuantile } from '../../../bench/shared/normal.js'
import { normal, seriesOf } from '../../support/simulate.js'

const near = (/** @type {number} */ a, /** @type {number} */ b, by = 1e-6) => Math.abs(a - b) < by

t.test('identical estimates miss as often as one, independent ones nearly twice as often', async t => {
  t.ok(near(levelOfFamily([1], 0), 0.95), 'one measurement')
  t.ok(near(levelOfFamily([-1], 0), 0.95), 'one measurement and its inverse')
  t.ok(near(levelOfFamily([0], 0), Math.sqrt(0.95)), 'independent')
})

t.test('the error of correlated estimates matches a simulation', async t => {
  const rounds = 100_000
  for (const correlation of [-0.5, 0.85, 0.99]) {
    const random = seriesOf('either misses', correlation * 100)
    const limit = normalQuantile((1 + levelOfFamily([correlation], 0)) / 2)
    let missed = 0
    for (let i = 0; i < rounds; i++) {
      const x = normal(random)
      const y = correlation * x + Math.sqrt(1 - correlation ** 2) * normal(random)
      if (Math.abs(x) > limit || Math.abs(y) > limit) missed++
    }
    t.ok(near(missed / rounds, 0.05, 3.1 * Math.sqrt(0.05 * 0.95 / rounds)), `${correlation}: ${missed / rounds}`)
  }
})

t.test('uses the Bonferroni level for a family without pairs', async t => {
  t.ok(near(levelOfFamily([], 1), 0.95))
  t.ok(near(levelOfFamily([], 4), 1 - 0.05 / 4))
  t.ok(near(levelOfFamily([1, 1], 1), 1 - 0.05 / 3), 'a perfectly correlated pair counts as one')
  t.ok(levelOfFamily([-0.85], 0) > 0.96, 'a pair with a lower correlation counts as more than one')
  t.ok(levelOfFamily([0.85], 0) < levelOfFamily([0.5], 0), 'stronger correlation needs less adjustment')
})

t.test('rank correlation is robust to outliers and averages ties', async t => {
  t.equal(rankCorrelation([1, 2, 3, 1000], [9, 7, 5, -1e6]), -1)
  t.ok(near(rankCorrelation([1, 1, 2, 3], [1, 1, 2, 3]), 1))
  t.ok(Number.isNaN(rankCorrelation([1, 1, 1], [1, 2, 3])))
})

const ROUNDS = 800
/** Tolerance of 3.1 standard errors, which one of a thousand correct simulations exceeds. */
const ALLOWANCE = 3.1 * Math.sqrt(0.055 * 0.945 / ROUNDS)

/**
 * Simulates equal runs and returns how often the interval of the rate or of the CPU time misses.
 *
 * Uses the rank-sum interval without widening.
 * @param {number} n number of blocks
 * @param {number} rho correlation of rate and CPU time
 */
function familyError (n, rho) {
  const random = seriesOf('family', n, rho * 100)
  const run = () => {
    const rates = Array.from({ length: n }, () => normal(random))
    return { rates, costs: rates.map(rate => rho * rate + Math.sqrt(1 - rho ** 2) * normal(random)) }
  }
  let missed = 0
  for (let i = 0; i < ROUNDS; i++) {
    const [before, after] = [run(), run()]
    const shown = [before, after].map(({ rates, costs }) => Math.abs(rankCorrelation(rates, costs)))
    const misses = (/** @type {'rates' | 'costs'} */ figure) => {
      const { low, high } = shiftBetween(before[figure], after[figure], levelOfFamily([Math.min(...shown)], 0))
      return low !== null && high !== null && (low > 0 || high < 0)
    }
    if (misses('rates') || misses('costs')) missed++
  }
  return missed / ROUNDS
}

t.test('a family keeps its error rate with the measured correlation', async t => {
  for (const rho of [-0.5, -0.85, -0.97]) {
    const share = familyError(12, rho)
    // Allows 0.055 instead of 0.05 because the correlation is estimated from twelve blocks.
    t.ok(share <= 0.055 + ALLOWANCE, `${rho}: ${share}`)
  }
})

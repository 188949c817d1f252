/** The capacity of a stored sizing at the confidence of today. */
import t from '../../../support/tap.js'
import { CONFIDENCE } from '../../../../bench/shared/thresholds.js'
import { lowerToConfidence } from '../../../../bench/features/size/capacity/confidence.js'
import { withTodaysPrices } from '../../../../bench/features/size/prices/todays-prices.js'
import { makeRecord } from '../../../support/record.js'
import { sizing } from '../../../support/sizing.js'

const [topology] = sizing.topologies
const trials = [900, 950, 980, 990, 1010, 1020, 1060, 1100]
  .map(rate => ({ rate, holds: rate < 1000, p99Ms: 40, lagMs: 0, why: null }))
/** Capacity that half of the windows hold. */
const half = { rate: 1000, low: 950, high: 1060, searches: [950, 1000, 1060], atLeast: false }
const expected = lowerToConfidence(half, trials, CONFIDENCE)

t.test('a stored capacity is lowered to the confidence of today once, from any confidence of its own', async t => {
  t.ok(expected.rate < 990)
  for (const confidence of [0.5, 0.8, CONFIDENCE, 0.99]) {
    const topologies = [{ ...topology, trials, capacity: lowerToConfidence(half, trials, confidence) }]
    const stored = { ...sizing, goal: { ...sizing.goal, confidence }, topologies }
    const found = withTodaysPrices(makeRecord({ sizing: stored }), []).sizing?.topologies[0].capacity
    for (const end of /** @type {const} */ (['rate', 'low', 'high'])) {
      t.ok(Math.abs(Number(found?.[end]) - expected[end]) < 1e-6, `${confidence}: ${end} ${found?.[end]}`)
    }
    t.same(found?.searches, half.searches)
  }
})

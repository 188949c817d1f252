import t from 'tap'
import { burstSeconds, pauseSeconds, PERIOD_SECONDS, underLoad } from '../../bench/studies/sizing/bursts.js'
import { serve } from '../support/quota-server.js'

/** What a request costs on average, garbage collections and all. */
const COST = 0.0006

t.test('the index of dispersion of requests that come by chance is what one of them costs, at every rate', async t => {
  for (const rate of [100, 400, 900]) {
    const burst = Number(burstSeconds([serve({ cpu: 1, rate, cost: COST, seconds: 2000, seed: rate }).parts], 1))
    t.ok(Math.abs(burst / COST - 1) < 0.1, `${rate} a second: ${(burst * 1000).toFixed(3)} ms`)
  }
})

t.test('the middle window counts; one on busy cores does not, unless there is no other', async t => {
  const [light, heavier, busy] = [[0.1, 0.2, 0.1, 0.2], [0.4, 0.5, 0.4, 0.5], [0.9, 1, 0.9, 1]]
  const disturbed = [0.1, 0.9, 0.1, 0.2]
  t.ok(Math.abs(Number(burstSeconds([light], 1)) - 0.01 / 3 / 0.15 * PERIOD_SECONDS) < 1e-12)
  t.equal(burstSeconds([light, disturbed, heavier], 1), burstSeconds([light], 1))
  t.equal(pauseSeconds([light, disturbed, heavier], 1), pauseSeconds([light], 1))
  t.equal(burstSeconds([light, disturbed, heavier], 1, 1), burstSeconds([disturbed], 1), 'where all are to hold')
  t.equal(pauseSeconds([light, disturbed, heavier], 1, 1), pauseSeconds([disturbed], 1))
  t.equal(burstSeconds([light, busy], 1), burstSeconds([light], 1))
  t.not(burstSeconds([light, busy], 2), burstSeconds([light], 2), 'of two cores it keeps one busy')
  t.ok(Number(burstSeconds([busy], 1)) > 0)
})

t.test('without points there is no estimate', async t => {
  for (const windows of [[], [[]], [[0.5]], [[0, 0, 0]]]) t.equal(burstSeconds(windows, 1), null)
  for (const windows of [[], [[]], [[0.5]]]) t.equal(pauseSeconds(windows, 1), null)
  t.same(underLoad([]), [])
})

t.test('before and after its load the served side rests', async t => {
  t.same(underLoad([0, 0.01, 0.3, 0.05, 0.4, 0.3, 0.3, 0.4, 0.02, 0]), [0.3, 0.05, 0.4, 0.3, 0.3, 0.4],
    'a pause within it is not its end')
  t.same(underLoad([0.3, 0.3]), [0.3, 0.3])
})

t.test('a garbage collection is recognized by what a period uses beyond the usual', async t => {
  for (const pause of [0.015, 0.025, 0.05]) {
    const { parts } = serve({ cpu: 1, rate: 300, cost: 0.0005, pause, every: 400, seconds: 600, seed: 1 })
    const found = Number(pauseSeconds([parts], 1))
    t.ok(found > 0.6 * pause && found < 1.6 * pause, `${pause * 1000} ms: ${(found * 1000).toFixed(1)} ms`)
  }
})

import t from '../../../support/tap.js'
import {
  burstSeconds, pauseSeconds, PERIOD_SECONDS, underLoad
} from '../../../../bench/features/size/capacity/bursts.js'
import { serve } from '../../../support/quota-server.js'

t.test('uses the median window and skips windows on busy cores unless all are busy', async t => {
  const [light, heavier, busy] = [[0.1, 0.2, 0.1, 0.2], [0.4, 0.5, 0.4, 0.5], [0.9, 1, 0.9, 1]]
  const disturbed = [0.1, 0.9, 0.1, 0.2]
  t.ok(Math.abs(Number(burstSeconds([light], 1)) - 0.01 / 3 / 0.15 * PERIOD_SECONDS) < 1e-12)
  t.equal(burstSeconds([light, disturbed, heavier], 1), burstSeconds([light], 1))
  t.equal(pauseSeconds([light, disturbed, heavier], 1), pauseSeconds([light], 1))
  t.equal(burstSeconds([light, disturbed, heavier], 1, 1), burstSeconds([disturbed], 1),
    'the largest window where every window has to hold')
  t.equal(pauseSeconds([light, disturbed, heavier], 1, 1), pauseSeconds([disturbed], 1))
  t.equal(burstSeconds([light, busy], 1), burstSeconds([light], 1))
  t.not(burstSeconds([light, busy], 2), burstSeconds([light], 2), 'the load keeps one of two cores busy')
  t.ok(Number(burstSeconds([busy], 1)) > 0)
})

t.test('returns no estimate without points', async t => {
  for (const windows of [[], [[]], [[0.5]], [[0, 0, 0]]]) t.equal(burstSeconds(windows, 1), null)
  for (const windows of [[], [[]], [[0.5]]]) t.equal(pauseSeconds(windows, 1), null)
  t.same(underLoad([]), [])
})

t.test('drops the idle periods before and after the load', async t => {
  t.same(underLoad([0, 0.01, 0.3, 0.05, 0.4, 0.3, 0.3, 0.4, 0.02, 0]), [0.3, 0.05, 0.4, 0.3, 0.3, 0.4],
    'keeps a pause within the load')
  t.same(underLoad([0.3, 0.3]), [0.3, 0.3])
})

t.test('estimates the pause of a garbage collection from the CPU time above the usual', async t => {
  for (const pause of [0.015, 0.025, 0.05]) {
    const { parts } = serve({ cpu: 1, rate: 300, cost: 0.0005, pause, every: 400, seconds: 600, seed: 1 })
    const found = Number(pauseSeconds([parts], 1))
    t.ok(found > 0.6 * pause && found < 1.6 * pause, `${pause * 1000} ms: ${(found * 1000).toFixed(1)} ms`)
  }
})

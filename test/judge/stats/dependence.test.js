import t from '../../support/tap.js'
import { widening } from '../../../bench/judge/stats/dependence.js'

t.test('never makes an interval narrower', async t => {
  for (const lag1 of [-1, -0.5, 0]) for (const n of [6, 12, 60, 1000]) t.ok(widening(lag1, n) >= 1)
})

t.test('widens an interval more with stronger autocorrelation', async t => {
  for (const n of [6, 12, 60, 1000]) {
    const factors = [-0.5, 0, 0.2, 0.4, 0.6].map(lag1 => widening(lag1, n))
    t.strictSame([...factors].sort((a, b) => a - b), factors, `n = ${n}`)
  }
})

t.test('uses only the measured autocorrelation with many blocks', async t => {
  t.ok(widening(0, 100_000) < 1.01)
  t.ok(Math.abs(widening(0.3, 100_000) - Math.sqrt(1.3 / 0.7)) < 0.01)
})

t.test('stays near the prior with few blocks', async t => {
  t.ok(widening(NaN, 2) > Math.sqrt(1.3 / 0.7))
  t.ok(widening(0, 6) > 1.4, 'six blocks without autocorrelation are weak evidence')
  t.ok(widening(0, 60) < 1.3, 'sixty blocks are stronger evidence')
})

t.test('stays finite when every value equals the previous one', async t => {
  for (const n of [3, 6, 12, 1000]) t.ok(widening(1, n) < 4.4)
})

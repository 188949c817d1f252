import t from 'tap'
import { PRIOR_LAG1, widening } from '../../bench/analysis/stats/dependence.js'

t.test('an interval is never made narrower', async t => {
  for (const lag1 of [-1, -0.5, 0]) for (const n of [6, 12, 60, 1000]) t.ok(widening(lag1, n) >= 1)
})

t.test('the stronger the autocorrelation, the wider it is', async t => {
  for (const n of [6, 12, 60, 1000]) {
    const factors = [-0.5, 0, 0.2, 0.4, 0.6].map(lag1 => widening(lag1, n))
    t.strictSame([...factors].sort((a, b) => a - b), factors, `n = ${n}`)
  }
})

t.test('with many blocks only what was measured counts', async t => {
  t.ok(widening(0, 100_000) < 1.01)
  t.ok(Math.abs(widening(0.3, 100_000) - Math.sqrt(1.3 / 0.7)) < 0.01)
})

t.test('with few blocks it is about what the prior says', async t => {
  t.ok(widening(NaN, 2) > Math.sqrt((1 + PRIOR_LAG1) / (1 - PRIOR_LAG1)))
  t.ok(widening(0, 6) > 1.4, 'six blocks without a trace of dependence prove little')
  t.ok(widening(0, 60) < 1.3, 'sixty prove more')
})

t.test('it stays finite when every value repeats the one before', async t => {
  for (const n of [3, 6, 12, 1000]) t.ok(widening(1, n) < 4.4)
})

import t from '../../support/tap.js'
import { lag1, withoutBias } from '../../../bench/judge/stats/dependence.js'
import { agrees, reference } from '../../support/reference.js'
import { noises, seriesOf } from '../../support/simulate.js'

t.test('computes the same lag-1 autocorrelation as NumPy', async t => {
  for (const { values, lag1: expected } of reference.samples) {
    t.ok(agrees(lag1(values), expected), `n = ${values.length}`)
  }
})

t.test('returns NaN for two values and 0 for equal values', async t => {
  t.ok(Number.isNaN(lag1([])))
  t.ok(Number.isNaN(lag1([1, 2])))
  t.equal(lag1([3, 3, 3, 3]), 0)
})

t.test('the correction removes more than half of the bias', async t => {
  const random = seriesOf('autocorrelation')
  for (const n of [12, 20, 60]) {
    let plain = 0
    let corrected = 0
    for (let i = 0; i < 2000; i++) {
      const r = lag1(noises['AR(1), 0.3'](n, random))
      plain += r / 2000
      corrected += withoutBias(r, n) / 2000
    }
    t.ok(plain < 0.3 - 1 / n, `n = ${n}: measured ${plain.toFixed(3)}`)
    t.ok(Math.abs(corrected - 0.3) < 0.4 * (0.3 - plain), `n = ${n}: corrected ${corrected.toFixed(3)}`)
  }
})

t.test('limits corrected values to [-1, 1]', async t => {
  t.equal(withoutBias(0.9, 5), 1)
  t.equal(withoutBias(-0.9, 3), -1)
})

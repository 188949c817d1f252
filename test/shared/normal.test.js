import t from '../support/tap.js'
import { agrees, reference } from '../support/reference.js'
import { normalQuantile } from '../../bench/shared/normal.js'

t.test('computes the same normal quantiles as SciPy', async t => {
  for (const { p, z } of reference.normalQuantiles) t.ok(agrees(normalQuantile(p), z), `p = ${p}`)
})

t.test('returns infinities for 0 and 1 and rejects other values', async t => {
  t.equal(normalQuantile(0), -Infinity)
  t.equal(normalQuantile(1), Infinity)
  t.throws(() => normalQuantile(1.1), RangeError)
  t.throws(() => normalQuantile(NaN), RangeError)
})

import t from 'tap'
import { agrees, reference } from '../support/reference.js'
import { normalQuantile } from '../../bench/shared/normal.js'

t.test('quantiles of the normal distribution are those of SciPy', async t => {
  for (const { p, z } of reference.normalQuantiles) t.ok(agrees(normalQuantile(p), z), `p = ${p}`)
})

t.test('the ends of the line are infinite and beyond them is nothing', async t => {
  t.equal(normalQuantile(0), -Infinity)
  t.equal(normalQuantile(1), Infinity)
  t.throws(() => normalQuantile(1.1), RangeError)
  t.throws(() => normalQuantile(NaN), RangeError)
})

import t from '../../support/tap.js'
import { tQuantile } from '../../../bench/judge/stats/student.js'
import { normalQuantile } from '../../../bench/shared/normal.js'

/**
 * @param {number} a
 * @param {number} b
 */
const close = (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b))

t.test('quantiles of 1, 2 and 4 degrees of freedom equal their closed forms', async t => {
  for (const p of [0.6, 0.9, 0.975, 0.995, 0.9999]) {
    const a = 4 * p * (1 - p)
    t.ok(close(tQuantile(p, 1), Math.tan(Math.PI * (p - 0.5))), `1, ${p}`)
    t.ok(close(tQuantile(p, 2), (2 * p - 1) * Math.sqrt(2 / a)), `2, ${p}`)
    // W. T. Shaw (2006), Journal of Computational Finance 9(4), 37-73.
    const q = Math.cos(Math.acos(Math.sqrt(a)) / 3) / Math.sqrt(a)
    t.ok(close(tQuantile(p, 4), 2 * Math.sqrt(q - 1)), `4, ${p}`)
  }
})

t.test('interpolates other degrees of freedom, and equals the normal distribution for infinitely many', async t => {
  t.ok(close(tQuantile(0.975, 12), 2.1788128296634177))
  t.ok(tQuantile(0.975, 2.5) < tQuantile(0.975, 2) && tQuantile(0.975, 2.5) > tQuantile(0.975, 3))
  t.equal(tQuantile(0.99, Infinity), normalQuantile(0.99))
  t.equal(tQuantile(0.5, 3), 0)
  t.ok(close(tQuantile(0.025, 7), -tQuantile(0.975, 7)))
  t.throws(() => tQuantile(0.9, 0), RangeError)
})

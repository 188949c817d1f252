import t from '../support/tap.js'
import {
  duration, estimate, halfWidth, interval, level, micros, NONE, percent, rate
} from '../../bench/shared/format.js'
import { breakWord, wrap } from '../../bench/report/wrap.js'

t.test('rounds figures to the precision of their interval', async t => {
  t.strictSame(estimate({ ratio: 1.1234, low: 1.0911, high: 1.1503 }), {
    ratio: '1.12',
    low: '1.09',
    high: '1.15',
    interval: '1.09 to 1.15'
  })
  t.equal(estimate({ ratio: 0.9972, low: 0.9893, high: 1.0061 }).interval, '0.989 to 1.006')
  t.equal(estimate({ ratio: 1.02, low: 1.002, high: 1.04 }).interval, '1.002 to 1.040',
    'a bound near 1 is not rounded to 1')
  t.equal(estimate({ ratio: 12.345, low: 10.2, high: 15.1 }).ratio, '12.3')
  t.equal(estimate({ ratio: 0.00512, low: NaN, high: NaN }).ratio, '0.0051')
  t.equal(estimate({ ratio: 1.5, low: null, high: 1.6 }).interval, 'up to 1.60')
  t.equal(estimate({ ratio: 1.5, low: 1.4, high: Infinity }).interval, '1.40 or more')
  t.equal(estimate({ ratio: 1.5, low: 0, high: Infinity }).interval, NONE)
  t.strictSame(estimate({ ratio: NaN, low: null, high: undefined }), {
    ratio: NONE,
    low: NONE,
    high: NONE,
    interval: NONE
  })
  t.equal(rate(12345.6), '12,350')
  t.equal(rate(999.96), '1,000')
  t.equal(rate(0), '0')
  t.equal(rate(null), NONE)
  t.equal(interval(NONE, NONE), NONE)
  t.equal(micros(61.24), '61.2')
  t.equal(micros(8), '8.00')
  t.equal(percent(0.0204), '2 %')
  t.equal(percent(0.0156), '1.6 %')
  t.equal(percent(0.0001), 'under 0.1 %')
  t.equal(percent(NaN), NONE)
  t.equal(level(0.95), '95 %')
  t.equal(level(1 - 0.05 / 6), '99.2 %')
  t.equal(level(0.99999), '99.99 %', 'never 100 %')
})

t.test('prints durations in hours, minutes and seconds', async t => {
  const spans = {
    0.5: '0.5 s',
    9.96: '10 s',
    45: '45 s',
    59.7: '1 min',
    200: '3 min 20 s',
    3600: '1 h',
    3725: '1 h 2 min',
    7199: '2 h'
  }
  for (const [seconds, text] of Object.entries(spans)) t.equal(duration(Number(seconds)), text)
  t.equal(duration(NaN), NONE)
  t.equal(halfWidth({ low: 1 / 1.02, high: 1.02 })?.toFixed(6), '0.020000')
  t.equal(halfWidth({ low: 0, high: 1 }), null)
})

t.test('prints a ratio of any size', async t => {
  for (const ratio of [5e-324, 1e-200, 1e300, Infinity]) {
    t.type(estimate({ ratio, low: ratio, high: 1 }).ratio, 'string')
  }
})

t.test('breaks words at the separators of a topology', async t => {
  t.strictSame(breakWord('nginx:uds+cache=5s/express-json@pm2:4', 20), ['nginx:uds+cache=5s/', 'express-json@pm2:4'])
  t.strictSame(breakWord('x'.repeat(25), 10), ['x'.repeat(10), 'x'.repeat(10), 'x'.repeat(5)])
  t.equal(breakWord('\u0301'.repeat(50) + 'x'.repeat(25), 10).at(-1), 'xxxxx', 'ends for letters without a width')
  t.ok(wrap('x'.repeat(1e6), 80).join('').length < 10_000, 'a text of any length takes little time')
  t.strictSame(wrap('one two three four', 13, { first: '- ' }), ['- one two', '  three four'])
  t.strictSame(wrap('the interval holds 98.3 % of it', 24), ['the interval holds', '98.3 % of it'],
    'keeps a number with its unit')
  t.strictSame(wrap('', 10), [''])
})

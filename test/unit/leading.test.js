import t from 'tap'
import { AT_MOST, leadingTrend, WINDOW } from '../../bench/analysis/stats/leading.js'
import { normal, seriesOf } from '../support/simulate.js'

const flat = Array.from({ length: WINDOW }, (_, i) => 100 + (i % 3))
/** @param {...number} first */
const after = (...first) => [...first, ...flat.slice(first.length)]

t.test('drops exactly the warm-up that all arms show', async t => {
  t.equal(leadingTrend([after(80), after(70)]), 1)
  t.equal(leadingTrend([after(80, 90), after(70, 95)]), 2)
  t.equal(leadingTrend([flat, flat]), 0)
})

t.test('drops a faster start, as with CPU credits', async t => {
  t.equal(leadingTrend([after(140, 120), after(150, 130)]), 2)
})

t.test('drops at most a few blocks of a continuing trend', async t => {
  const rising = Array.from({ length: 40 }, (_, i) => 100 + i)
  t.equal(leadingTrend([rising, rising]), AT_MOST)
})

t.test('drops nothing when only one arm has a trend', async t => {
  t.equal(leadingTrend([after(80), flat]), 0)
  t.equal(leadingTrend([after(80), after(120)]), 0)
  t.equal(leadingTrend([after(80)]), 0)
  t.equal(leadingTrend([]), 0)
})

t.test('does not treat a slow first and a fast second block as one trend', async t => {
  t.equal(leadingTrend([after(80, 150), after(70, 140)]), 1)
})

t.test('decides once, when the window is full', async t => {
  t.equal(leadingTrend([after(80).slice(0, -1), after(70).slice(0, -1)]), 0)
  t.equal(leadingTrend([[...after(80), 10, 10], [...after(70), 10, 10]]), 1)
})

t.test('ignores invalid trials', async t => {
  t.equal(leadingTrend([after(80), after(70), after(NaN)]), 1)
  t.equal(leadingTrend([after(80), after(NaN), after(NaN)]), 0, 'one arm remains')
  const broken = flat.map((x, i) => i < 7 ? NaN : x)
  t.equal(leadingTrend([after(80), after(70), broken]), 1, 'an arm with few valid trials')
})

t.test('dropping blocks does not bias the ratio of two arms', async t => {
  const random = seriesOf('leading')
  let drops = 0
  let sum = 0
  let blocks = 0
  for (let run = 0; run < 4000; run++) {
    const shared = Array.from({ length: WINDOW }, () => normal(random))
    const [a, b] = [1, 1.5].map(scale => shared.map(x => Math.exp(0.05 * (x + scale * 0.3 * normal(random)))))
    const drop = leadingTrend([a, b])
    drops += drop > 0 ? 1 : 0
    for (let i = drop; i < WINDOW; i++) {
      sum += Math.log(a[i] / b[i])
      blocks++
    }
  }
  const deviation = 0.05 * 0.3 * Math.sqrt(1 + 1.5 ** 2)
  t.ok(drops > 100, `${drops} of 4000 runs dropped blocks by chance`)
  t.ok(Math.abs(sum / blocks) < 4 * deviation / Math.sqrt(blocks), 'mean log-ratio within 4 standard errors of 0')
})

import t from '../../support/tap.js'
import { draw } from '../../../bench/report/charts/draw.js'
import { ratioChart } from '../../../bench/report/kinds/run.js'
import { toChart } from '../../../bench/report/charts/charts.js'
import { claimRows, ratioRows } from '../../../bench/report/ratio-rows.js'
import { ratioTicks } from '../../../bench/report/charts/ratio-chart.js'
import { makeClaim, makeContrast, makeRecord } from '../../support/record.js'

t.test('names a common baseline on the scale, and different baselines in each row', async t => {
  const drawn = (/** @type {string} */ baseline) => {
    const pair = ratioChart(makeRecord({ contrasts: [makeContrast(), makeContrast({ arm: 'uds', baseline })] }))
    return JSON.stringify([pair?.label, pair && toChart(pair).chart(860).x])
  }
  t.match(drawn('keepalive'), /against keepalive, .* relative to keepalive →/)
  t.match(drawn('tcp'), /against the baseline, .*"relative throughput →/)
})

t.test('prints ratio and interval in each row of a wide drawing, but not of a narrow one', async t => {
  const main = ratioChart(makeRecord())
  if (!main) return t.fail('no chart')
  const { wide, narrow } = draw(toChart(main).chart, 'ratios')
  t.match(wide, '>1.12 (1.09 to 1.15)</text>')
  t.notMatch(narrow, '(1.09 to 1.15)</text>')
})

t.test('draws no row without a ratio and no infinite bound', async t => {
  const rows = ratioRows(makeRecord({
    contrasts: [
      makeContrast({ ratio: NaN, low: NaN, high: NaN, verdict: 'invalid' }),
      makeContrast({ ratio: 2, low: 0, high: Infinity }),
      makeContrast({ oneSided: 'at-least' })
    ]
  }))
  t.match(rows, [{ ratio: 2, low: null, high: null }, { ratio: 1.1234, low: 1.0911, high: null }])
  const claims = [makeClaim({ measured: null }), makeClaim({ published: 'in words' }), makeClaim()]
  t.match(claimRows(makeRecord({ claims })), [{ ratio: 1.1234, published: 1.19 }])
})

t.test('labels of the scale do not overlap', async t => {
  for (const domain
    of /** @type {[number, number][]} */ ([[0.98, 1.02], [0.8, 1.6], [0.05, 1.1], [0.9, 40], [0.01, 100]])) {
    for (const pixels of [290, 700]) {
      const ticks = ratioTicks(domain, pixels)
      t.ok(ticks.length >= 2 && ticks.includes(1), `${domain} on ${pixels}: ${ticks}`)
      const places = ticks.map(value => Math.log(value / domain[0]) / Math.log(domain[1] / domain[0]) * pixels)
      t.ok(places.every((place, i) => i === 0 || place - places[i - 1] >= 40))
    }
  }
})

import t from '../support/tap.js'
import { excludesOne, placeOf, withinMargin } from '../../bench/judge/margin.js'

t.test('classifies an interval as within, below, above or across a margin', async t => {
  const range = withinMargin(0.05)
  t.equal(placeOf({ low: 0.97, high: 1.04 }, range), 'within')
  t.equal(placeOf({ low: 1 / 1.05, high: 1.05 }, range), 'within', 'the bounds belong to the margin')
  t.equal(placeOf({ low: 0.8, high: 0.95 }, range), 'below')
  t.equal(placeOf({ low: 1.051, high: 1.2 }, range), 'above')
  t.equal(placeOf({ low: 0.9, high: 1.2 }, range), 'across')
  t.equal(placeOf({ low: 1.01, high: 1.2 }, range), 'across')
})

t.test('an open-ended interval yields no verdict', async t => {
  t.equal(placeOf({ low: null, high: null }, withinMargin(0.05)), 'across')
  t.equal(placeOf({ low: NaN, high: NaN }, withinMargin(0.05)), 'across')
  t.equal(placeOf({ low: 1.2, high: Infinity }, withinMargin(0.05)), 'above')
  t.notOk(excludesOne({ low: null, high: 1.1 }))
  t.ok(excludesOne({ low: 1.0001, high: null }))
  t.notOk(excludesOne({ low: 1, high: 2 }), 'an interval that ends at 1 includes 1')
})

import t from '../../support/tap.js'
import { blockLogRatios, halfWidth, pairedRatio, signedRankInterval } from '../../../bench/judge/stats/paired.js'
import { widening } from '../../../bench/judge/stats/dependence.js'

const values = [0.11, 0.08, 0.12, 0.07, 0.1, 0.13, 0.09, 0.105, 0.095, 0.085, 0.115, 0.12]

t.test('computes ratios of the blocks in which both arms are valid, in order', async t => {
  const arm = new Map([[3, 200], [1, 100], [2, 400]])
  const baseline = new Map([[1, 50], [3, 50], [4, 10]])
  t.strictSame(blockLogRatios(arm, baseline), [Math.log(2), Math.log(4)])
  t.strictSame(blockLogRatios(new Map(), baseline), [])
})

t.test('widens the signed-rank interval around the estimate', async t => {
  const { ratio, low, high, lag1, blocks } = pairedRatio(values, 0.95)
  const plain = signedRankInterval(values, 0.95)
  const factor = widening(lag1, blocks)
  t.ok(ratio > Math.exp(0.095) && ratio < Math.exp(0.11))
  t.ok(Math.abs(Math.log(high / ratio) - factor * (plain ? plain.high - Math.log(ratio) : NaN)) < 1e-12)
  t.ok(Math.abs(Math.log(ratio / low) - factor * (plain ? Math.log(ratio) - plain.low : NaN)) < 1e-12)
})

t.test('exchanging arm and baseline inverts the ratio', async t => {
  const there = pairedRatio(values, 0.99)
  const back = pairedRatio(values.map(x => -x), 0.99)
  t.ok(Math.abs(there.ratio * back.ratio - 1) < 1e-12)
  t.ok(Math.abs(there.low * back.high - 1) < 1e-12)
  t.equal(there.lag1, back.lag1)
})

t.test('autocorrelated blocks reduce the effective number of blocks', async t => {
  const sorted = [...values].sort()
  const mixed = pairedRatio(values, 0.95)
  const trending = pairedRatio(sorted, 0.95)
  t.equal(trending.blocks, mixed.blocks)
  t.ok(trending.pooled < mixed.pooled)
  t.ok(halfWidth(trending) > halfWidth(mixed))
  t.equal(trending.ratio, mixed.ratio)
})

t.test('returns an estimate without an interval for few blocks, and neither without blocks', async t => {
  t.match(pairedRatio([0, 0.1, 0.2], 0.95), { low: 0, high: Infinity, blocks: 3 })
  t.ok(Math.abs(pairedRatio([0, 0.1, 0.2], 0.95).ratio - Math.exp(0.1)) < 1e-12)
  t.equal(halfWidth(pairedRatio([0, 0.1, 0.2], 0.95)), Infinity)
  const empty = pairedRatio([], 0.95)
  t.match(empty, { ratio: NaN, low: NaN, high: NaN, blocks: 0, pooled: 0, lag1: NaN })
})

t.test('the half-width is relative to the ratio', async t => {
  t.ok(Math.abs(halfWidth({ low: 1.2 / 1.02, high: 1.2 * 1.02 }) - 0.02) < 1e-12)
})

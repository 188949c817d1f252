import t from '../support/tap.js'
import { findEnd } from '../../bench/judge/stopping-rule.js'
import { summarize } from '../../bench/judge/summary.js'
import { huberMeans, overStarts } from '../../bench/judge/stats/over-starts.js'
import { outlying, sequenceInterval, twoWay } from '../../bench/judge/stats/two-way.js'
import { shiftAt } from '../../bench/judge/stats/shift.js'
import { normal, seriesOf } from '../support/simulate.js'
import { cores, planFor, samplesFor } from '../support/samples.js'

/** @import { Sample } from '../../bench/types.js' */

const BLOCKS = 6
const arms = {
  tcp: 'express-json', fast: 'express-json', alike: 'express-json', other: 'express-json', fifth: 'express-json'
}
const plan = planFor({ arms, contrasts: [['fast', 'tcp'], ['alike', 'tcp'], ['other', 'fifth']] })
/** @param {string} arm */
const rateOf = arm => arm === 'fast' ? 1.4 : 1

/**
 * Simulates a run of several starts.
 * @param {number} starts
 * @param {(arm: string, start: number, block: number) => number} [factor] multiplies the rate
 * @param {(sample: Partial<Sample>) => Partial<Sample>} [alter]
 */
function runOf (starts, factor = () => 1, alter = sample => sample) {
  const random = seriesOf('starts.test')
  return samplesFor(plan, starts * BLOCKS, (arm, block) => {
    const start = Math.floor(block / BLOCKS)
    const rps = 10_000 * rateOf(arm) * factor(arm, start, block) * Math.exp(0.02 * normal(random))
    return alter({ rps, start })
  })
}

t.test('the interval of a contrast over several starts is at least as wide as the one within starts', async t => {
  const { contrasts, noise, standsApart } = summarize({ plan, samples: runOf(5), cores })
  for (const { ratio, low, high, within, starts, df, blocks } of contrasts) {
    t.match({ starts, blocks }, { starts: 5, blocks: 30 })
    t.ok(low < ratio && ratio < high && within && within.low >= low && within.high <= high)
    // Degrees of freedom of pooled starts, or of slices where slices give the wider interval.
    t.ok(df !== null && df !== undefined && ((df > 4 && df <= 12) || df === blocks - 5), `df ${df}`)
  }
  t.match(noise, { starts: 5 })
  t.ok(noise && noise.sliceSd > 0.015 && noise.sliceSd < 0.04 && noise.startSd < 0.02)
  t.strictSame(standsApart, [])
})

t.test('several starts of one arm alone have no noise of ratios', async t => {
  const withTwin = planFor({ arms: { tcp: 'express-json' } })
  const alone = { ...withTwin, twin: null, arms: withTwin.arms.slice(0, 1), contrasts: [] }
  const random = seriesOf('alone')
  const samples = samplesFor(alone, 3 * BLOCKS, (_, block) =>
    ({ rps: 10_000 * Math.exp(0.02 * normal(random)), start: Math.floor(block / BLOCKS) }))
  t.equal(summarize({ plan: alone, samples, cores }).noise, null)
})

t.test('samples without a start number have the same result as samples of one start', async t => {
  const bare = summarize({ plan, samples: runOf(3, undefined, ({ start, ...sample }) => sample), cores })
  t.notOk(bare.contrasts.some(contrast => 'starts' in contrast || 'decidedAtBlock' in contrast))
  t.equal(bare.noise, null)
  const single = summarize({ plan, samples: runOf(3, undefined, sample => ({ ...sample, start: 0 })), cores })
  t.strictSame(single.contrasts, bare.contrasts)
})

t.test('reports a start in another state, widens its contrasts and leaves other contrasts unchanged', async t => {
  const calm = summarize({ plan, samples: runOf(5), cores })
  const { contrasts, standsApart } = summarize({
    plan, samples: runOf(5, (arm, start) => arm === 'alike' && start === 2 ? 0.6 : 1), cores
  })
  t.match(standsApart, [{ arm: 'alike', start: 2, fromBlock: null }])
  t.ok(Math.abs(standsApart[0].factor - 0.6) < 0.03)
  t.match(contrasts[1], { verdict: 'inconclusive' })
  t.ok(contrasts[1].low < 1 && contrasts[1].high > 1)
  t.ok(Math.abs(contrasts[2].high / calm.contrasts[2].high - 1) < 0.02)
})

t.test('reports a change of state within a start with its block', async t => {
  const { standsApart } = summarize({
    plan, samples: runOf(4, (arm, start, block) => arm === 'other' && start === 1 && block >= 8 ? 0.6 : 1), cores
  })
  t.match(standsApart, [{ arm: 'other', start: 1, fromBlock: 8 }])
})

t.test('needs no more blocks of arms whose contrast the sequence and the interval have decided', async t => {
  const early = summarize({ plan, samples: runOf(2), cores })
  t.match(early.contrasts[0], { verdict: 'inconclusive', decidedAtBlock: BLOCKS }, 'the interval of two starts is wide')
  t.ok(early.needed.includes('fast'))
  const summary = summarize({ plan, samples: runOf(4), cores })
  t.match(summary.contrasts[0], { verdict: 'faster', decidedAtBlock: BLOCKS })
  t.match(summary.contrasts[1], { decidedAtBlock: null })
  t.strictSame(summary.needed, ['tcp', 'alike', 'other', 'fifth', 'tcp (twin)'])
  const decided = { ...plan, contrasts: plan.contrasts.slice(0, 1) }
  t.strictSame(summarize({ plan: decided, samples: runOf(4), cores }).needed, ['alike', 'other', 'fifth'],
    'arms without a contrast are still needed, and the twin of a decided arm is not')
  t.equal(summarize({ plan, samples: runOf(1), cores }).contrasts[0].decidedAtBlock ?? null, null)
})

t.test('a contrast of fewer starts pools only with the same starts of other arms', async t => {
  const [before] = summarize({ plan, samples: runOf(4), cores }).contrasts
  const left = runOf(6).filter(({ arm, start }) => arm !== 'fast' || Number(start) < 4)
  const [after] = summarize({ plan, samples: left, cores }).contrasts
  t.ok(Number(before.df) > 3, `df ${before.df}`)
  const { starts, df, ratio, low, high } = before
  t.match(after, { starts, df, ratio, low, high })
})

t.test('measures a decided contrast until its ratio is precise', async t => {
  const two = planFor({ arms: { tcp: 'express-json', fast: 'express-json' } })
  const after = (/** @type {number} */ starts) => {
    const random = seriesOf('known')
    const samples = samplesFor(two, starts * BLOCKS, (arm, block) => ({
      rps: 10_000 * (arm === 'fast' ? 5 : 1) * Math.exp(0.1 * normal(random)), start: Math.floor(block / BLOCKS)
    }))
    const summary = summarize({ plan: two, samples, cores })
    t.match(summary.contrasts[0], { verdict: 'faster', decidedAtBlock: Number })
    return { needed: summary.needed.includes('fast'), ended: findEnd(summary, two, { seconds: 1 }) }
  }
  t.strictSame(after(2), { needed: true, ended: null })
  t.strictSame(after(10), { needed: false, ended: 'decided' })
})

t.test('stops once every arm is retired, even if an interval widens later', async t => {
  const open = summarize({ plan, samples: runOf(4), cores })
  t.match(open.contrasts[1], { decidedAtBlock: null })
  t.equal(findEnd(open, plan, { seconds: 1, needed: ['alike'] }), null)
  t.equal(findEnd(open, plan, { seconds: 1, needed: [] }), 'decided')
})

t.test('reports a verdict as not attainable when it is estimated to take more than four hours', async t => {
  const random = seriesOf('long')
  const samples = samplesFor(plan, 12, () => ({ rps: 10_000 * Math.exp(0.2 * normal(random)) }))
  const timing = { setupSeconds: 10, sliceWallSeconds: 2000 }
  const { contrasts } = summarize({ plan, samples, cores, timing })
  t.match(contrasts[1], { verdict: 'inconclusive', why: { params: { unattainable: true } }, secondsToSettle: null })
})

t.test('Huber means are robust to outliers and equal the mean of equal values', async t => {
  const { means, df } = huberMeans([[1, 1.01, 0.99, 1, 9], [2, 2.01, 1.99, 2, 2]])
  t.ok(Math.abs(means[0] - 1) < 0.02 && Math.abs(means[1] - 2) < 0.01)
  t.equal(df, 8)
  const withEmpty = huberMeans([[1, 1], [2, 2], []])
  t.match(withEmpty, { means: [1, 2, NaN], variance: 0, df: 2 })
})

t.test('recovers the effects of a two-way table without noise, also with gaps', async t => {
  const { effects, variance } = twoWay([
    [[1, 2, 3], [5, 5]],
    [[2, 3, 4], [6, NaN]],
    [[4, NaN, 6], [7, 7]]
  ])
  t.ok(Math.abs(effects[1][0] - effects[0][0] - 1) < 1e-6)
  t.ok(Math.abs(effects[2][0] - effects[0][0] - 3) < 1e-6)
  t.ok(Math.abs(effects[2][1] - effects[0][1] - 2) < 1e-6)
  t.ok(variance < 1e-9)
})

t.test('does not pool variances when one start is an outlier', async t => {
  const pooled = { between: 2e-4, betweenDf: 12, slices: 1e-4, slicesDf: 80 }
  const start = (/** @type {number} */ at) => [0.01, -0.01, 0.005, -0.005].map(x => at + x)
  const { df } = overStarts([0, 0.01, -0.01, 0].map(start), 0.95, pooled)
  t.ok(df > 6 && df <= 9, `df ${df}`)
  t.equal(overStarts([0, 0.01, -0.01, 0.4].map(start), 0.95, pooled).df, 3)
  t.equal(overStarts([0, 0.01, -0.01, 0].map(start), 0.95).df, 3)
  for (const [betweenDf, low, high] of [[0, 3, 3], [1, 3.1, 4]]) {
    const { df } = overStarts([0, 0.01, -0.01, 0].map(start), 0.95, { ...pooled, betweenDf })
    t.ok(df >= low && df <= high, `df ${df} with ${betweenDf} of the other contrasts`)
  }
})

t.test('the interval over starts is never narrower than the one within starts', async t => {
  // From a real run of two arms: three starts, the last one with a single block (docs/statistics.md).
  const groups = [[0.339, 0.131, 0.14, 0.051, 0.149, -0.055], [0.145, 0.061, -0.035, 0.043, 0.113, 0.227], [0.079]]
  const { half, df, withinHalf } = overStarts(groups, 0.95)
  t.equal(df, 10)
  t.equal(half, withinHalf)
  t.ok(half > 0.04 && half < 0.09, `${half}`)
  const apart = overStarts([[0, 0.01, -0.01], [0.2, 0.21, 0.19]], 0.95)
  t.ok(apart.half > 10 * apart.withinHalf && apart.df === 1)
})

t.test('finds several outlying cells, and none in an empty table', async t => {
  const random = seriesOf('cells')
  const table = Array.from({ length: 6 }, () => Array.from({ length: 6 }, () => 0.01 * normal(random)))
  table[1][2] += 0.5
  table[4][4] -= 0.4
  const { apart, df } = outlying(table)
  t.strictSame(apart.map(({ row, column }) => [row, column]), [[1, 2], [4, 4]])
  t.equal(df, 23)
  const none = outlying([])
  t.strictSame([none.apart, none.df], [[], 0])
})

t.test('a sequence requires five blocks', async t => {
  t.match(sequenceInterval([[0.1, 0.1, 0.11, 0.1]], 0.99), { low: 0, high: Infinity })
})

t.test('starts that differ by more than the prior widen a sequence, and starts that are alike keep it', async t => {
  const noise = [-0.004, 0.004, -0.002, 0.002, 0, 0.003]
  const widthOf = (/** @type {number[]} */ ...means) => {
    const { low, high } = sequenceInterval(means.map(mean => noise.map(x => mean + x)), 0.99)
    return Math.log(high / low)
  }
  const alike = widthOf(0, 0, 0, 0, 0, 0)
  t.ok(widthOf(0.1, -0.1, 0.1, -0.1, 0.1, -0.1) > 3 * alike)
  // Standard error of six starts by the prior alone: 0.02 · √(4 / 9) / √6.
  t.ok(alike / 2 > 3 * 0.02 * Math.sqrt(4 / 9 / 6), String(alike))
})

t.test('does not report one outlying slice as a change of state', async t => {
  t.equal(shiftAt([0, 0.01, -0.01, 0, 0.01, 0.9], 0.01), null)
  t.match(shiftAt([0, 0.01, -0.01, 0.5, 0.51, 0.49], 0.01), { at: 3 })
  t.equal(shiftAt([], 0.01), null)
})

import t from '../../support/tap.js'
import { computeResolution, isWarmUpTooShort } from '../../../bench/judge/runs/resolution.js'
import { powerFactor } from '../../../bench/plan/sample-size.js'
import { tQuantile } from '../../../bench/judge/stats/student.js'
import { makePlan, makeSample } from '../../support/record.js'
import { normal, seriesOf } from '../../support/simulate.js'

/** @import { LateResult } from '../../../bench/types.js' */

const BLOCKS = 4
/**
 * Simulates independent runs of arms with known rates and noise of blocks and starts.
 * @param {Record<string, number>} rates
 * @param {{ runs: number, starts: number, sd: number, startSd?: number }} size
 */
function runsOf (rates, { runs, starts, sd, startSd = 0 }) {
  const random = seriesOf('resolution', runs, starts)
  const arms = Object.keys(rates).map(name => ({ ...makePlan().arms[0], name }))
  const plan = makePlan({ arms, contrasts: [], twin: null, claims: [], startBlocks: BLOCKS })
  let [start, block] = [-1, -1]
  return {
    plan,
    runs: Array.from({ length: runs }, () => Array.from({ length: starts }, () => {
      start++
      const luck = new Map(Object.keys(rates).map(arm => [arm, startSd * normal(random)]))
      return Array.from({ length: BLOCKS }, () => {
        block++
        return Object.entries(rates).map(([arm, rate]) => makeSample({
          arm, block, start, rps: rate * Math.exp(sd * normal(random) + Number(luck.get(arm)))
        }))
      })
    }).flat(2))
  }
}
const timing = { startSeconds: 4, blockSeconds: 1.5 }
const late = { arm: 'b', requests: 1000, more: 0.4 }

t.test('estimates the variances and the detectable difference by duration from equal arms', async t => {
  const size = { runs: 20, starts: 5, sd: 0.04, startSd: 0.012 }
  const { table, equal, variances } = computeResolution({
    ...runsOf({ a: 1000, b: 1000, c: 1000 }, size), equal: ['a', 'b', 'c'], late, planted: [], timing
  })
  t.match(variances, { starts: 100, runs: 20 })
  const { sliceSd, startSd, runSd } = /** @type {{ [name: string]: number }} */ (/** @type {unknown} */ (variances))
  t.ok(Math.abs(sliceSd / (0.04 * Math.SQRT2) - 1) < 0.15, `${sliceSd}`)
  t.ok(Math.abs(startSd / (0.012 * Math.SQRT2) - 1) < 0.4, `${startSd}`)
  t.ok(runSd < 0.012, `${runSd}: no variance between runs`)
  t.strictSame(table.map(({ minutes, starts, blocks }) => [minutes, starts, blocks]),
    [[1, 6, 24], [5, 30, 120], [20, 120, 480]])
  const half = tQuantile(0.975, 29) * Math.sqrt((startSd ** 2 + sliceSd ** 2 / BLOCKS) / 30)
  t.ok(Math.abs(Math.log(1 + table[1].difference) / (half * powerFactor(0.95)) - 1) < 1e-9)
  t.match(equal, { segments: 60, runs: 20 })
  t.ok(equal.different <= 7, `${equal.different} of 60`)
})

t.test('counts the runs whose interval contains a planted difference, and those that detect it', async t => {
  const { plan, runs } = runsOf({ a: 1000, small: 1000 / 1.01, large: 800 }, { runs: 12, starts: 4, sd: 0.03 })
  const planted = [{ arm: 'small', more: 0.01 }, { arm: 'large', more: 0.25 }]
    .map(difference => ({ ...difference, expected: 1 / (1 + difference.more) }))
  const { planted: [small, large] } = computeResolution({ plan, runs, equal: ['a'], late, planted, timing })
  t.match(large, { verdict: 'slower', runs: 12, found: 12 })
  t.ok(Number(large.held) >= 10 && Number(small.held) >= 10)
  t.ok(Number(small.found) < 6)
  t.ok(large.low < 0.8 && large.high > 0.8)
})

t.test('finds that the warm-up was too short if a server that becomes equal is called different', async t => {
  const planted = [{ arm: 'late', more: 0, expected: 1 }]
  for (const [rate, verdict, isTooShort] of /** @type {const} */ ([
    [1000, 'no-difference', false], [1000 / 1.2, 'slower', true], [1200, 'faster', true]
  ])) {
    const { plan, runs } = runsOf({ a: 1000, late: rate }, { runs: 4, starts: 6, sd: 0.01 })
    const resolution = computeResolution({ plan, runs, equal: ['a'], late: { ...late, arm: 'late' }, planted, timing })
    const { low, high, ratio, ...facts } = /** @type {LateResult} */ (resolution.late)
    t.strictSame(facts, { requests: 1000, more: 0.4, verdict })
    const [{ low: sameLow, high: sameHigh, ratio: same }] = resolution.planted
    t.strictSame([low, high, ratio], [sameLow, sameHigh, same], 'over all runs, against the first equal arm')
    t.equal(isWarmUpTooShort({ resolution }), isTooShort)
  }
})

t.test('a server that is late is not called different if its warm-up ended at its limit', t => {
  const { plan, runs } = runsOf({ a: 1000, late: 700 }, { runs: 2, starts: 4, sd: 0.01 })
  const unsteady = { role: /** @type {const} */ ('server'), change: null, seconds: 15 }
  const marked = runs.map(samples => samples.map(sample => sample.arm === 'late' ? { ...sample, unsteady } : sample))
  const verdictOf = (/** @type {typeof runs} */ measured) => computeResolution({
    plan, runs: measured, equal: ['a'], late: { ...late, arm: 'late' }, planted: [], timing
  }).late.verdict
  t.equal(verdictOf(runs), 'slower')
  t.equal(verdictOf(marked), 'inconclusive')
  t.end()
})

t.test('estimates the variance between runs beyond that of starts', async t => {
  const { plan, runs } = runsOf({ a: 1000, b: 1000 }, { runs: 8, starts: 5, sd: 0.02 })
  const moved = runs.map((samples, run) => samples.map(sample =>
    sample.arm === 'b' ? { ...sample, rps: sample.rps * (run % 2 ? 1.1 : 1 / 1.1) } : sample))
  const { variances, equal } = computeResolution({ plan, runs: moved, equal: ['a', 'b'], late, planted: [], timing })
  t.ok(Number(variances?.runSd) > 0.08 && Number(variances?.runSd) < 0.13, `${variances?.runSd}`)
  t.equal(equal.different, 8)
})

t.test('returns no figures for too few blocks', async t => {
  const { plan, runs } = runsOf({ a: 1000, b: 1000 }, { runs: 1, starts: 1, sd: 0.04 })
  const planted = [{ arm: 'b', more: 0.05, expected: 0.95 }]
  const found = computeResolution({ plan, runs: [runs[0].slice(0, 2)], equal: ['a', 'b'], late, planted, timing })
  t.notOk(found.table.some(({ difference }) => Number.isFinite(difference)))
  t.match(found.variances, { sliceSd: null, startSd: null, runSd: null })
  t.match(found.equal, { segments: 1, different: 0 })
  const nothing = computeResolution({ plan, runs: [[]], equal: ['a', 'b'], late, planted, timing })
  t.match(nothing.planted, [{ runs: 0, held: 0, found: 0, verdict: 'inconclusive' }])
  t.strictSame(nothing.late, {
    requests: 1000, more: 0.4, ratio: NaN, low: NaN, high: NaN, verdict: 'inconclusive'
  })
})

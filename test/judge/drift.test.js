/** The gate on drift within starts: its test, the verdicts that it changes, and the stored runs that it rejects. */
import t from '../support/tap.js'
import { commonSlope, computeDrift, findDriftOfRun, isDrifting } from '../../bench/judge/drift.js'
import { findEnd } from '../../bench/judge/stopping-rule.js'
import { summarize } from '../../bench/judge/summary.js'
import { printContrastWhy } from '../../bench/report/facts/facts.js'
import { cores, planFor, samplesFor } from '../support/samples.js'
import { normal, seriesOf } from '../support/simulate.js'
import { readReferenceRuns } from '../support/reference-runs.js'

/**
 * Stored runs with a contrast whose ratio drifts within its starts. They were made before the warm-up lasted until the
 * steady state. The list may only shrink, and is empty when all figures are measured anew.
 * @type {Record<string, string[]>}
 */
const driftingRuns = {
  '2026-11-23T23-30-03Z-runtimes-static': [
    'express.static, Node 24 / express.static, Node 22',
    'express.static, Deno / express.static, Node 26',
    'serve-static, Node 24 / serve-static, Node 22',
    'serve-static, Bun / serve-static, Node 26'
  ],
  '2026-11-26T20-38-13Z-static-sizes': ['sirv 1 KB / nginx 1 KB'],
  '2026-11-27T01-21-29Z-nginx-defaults-releases': ['sid / bookworm']
}

const BLOCKS = 6
const plan = planFor({ protocol: 'gang' })

/**
 * Makes blocks whose ratio changes linearly within each start.
 *
 * @param {number} starts
 * @param {number} change log-ratio from the first block of a start to the last
 * @param {number} [sd] of the log rate in a block
 */
function makeSamples (starts, change, sd = 0.005) {
  const random = seriesOf('drifting', starts, change)
  return samplesFor(plan, starts * BLOCKS, (arm, block) => ({
    rps: 10_000 * Math.exp((arm === 'uds' ? 0.2 + change * (block % BLOCKS) / (BLOCKS - 1) : 0) + sd * normal(random)),
    start: Math.floor(block / BLOCKS)
  }))
}

const summaryOf = (/** @type {Parameters<typeof makeSamples>} */ ...args) =>
  summarize({ plan, samples: makeSamples(...args), cores })

t.test('a contrast whose ratio drifts by more than the margin is inconclusive', async t => {
  const { contrasts: [contrast] } = summaryOf(3, 0.1)
  const { drift = { change: NaN, p: NaN }, ...rest } = contrast
  t.ok(Math.abs(drift.change - Math.expm1(0.1)) < 0.02, `change of ${drift.change}`)
  t.ok(drift.p < 0.001, `p of ${drift.p}`)
  t.match(rest, { verdict: 'inconclusive', secondsToSettle: null })
  t.strictSame(contrast.why, { code: 'drift', params: drift })
  t.match(printContrastWhy(contrast), /^within a start the ratio rises by \d[\d.]* %, .*give .* with --warm-up$/)
  t.ok(contrast.low > 1, 'the interval alone would show a difference')
})

t.test('a steady contrast and a significant drift below the margin keep their verdicts', async t => {
  const [steady, slight] = [0, 0.02].map(change => summaryOf(5, change, 0.001).contrasts[0])
  t.equal(steady.verdict, 'faster')
  t.ok(Math.abs(Number(steady.drift?.change)) < 0.005)
  t.equal(slight.verdict, 'faster')
  t.ok(Number(slight.drift?.p) < 0.01)
})

t.test('drift keeps no contrast open, because further starts drift in the same way', async t => {
  const summary = summaryOf(4, 0.1)
  t.equal(summary.contrasts[0].why instanceof Object && summary.contrasts[0].why.code, 'drift')
  t.strictSame(summary.needed, [])
  t.equal(findEnd(summary, plan, { seconds: 1 }), 'decided')
})

t.test('drift is known for a single start, and not where each trial has a start of its own', async t => {
  const quick = planFor({ protocol: 'gang' }, { quick: true })
  const samples = makeSamples(2, 0).map(({ start, ...sample }, i) => ({ ...sample, rps: sample.rps + i }))
  t.match(summarize({ plan: quick, samples, cores }).contrasts[0].drift, { change: Number, p: Number })
  const windows = planFor({ protocol: 'window' })
  t.equal(summarize({ plan: windows, samples, cores }).contrasts[0].drift, undefined)
})

t.test('drift of the machine over the run cancels', async t => {
  const random = seriesOf('run')
  const ratios = Array.from({ length: 36 }, (_, block) => {
    const start = Math.floor(block / BLOCKS)
    return { block, start, logRatio: 0.1 * start + 0.005 * normal(random) }
  })
  t.equal(isDrifting(computeDrift(ratios)), false)
})

t.test('the common slope agrees with an analysis of covariance', async t => {
  // Slopes of 1 and 2 with residual sums of squares of 4 each. The common slope of 1.5 adds 2.5, so that the variance
  // is 10.5 / 5, times 1.1 / 0.9 for the autocorrelation; p is that of t = 2.960783 with 5 degrees of freedom.
  const groups = [1, 2].map(slope => [1, -1, -1, 1].map((residual, x) => ({ x, y: slope * x + residual })))
  const found = commonSlope(groups)
  t.ok(Math.abs(Number(found?.slope) - 1.5) < 1e-12, `slope of ${found?.slope}`)
  t.ok(Math.abs(Number(found?.p) - 0.0314904078) < 1e-9, `p of ${found?.p}`)
})

t.test('a slope needs more points than lines', async t => {
  t.equal(commonSlope([]), null)
  t.equal(commonSlope([[{ x: 0, y: 1 }, { x: 1, y: 2 }], [{ x: 0, y: 1 }]]), null)
  t.strictSame(commonSlope([[0, 1, 2].map(x => ({ x, y: 1 }))]), { slope: 0, p: 1 })
})

t.test('one of many contrasts may drift by chance', async t => {
  const rare = { drift: { change: 0.1, p: 0.004 } }
  const other = { drift: { change: 0.1, p: 0.5 } }
  t.equal(findDriftOfRun([other, rare]), rare)
  t.equal(findDriftOfRun([rare, ...Array(15).fill(other), { drift: null }]), undefined)
})

t.test('one start that changes its state does not pass for a common slope', async t => {
  const random = seriesOf('state')
  const groups = Array.from({ length: 6 }, (_, g) => Array.from({ length: BLOCKS }, (_, x) =>
    ({ x, y: (g === 2 && x > 2 ? 0.5 : 0) + 0.01 * normal(random) })))
  t.ok(Number(commonSlope(groups)?.p) > 0.1)
})

t.test('stored runs pass the gate, but for those made before the warm-up lasted until the steady state', async t => {
  /** @type {Record<string, string[]>} */
  const found = {}
  let judged = 0
  for await (const { run, record, plan, samples } of readReferenceRuns()) {
    const { contrasts } = summarize({ plan, samples, cores: record.environment.cores })
    const drifting = contrasts.filter(({ drift }) => isDrifting(drift)).map(pair => `${pair.arm} / ${pair.baseline}`)
    judged += contrasts.filter(({ drift }) => drift).length
    if ('warmUp' in plan) t.equal(findDriftOfRun(contrasts), undefined, `${run} was made with the rule`)
    else if (drifting.length > 0) found[run] = drifting
  }
  t.ok(judged > 0, 'the gate judged contrasts')
  t.strictSame(found, driftingRuns)
})

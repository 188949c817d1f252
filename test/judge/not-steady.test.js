/** Arms whose warm-up ended before the steady state: results, verdicts, warnings, and the end of a run. */
import t from '../support/tap.js'
import { compareRuns } from '../../bench/judge/runs/compare-runs.js'
import { judgeOpenLoop } from '../../bench/judge/open-loop.js'
import { areSidesResolved, compareSides } from '../../bench/judge/runs/side-by-side.js'
import { findEnd } from '../../bench/judge/stopping-rule.js'
import { summarize } from '../../bench/judge/summary.js'
import { findWarnings } from '../../bench/judge/warnings.js'
import { contrastSentences } from '../../bench/report/sentences/contrast-sentences.js'
import { printContrastWhy, printWarning } from '../../bench/report/facts/facts.js'
import { createRecord } from '../../bench/run/pipeline.js'
import { makeEnvironment } from '../support/record.js'
import { cores, planFor, sampleOf, samplesFor } from '../support/samples.js'
import { normal, seriesOf } from '../support/simulate.js'

/** @import { Sample } from '../../bench/types.js' */

const BLOCKS = 6
const plan = planFor({ protocol: 'gang' })
const slight = /** @type {const} */ ({ role: 'proxy', change: null, seconds: 12 })
const strong = /** @type {const} */ ({ role: 'server', change: -0.08, seconds: 15 })
const why = { code: 'not-steady', params: { arm: 'uds', ...strong } }

/**
 * Makes a run of two arms, of which uds is twice as fast.
 *
 * @param {number} starts
 * @param {(start: number) => Sample['unsteady']} getUnsteady of uds
 */
function makeSamples (starts, getUnsteady) {
  const random = seriesOf('not steady')
  return samplesFor(plan, starts * BLOCKS, (arm, block) => {
    const start = Math.floor(block / BLOCKS)
    const unsteady = arm === 'uds' ? getUnsteady(start) : undefined
    return {
      rps: (arm === 'uds' ? 20_000 : 10_000) * Math.exp(0.005 * normal(random)), start, ...unsteady && { unsteady }
    }
  })
}

const inAllStarts = makeSamples(3, start => [strong, slight, slight][start])
const recordOf = (/** @type {Sample[]} */ samples, wholePlan = plan) => createRecord(wholePlan, {
  environment: makeEnvironment(),
  startedAt: '2026-11-27T10:00:00.000Z',
  utc: () => '2026-11-27T10:05:00.000Z',
  run: { run: '2026-11-27T10-00-00Z-test' }
}, { samples, ended: 'decided' })

t.test('an arm has the number of its unsteady starts and the largest change', async t => {
  const { arms } = summarize({ plan, samples: inAllStarts, cores })
  t.strictSame(arms.find(({ name }) => name === 'uds')?.unsteady, { starts: 3, ...strong })
  t.equal(arms.find(({ name }) => name === 'tcp')?.unsteady, undefined)
})

t.test('its contrasts are inconclusive and keep their estimates', async t => {
  const { contrasts: [contrast] } = summarize({ plan, samples: inAllStarts, cores })
  t.match(contrast, { verdict: 'inconclusive', secondsToSettle: null, blocks: 3 * BLOCKS })
  t.strictSame(contrast.why, why)
  t.ok(Math.abs(contrast.ratio - 2) < 0.02)
  t.equal(printContrastWhy(contrast),
    'after 15 s of warm-up the CPU time per request of the server of uds still fell by 8 %')
})

t.test('starts in which an arm was not warm are left out if it was warm in others', async t => {
  const samples = makeSamples(4, start => start === 1 ? strong : undefined)
    .map(sample => sample.unsteady ? { ...sample, rps: sample.rps / 2 } : sample)
  const { arms, contrasts: [contrast] } = summarize({ plan, samples, cores })
  t.match(contrast, { verdict: 'faster', blocks: 3 * BLOCKS, starts: 3 })
  t.ok(Math.abs(contrast.ratio - 2) < 0.02, 'without the start in which it was half as fast')
  t.match(arms.map(({ name, unsteady, unwarmStarts }) => [name, unsteady, unwarmStarts]).slice(0, 2),
    [['tcp', undefined, undefined], ['uds', undefined, 1]])
  t.match(contrastSentences(recordOf(samples)).at(-1), 'not warm at the limit: 1 of uds.')
  const [once] = summarize({ plan, samples: makeSamples(3, start => start > 0 ? strong : undefined), cores }).contrasts
  t.match(once, { verdict: 'inconclusive', why: { code: 'too-few-starts' } }, 'one warm start is not enough')
})

t.test('a start in which an arm was not warm never changes its contrast, if another one was warm', async t => {
  const random = seriesOf('any starts')
  for (let round = 0; round < 200; round++) {
    const starts = 2 + Math.floor(4 * random())
    const cold = Array.from({ length: starts }, () => random() < 0.5)
    cold[Math.floor(starts * random())] = false
    const samples = makeSamples(starts, start => cold[start] ? strong : undefined)
    const changed = samples.map(sample => sample.unsteady ? { ...sample, rps: sample.rps * (0.1 + random()) } : sample)
    const [one, other] = [samples, changed].map(given => summarize({ plan, samples: given, cores }).contrasts)
    t.strictSame(one, other, cold.join())
    const warm = cold.filter(isCold => !isCold).length
    if (warm === 1) t.equal(one[0].verdict, 'inconclusive', 'one warm start has no interval')
    else t.equal(one[0].starts, warm)
  }
})

t.test('an unsteady trial that is invalid does not matter', async t => {
  const invalid = /** @type {const} */ ({ code: 'nothing-served', params: {} })
  const samples = makeSamples(3, start => start === 0 ? strong : undefined)
    .map(sample => sample.unsteady ? { ...sample, invalid } : sample)
  t.equal(summarize({ plan, samples, cores }).contrasts[0].verdict, 'faster')
})

t.test('its contrasts do not keep a run measuring', async t => {
  const unsteady = (/** @type {number} */ starts) =>
    summarize({ plan, samples: makeSamples(starts, () => strong), cores })
  const few = unsteady(1)
  t.ok(few.needed.includes('uds'), 'the least number of blocks is measured')
  t.equal(findEnd(few, plan, { seconds: 1 }), null)
  const enough = unsteady(2)
  t.strictSame(enough.needed, [])
  t.equal(findEnd(enough, plan, { seconds: 1 }), 'decided')
  const fixed = { ...plan, targets: { ...plan.targets, fixed: true, precision: 1e-6 } }
  t.equal(findEnd(enough, fixed, { seconds: 1 }), 'decided', 'also with a precision that it cannot reach')
})

t.test('one warning names the arms and what to do', async t => {
  const { warnings } = recordOf(inAllStarts)
  const found = warnings.filter(({ code }) => code === 'not-steady')
  t.strictSame(found, [{ code: 'not-steady', params: { arms: ['uds'], arm: 'uds', ...strong, quick: false } }])
  const { text, remedy } = printWarning(found[0])
  t.match(text, /^The warm-up of uds ended before the steady state: after 15 s .* inconclusive\.$/)
  t.equal(remedy.text, 'give the warm-up more time: --warm-up 30s')
  const quick = recordOf(inAllStarts, { ...plan, quick: true }).warnings.find(({ code }) => code === 'not-steady')
  t.match(quick && printWarning(quick).remedy.text, /^run it without --quick/)
})

t.test('an open loop marks the arm, and the warning includes it', async t => {
  const windows = [sampleOf({ arm: 'tcp', unsteady: strong }), sampleOf({ arm: 'uds' })]
  const openLoop = { rate: 100, windowSeconds: 6, arms: judgeOpenLoop(plan, windows, new Map()) }
  t.strictSame(openLoop.arms.map(({ name, unsteady }) => [name, unsteady?.starts]).slice(0, 2),
    [['tcp', 1], ['uds', undefined]])
  const record = { ...recordOf(makeSamples(2, () => undefined)), openLoop }
  t.strictSame(findWarnings(record).find(({ code }) => code === 'not-steady')?.params,
    { arms: ['tcp'], arm: 'tcp', ...strong, quick: false })
})

t.test('a comparison of two states is inconclusive in its rates, CPU time and percentiles', async t => {
  const samples = inAllStarts
  const run = { record: recordOf(samples), samples }
  const latencyMs = { p50: 1, p90: 2, p95: 2, p99: 3, max: 4, rate: 100, source: 'oha' }
  const windows = samples.map(sample => ({ ...sample, latencyMs }))
  const { figures, open } = compareSides(run, { windows })
  const deciding = figures.filter(({ decides }) => decides)
  t.strictSame(deciding.map(({ figure, verdict, why }) => [figure, verdict, why]),
    ['cpu', 'throughput', 'p99'].map(figure => [figure, 'inconclusive', why]))
  t.equal(open, true)
  const kinds = /** @type {('cpu' | 'throughput' | 'p99')[]} */ (['cpu', 'throughput', 'p99'])
  t.equal(areSidesResolved(run, { margin: 0.05, windows, kinds }), true, 'more blocks cannot decide it')
})

t.test('a comparison with a stored run is inconclusive', async t => {
  const before = { record: recordOf(makeSamples(3, () => undefined)), samples: makeSamples(3, () => undefined) }
  const after = { record: recordOf(inAllStarts), samples: inAllStarts }
  const { contrasts, costs, arms } = compareRuns(before, after)
  t.strictSame([contrasts[0], costs[0]].map(({ verdict, why }) => [verdict, why]),
    [['inconclusive', why], ['inconclusive', why]])
  t.strictSame(arms.map(({ arm, verdict }) => [arm, verdict]).filter(([, verdict]) => verdict === 'inconclusive'),
    [['uds', 'inconclusive']])
})

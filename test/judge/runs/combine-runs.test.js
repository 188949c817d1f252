/** Tests that combined runs have the median of their ratios, and an interval that contains those of all. */
import t from '../../support/tap.js'
import fc from 'fast-check'
import { combineRuns } from '../../../bench/judge/runs/combine-runs.js'
import { makeArm, makeContrast, makePlan, makeRecord } from '../../support/record.js'

/** @import { Contrast } from '../../../bench/types.js' */

/**
 * Makes a run with one contrast.
 * @param {string} name
 * @param {Partial<Contrast>} contrast
 */
const makeRun = (name, contrast) =>
  makeRecord({ run: name, contrasts: [makeContrast({ arm: 'uds', baseline: 'keepalive', ...contrast })] })
const narrow = { ratio: 1.2, low: 1.15, high: 1.25 }
const other = { ratio: 1.1, low: 1.05, high: 1.15 }
const third = { ratio: 1.3, low: 1.2, high: 1.4 }

t.test('the ratio is the median, and the interval contains those of all runs', async t => {
  const { record, runs } = combineRuns([makeRun('a', narrow), makeRun('b', other), makeRun('c', third)])
  t.strictSame(runs, ['a', 'b', 'c'])
  t.match(record, { run: 'a', contrasts: [{ ratio: 1.2, low: 1.05, high: 1.4, verdict: 'faster', why: null }] })
})

t.test('runs that contradict each other leave the contrast open', async t => {
  const slower = { ratio: 0.9, low: 0.85, high: 0.95, verdict: /** @type {const} */ ('slower') }
  const [{ contrasts: [contrast] }] = [combineRuns([makeRun('a', narrow), makeRun('b', slower)]).record]
  t.match(contrast, { low: 0.85, high: 1.25, verdict: 'inconclusive', why: { code: 'interval-too-wide' } })
})

t.test('a run that is not comparable or not valid is no part of it', async t => {
  const one = makeRun('a', narrow)
  t.strictSame(combineRuns([one]), { record: one, runs: ['a'] })
  const changed = makeRecord({ ...makeRun('b', other), plan: makePlan({ contrasts: [['uds', 'tcp']] }) })
  t.strictSame(combineRuns([one, changed]), { record: one, runs: ['a'] })
  const invalid = combineRuns([one, makeRun('b', { ...other, verdict: 'invalid' })]).record.contrasts[0]
  t.match(invalid, { ratio: 1.2, low: 1.15, high: 1.25, verdict: 'faster' })
  const why = /** @type {const} */ ({ code: 'generator-bound-both', params: {} })
  const held = combineRuns([one, makeRun('b', { ...other, verdict: 'inconclusive', why })]).record.contrasts[0]
  t.match(held, { ratio: 1.15, low: 1.05, high: 1.25, verdict: 'inconclusive', why })
})

t.test('response times at a given rate are medians, with the range of all trials', async t => {
  const source = 'paced, open loop'
  const makeLatency = (/** @type {number} */ p99, rate = /** @type {number | null} */ (100)) => ({
    p50: p99 / 4,
    p90: p99 / 3,
    p95: p99 / 2,
    p99,
    max: p99 * 2,
    rate,
    source,
    ...rate !== null && { p99Range: { low: p99 - 1, high: p99 + 1 } }
  })
  const combineAt = (/** @type {(ReturnType<typeof makeLatency> | null)[]} */ ...latencies) =>
    combineRuns(latencies.map((latencyMs, i) =>
      makeRecord({ run: `${i}`, contrasts: [], arms: [makeArm({ name: 'uds', latencyMs })] }))).record.arms[0].latencyMs
  t.match(combineAt(makeLatency(8), makeLatency(20), makeLatency(12)),
    { p50: 3, p90: 4, p95: 6, p99: 12, max: 40, rate: 100, p99Range: { low: 7, high: 21 } })
  t.match(combineAt(makeLatency(8), null), makeLatency(8), 'an arm without a valid trial')
  t.match(combineAt(null, makeLatency(8)), makeLatency(8))
  t.equal(combineAt(null, null), null)
  t.match(combineAt(makeLatency(8, null), makeLatency(20, null)), makeLatency(8, null), 'a closed loop')
  const byKind = (/** @type {number} */ p99) => ({ app: { ...makeLatency(p99), responses: 2000 }, files: null })
  const [arm] = combineRuns([8, 20].map((p99, i) => makeRecord({
    run: `${i}`,
    contrasts: [],
    arms: [makeArm({ name: 'uds', latencyMs: makeLatency(p99), latencyByKind: byKind(p99) })]
  }))).record.arms
  t.match(arm.latencyByKind, { app: { p99: 14, p99Range: { low: 7, high: 21 }, responses: 2000 }, files: null })
})

t.test('a bound of one run is one of all', async t => {
  const arms = [makeArm({ name: 'uds', bound: 'load' }), makeArm({ name: 'keepalive', bound: 'server' })]
  const [contrast] = combineRuns([makeRun('a', narrow), makeRecord({ ...makeRun('b', other), arms })]).record.contrasts
  t.match(contrast, { low: 1.05, oneSided: 'at-least', verdict: 'faster' })
})

t.test('of any runs the interval contains each interval and the ratio', async t => {
  const interval = fc.tuple(fc.double({ min: 0.2, max: 5, noNaN: true }), fc.double({ min: 1, max: 2, noNaN: true }))
    .map(([ratio, factor]) => ({ ratio, low: ratio / factor, high: ratio * factor }))
  fc.assert(fc.property(fc.array(interval, { minLength: 1, maxLength: 5 }), intervals => {
    const [{ ratio, low, high }] = combineRuns(intervals.map((found, i) => makeRun(`${i}`, found))).record.contrasts
    return low <= ratio && ratio <= high && intervals.every(found => low <= found.low && found.high <= high)
  }), { seed: 62, numRuns: 300 })
  t.pass('300 sets of runs')
})

/** Head against base in one run: the figures, their verdicts, and the sentences. */
import t from '../../support/tap.js'
import { areSidesResolved, compareSides } from '../../../bench/judge/runs/side-by-side.js'
import { tQuantile } from '../../../bench/judge/stats/student.js'
import kind, { diffAnswer, diffFailure } from '../../../bench/features/diff/kind.js'
import { reportMarkdown } from '../../../bench/report/markdown.js'
import { printReport } from '../../../bench/report/terminal.js'
import { randomFrom } from '../../../bench/shared/random.js'
import { LEVEL } from '../../../bench/shared/thresholds.js'
import { makeArm, makePlan, makeRecord, makeSample } from '../../support/record.js'

/** @import { RunDiff, Sample } from '../../../bench/types.js' */

const STARTS = 8
const BLOCKS = 6

/**
 * Makes a run of two equal apps, of which head differs by some shares.
 *
 * @param {{ slower?: number, costlier?: number, grows?: number, noise?: number, starts?: number }} [head] slower:
 *   share of its rate that is lost; costlier: share of CPU time; grows: MiB for each block
 */
function makeRun ({ slower = 0, costlier = 0, grows = 0, noise = 0.04, starts = STARTS } = {}) {
  const random = randomFrom(1, 'side by side')
  const vary = () => 1 + (random() - 0.5) * noise
  const samples = ['base', 'head'].flatMap(arm => Array.from({ length: starts * BLOCKS }, (_, block) => {
    const isHead = arm === 'head'
    const rps = 1000 * (isHead ? 1 - slower : 1) * vary()
    return makeSample({
      arm,
      block,
      start: Math.floor(block / BLOCKS),
      requests: rps / 2,
      rps,
      cpuSeconds: { load: 0.05, proxy: 0, server: rps / 2 * 400e-6 * (isHead ? 1 + costlier : 1) * vary(), idle: 0 },
      memoryMiB: { proxy: 0, server: 60 + (isHead ? grows : 0) * (block % BLOCKS) }
    })
  }))
  const [arm] = makePlan().arms
  const plan = {
    ...makePlan(),
    arms: ['base', 'head'].map(name => ({ ...arm, name })),
    contrasts: /** @type {[string, string][]} */ ([['head', 'base']]),
    twin: null
  }
  const arms = plan.arms.map(({ name }) => makeArm({ name, bound: 'server', bytesPerResponse: 240 }))
  return { record: makeRecord({ plan, arms }), samples }
}

/**
 * @param {ReturnType<typeof compareSides>} result
 * @returns {RunDiff}
 */
const toDiff = result => ({
  ...result,
  base: { label: 'main at 1a2b3c4d "First"', ref: 'main', commit: 'a'.repeat(40), changes: 0 },
  head: { label: 'your working tree at 5e6f7a8b, with 2 uncommitted files', ref: null, commit: null, changes: 2 }
})

/** Returns a record without arms, whose report is that of its comparison. @param {RunDiff} diff */
const toRecord = diff => makeRecord({ kind: 'diff', diff, arms: [], contrasts: [] })

const verdictsOf = (/** @type {ReturnType<typeof compareSides>} */ { figures }) =>
  Object.fromEntries(figures.map(({ figure, verdict }) => [figure, verdict]))

t.test('equal states differ in no figure', async t => {
  const result = compareSides(makeRun())
  t.strictSame(verdictsOf(result), {
    cpu: 'no-difference', throughput: 'no-difference', memory: 'no-difference', bytes: 'no-difference'
  })
  t.match(result, { slower: false, open: false, starts: STARTS, margin: 0.05 })
  t.match(diffAnswer(toDiff(result))[0], /^NOT SLOWER by more than 5 %: CPU time per request .* and throughput /)
})

t.test('a state that costs 15 % more is slower, with the size of both figures', async t => {
  const result = compareSides(makeRun({ slower: 0.13, costlier: 0.15 }))
  t.match(verdictsOf(result), { cpu: 'slower', throughput: 'slower' })
  t.equal(result.slower, true)
  const [cpu] = result.figures
  t.ok(Math.abs(Number(cpu.ratio) - 1.15) < 0.02, String(cpu.ratio))
  t.match(diffAnswer(toDiff(result))[0],
    /^SLOWER by more than 5 %: CPU time per request \+1\d.* % \(\+1\d.* to \+1\d.* %\) and throughput −1\d/)
})

t.test('noise leaves a comparison undecided, which begins with what it can detect', async t => {
  const result = compareSides(makeRun({ noise: 0.6, starts: 3 }))
  t.match(result, { slower: false, open: true })
  t.match(diffAnswer(toDiff(result))[0], /^UNDECIDED: .*; --margin is 5 %\.$/)
})

t.test('memory and bytes have a verdict, and do not decide', async t => {
  const run = makeRun({ grows: 5 })
  const [base, head] = run.record.arms
  const record = { ...run.record, arms: [base, { ...head, bytesPerResponse: 480 }] }
  const result = compareSides({ ...run, record })
  t.match(verdictsOf(result), { memory: 'slower', bytes: 'slower' })
  t.match(result, { slower: false, open: false })
  const memory = result.figures.find(({ figure }) => figure === 'memory')
  t.match(memory, { before: 60, after: 60 + 5 * (BLOCKS - 1), decides: false })
})

t.test('memory is compared after the same number of requests', async t => {
  // Head serves half as many requests, and each state grows with its requests.
  const { record, samples } = makeRun({ slower: 0.5, noise: 0 })
  const grown = samples.map(sample => {
    const served = (sample.block % BLOCKS + 1) * (sample.arm === 'head' ? 1 : 2)
    return { ...sample, memoryMiB: { proxy: 0, server: 50 + served } }
  })
  const { figures } = compareSides({ record, samples: grown })
  t.match(figures.find(({ figure }) => figure === 'memory'), { before: 56, after: 56, verdict: 'no-difference' })
})

t.test('the interval of memory is that of a mean over starts, by hand', async t => {
  const { record, samples } = makeRun({ starts: 4 })
  const logs = [0.1, 0.3, 0.1, 0.3]
  const grown = samples.map(sample => {
    const log = sample.arm === 'head' ? logs[Number(sample.start)] : 0
    return { ...sample, memoryMiB: { proxy: 0, server: 60 * Math.exp(log) } }
  })
  const memory = compareSides({ record, samples: grown }).figures.find(({ figure }) => figure === 'memory')
  // Squares 4 · 0.1², divided by 3 degrees of freedom and 4 starts.
  const half = tQuantile((1 + LEVEL) / 2, 3) * Math.sqrt(0.04 / 3 / 4)
  t.strictSame([memory?.ratio, memory?.low, memory?.high].map(value => Math.log(Number(value)).toFixed(9)),
    [0.2, 0.2 - half, 0.2 + half].map(value => value.toFixed(9)))
})

/**
 * Makes the load generator the bottleneck of some arms.
 *
 * @param {ReturnType<typeof makeRun>} run
 * @param {string[]} names
 */
function limitByLoad (run, names) {
  const arms = run.record.arms.map(arm =>
    ({ ...arm, bound: names.includes(arm.name) ? /** @type {const} */ ('load') : arm.bound }))
  return { ...run, record: { ...run.record, arms } }
}

t.test('rates of both sides that the load generator limits leave the comparison open', async t => {
  const run = limitByLoad(makeRun({ slower: 0.2 }), ['base', 'head'])
  const result = compareSides(run)
  t.match(verdictsOf(result), { cpu: 'no-difference', throughput: 'inconclusive' })
  t.match(result, { slower: false, open: true })
  t.match(printReport(toRecord(toDiff(result)), kind).replace(/\s+/g, ' '),
    /^UNDECIDED: throughput: the load was the bottleneck in head\./)
  t.equal(areSidesResolved(run, { margin: 0.05, kinds: ['cpu', 'throughput'] }), true, 'more blocks cannot decide it')
})

t.test('a slower head is found although the load generator limits base', async t => {
  const found = compareSides(limitByLoad(makeRun({ slower: 0.2 }), ['base']))
  t.match(found.figures.find(({ figure }) => figure === 'throughput'), { verdict: 'slower', low: null, why: null })
  t.equal(found.slower, true)
  const equal = compareSides(limitByLoad(makeRun(), ['base']))
  t.match(equal.figures.find(({ figure }) => figure === 'throughput'),
    { verdict: 'inconclusive', why: { code: 'load-bound', params: { arm: 'base' } } }, 'head may be slower than base')
  const hidden = compareSides(limitByLoad(makeRun({ slower: 0.2 }), ['head']))
  t.equal(verdictsOf(hidden).throughput, 'inconclusive', 'head may be as fast as base')
})

t.test('one start decides nothing', async t => {
  const result = compareSides(makeRun({ slower: 0.3, costlier: 0.4, starts: 1 }))
  t.match(verdictsOf(result), { cpu: 'inconclusive', throughput: 'inconclusive' })
  t.match(result, { slower: false, open: true, sees: null })
  t.match(diffAnswer(toDiff(result))[0],
    /^UNDECIDED: a first look of one start: CPU time per request \+\d.* and throughput −\d/)
  const kinds = /** @type {('cpu' | 'throughput')[]} */ (['cpu', 'throughput'])
  t.equal(areSidesResolved(makeRun({ slower: 0.3, costlier: 0.4, starts: 1 }), { margin: 0.05, kinds }), false)
})

t.test('an arm that is invalid leaves the comparison open', async t => {
  const run = makeRun()
  const invalid = /** @type {const} */ ({ code: 'wrong-body', params: {} })
  const record = { ...run.record, arms: run.record.arms.map(arm => ({ ...arm, invalid })) }
  const result = compareSides({ ...run, record })
  t.match(result, { open: true, slower: false, sees: null })
  t.match(diffAnswer(toDiff(result))[0], /^UNDECIDED: head was not measured: /)
})

/** Makes windows in which the 99th percentile of head is 20 % longer than that of base. */
function makeWindows () {
  const random = randomFrom(3, 'p99')
  return ['base', 'head'].flatMap(arm => Array.from({ length: 40 }, (_, block) => {
    const p99 = (arm === 'head' ? 12 : 10) * (1 + (random() - 0.5) * 0.1)
    const latencyMs = { p50: 1, p90: 2, p95: 3, p99, max: 20, rate: 500, source: 'paced' }
    return makeSample({ arm, block, start: Math.floor(block / 5), latencyMs })
  }))
}

t.test('a fault of one app in the windows is the result, and so are windows without a valid one', async t => {
  const died = /** @type {const} */ ({ code: 'process-died', params: { message: 'head ended with exit code 1.' } })
  const late = /** @type {const} */ ({ code: 'behind-schedule', params: { p99Ms: 90, limitMs: 5 } })
  const spoil = (/** @type {string[]} */ arms, /** @type {Sample['invalid']} */ invalid, blocks = 40) =>
    makeWindows().map(sample => arms.includes(sample.arm) && sample.block < blocks ? { ...sample, invalid } : sample)
  const p99Of = (/** @type {Sample[]} */ windows) =>
    compareSides(makeRun(), { windows }).figures.find(({ figure }) => figure === 'p99')
  t.match(p99Of(spoil(['head'], died, 2)),
    { verdict: 'invalid', why: { code: 'arm-invalid', params: { arm: 'head', reason: { code: 'process-died' } } } })
  t.match(p99Of(spoil(['head'], late, 2)), { verdict: 'slower' }, 'a late generator is no fault of the app')
  for (const windows of [[], spoil(['head'], late), spoil(['base', 'head'], died)]) {
    t.match(p99Of(windows), { verdict: 'invalid', why: { code: 'nothing-valid' } })
  }
  const diff = toDiff(compareSides(makeRun(), { windows: spoil(['head'], died, 2) }))
  t.match(diff, { open: true, slower: false })
  t.equal(diffAnswer(diff)[0], 'UNDECIDED: head was not measured: head ended with exit code 1.')
  const slower = toDiff(compareSides(makeRun({ costlier: 0.3 }), { windows: spoil(['head'], died, 2) }))
  t.match(diffAnswer(slower),
    [/^SLOWER by more than 5 %: CPU time/, 'head was not measured: head ended with exit code 1.'])
})

t.test('a failure is one sentence', async t => {
  const record = makeRecord({ arms: [makeArm({ name: 'head', invalid: { code: 'wrong-body', params: {} } })] })
  t.match(diffFailure(record), /^head was not measured: .*\.$/)
  t.equal(diffFailure({ ...record, ended: 'interrupted' }), 'The comparison was interrupted.')
  t.equal(diffFailure({ ...record, arms: [] }), 'Nothing valid was measured.')
  const diff = toDiff(compareSides(makeRun(), { windows: [] }))
  t.equal(diffFailure({ ...record, diff }),
    'UNDECIDED: p99 of response times was not measured: nothing valid was measured.')
})

t.test('percentiles of windows in turn decide, too', async t => {
  const run = makeRun()
  const windows = makeWindows()
  const result = compareSides(run, { windows })
  t.equal(verdictsOf(result).p99, 'slower')
  t.equal(result.slower, true)
  const first = compareSides(run)
  t.ok(Number(result.figures[0].level) > Number(first.figures[0].level), 'adjusted for three figures')
  t.equal(areSidesResolved(run, { margin: 0.05, windows, kinds: ['p99'] }), true)
  t.equal(areSidesResolved(run, { margin: 0.2, windows, kinds: ['p99'] }), false)
  const rates = [500, 20, 20]
  const figures = result.figures.map((figure, i) => ({ ...figure, rate: rates[i] }))
  t.match(printReport(toRecord(toDiff({ ...result, figures })), kind).replace(/\s+/g, ' '),
    /p99 at 500\S* and 20\S* requests per second, from windows in turn\./)
})

t.test('windows of other paths narrow the interval of percentiles that differ from start to start', async t => {
  const factors = Object.entries({
    base: [1, 1, 1], head: [1, 1.1, 1.05], 'base /a': [1.08, 1, 1.04], 'head /a': [1, 1.03, 1.1]
  })
  const windows = factors.flatMap(([arm, byStart], row) => byStart.flatMap((factor, start) =>
    Array.from({ length: 5 }, (_, i) => {
      const p99 = 10 * factor * (1 + (i * (row + 1) % 5) / 1000)
      const latencyMs = { p50: 1, p90: 2, p95: 3, p99, max: 20, rate: 500, source: 'paced' }
      return makeSample({ arm, block: start * 5 + i, start, latencyMs })
    })))
  const computeWidth = (/** @type {Sample[]} */ selected) => {
    const { figures } = compareSides(makeRun(), { windows: selected })
    const p99 = figures.find(({ figure }) => figure === 'p99')
    return Math.log(Number(p99?.high) / Number(p99?.low))
  }
  const ofPair = computeWidth(windows.filter(({ arm }) => !arm.endsWith('/a')))
  t.ok(computeWidth(windows) < 0.8 * ofPair, `${computeWidth(windows)} and ${ofPair}`)
})

t.test('a run ends early only if all its figures are decided at a stricter level', async t => {
  const kinds = /** @type {('cpu' | 'throughput')[]} */ (['cpu', 'throughput'])
  t.equal(areSidesResolved(makeRun(), { margin: 0.05, kinds }), true)
  t.equal(areSidesResolved(makeRun({ starts: 2 }), { margin: 0.05, kinds }), false)
  t.equal(areSidesResolved(makeRun({ costlier: 0.05 }), { margin: 0.05, kinds }), false)
  const wider = makeRun({ noise: 0.18 })
  t.equal(compareSides(wider).open, false, 'the last look decides')
  t.equal(areSidesResolved(wider, { margin: 0.05, kinds }), false, 'an interim look does not')
})

t.test('the text fits into 80 columns, and Markdown begins with the answer', async t => {
  const diff = toDiff(compareSides(makeRun({ slower: 0.13, costlier: 0.15 })))
  const text = printReport(toRecord(diff), kind)
  t.ok(text.split('\n').every(line => line.length <= 80), text)
  t.match(text, /^SLOWER by more than 5 %: /)
  t.match(text, /head: your working tree at 5e6f7a8b, with 2 uncommitted files/)
  const markdown = reportMarkdown(toRecord(diff), kind)
  t.match(markdown, /^\*\*SLOWER by more than 5 %: .*\*\*\n\n### Head against base\n\n/)
  t.match(markdown, /\| figure \| base \| head \| change \| interval \| verdict \| detectable \|/)
  t.match(markdown, /\| CPU time per request, µs \|/)
})

/** Tests runs that end early or are disturbed: interruption, full disk, suspend and clock step. */
import t from '../support/tap.js'
import { HopbenchError } from '../../bench/errors.js'
import { recordFromSamples } from '../../bench/run/pipeline.js'
import { endSentence } from '../../bench/report/sentences/run-sentences.js'
import { findFault } from '../../bench/store/record-format.js'
import { readRun, reopenRun } from '../../bench/store/store.js'
import { apart, measured, opened, printed } from '../support/measured-run.js'
import { planFor } from '../support/samples.js'
import { scriptedRun } from '../support/world.js'
import { renderText } from '../support/rendered.js'
t.test('an interruption keeps all measured blocks', async t => {
  const { record, stored, seen } = await measured(t, planFor(), { script: apart, interrupted: blocks => blocks === 4 })
  t.match(record, { complete: false, ended: 'interrupted', timing: { blocks: 4 } })
  t.equal(stored.samples.length, 12)
  t.equal(stored.record?.complete, false)
  t.match(seen, { closed: 1 })
})

t.test('an interruption within a block keeps its measured slices', async t => {
  let slices = 0
  const { record, stored } = await measured(t, planFor(), {
    script: (arm, block) => { slices++; return apart(arm, block) }, interrupted: () => slices >= 7
  })
  t.equal(stored.samples.length, 7)
  t.match(record, { complete: false, ended: 'interrupted' })
})

t.test('a resumed run has the result of an uninterrupted one', async t => {
  const plan = planFor({}, { maxBlocks: 20, precision: 0.0001 })
  const whole = await measured(t, plan, { script: apart })
  const cut = await measured(t, plan, { script: apart, interrupted: blocks => blocks === 9 })

  const { samples, plan: storedPlan, ...run } = await reopenRun(cut.record.run, cut.resultsDir)
  t.teardown(() => run.close())
  const { record, seen } = scriptedRun(storedPlan, { script: apart, run, earlier: samples })
  const resumed = await record

  t.strictSame([...cut.seen.slices, ...seen.slices], whole.seen.slices, 'the same order of slices')
  for (const field
    of /** @type {const} */ (['run', 'ended', 'complete', 'seed', 'plan', 'arms', 'contrasts', 'noiseFloor', 'claims',
      'startedAt'])) {
    t.strictSame(withoutTimes(resumed[field]), withoutTimes(whole.record[field]), field)
  }
  t.strictSame((await readRun(run.dir)).samples, whole.stored.samples)
})

t.test('builds the record of an interrupted run from its samples', async t => {
  const plan = planFor()
  const whole = await measured(t, plan, { script: apart })
  const record = recordFromSamples(whole.stored)
  t.match(record, { complete: false, ended: null, tools: whole.record.tools })
  t.strictSame(record.contrasts.map(({ ratio, verdict }) => ({ ratio, verdict })),
    whole.record.contrasts.map(({ ratio, verdict }) => ({ ratio, verdict })))
})

t.test('resumes after a full disk with the block that was not stored', async t => {
  const plan = planFor({}, { maxBlocks: 12, precision: 0.0001 })
  const { run, resultsDir } = await opened(t, plan)
  let blocks = 0
  const full = {
    ...run,
    append: async (/** @type {any} */ samples) =>
      blocks++ === 3
        ? Promise.reject(new HopbenchError('disk-full', { file: 'samples.jsonl', resume: `run --resume ${run.dir}` }))
        : run.append(samples)
  }
  await t.rejects(scriptedRun(plan, { script: apart, run: full }).record, {
    code: 'disk-full',
    remedy: new RegExp(`--resume .*${run.run}`)
  })
  const { samples, plan: storedPlan, ...again } = await reopenRun(run.run, resultsDir)
  t.teardown(() => again.close())
  const { record, seen } = scriptedRun(storedPlan, { script: apart, run: again, earlier: samples })
  t.match(await record, { complete: true, timing: { blocks: 12 } })
  t.match(seen.slices[0], /^3 /, 'the first block is the one that was not stored')
})

t.test('discards and reports a trial during a suspend, and measures an additional block', async t => {
  const suspended = {
    requests: 0,
    rps: 0,
    seconds: 0,
    invalid: /** @type {const} */ ({ code: 'suspended', params: { seconds: 9, seen: 'asleep' } })
  }
  const { record, seen } = await measured(t, planFor({}, { quick: true }), {
    script: (arm, block) => arm === 'uds' && block === 2 ? suspended : apart(arm, block)
  })
  t.match(record, { complete: true, timing: { blocks: 7 } }, 'one block more than the six of a quick run')
  t.match(record.contrasts, [{ arm: 'uds', blocks: 6, verdict: 'faster' }])
  t.equal(seen.slices.length, 21, 'keeps the other trials of the block')
  t.match(record.arms.find(({ name }) => name === 'uds'), {
    invalid: null,
    invalidTrials: [{ block: 2, reason: { code: 'suspended' } }]
  })
  t.match(record.warnings.find(({ code }) => code === 'disturbed-trials'), {
    params: { trials: 1, last: { code: 'suspended', params: { seconds: 9 } } }
  })
})

t.test('a clock step within a run affects only two dates', async t => {
  const plan = planFor()
  const still = await measured(t, plan, { script: apart })
  const { record, stored } = await measured(t, plan, {
    script: apart,
    wall: seconds => seconds < 20 ? seconds : seconds - 3600
  })
  t.ok(Date.parse(String(record.endedAt)) < Date.parse(record.startedAt))
  t.equal(findFault('record', printed(record)), null)
  t.strictSame(stored.record?.timing, still.record.timing, 'durations use the monotonic clock')
  t.equal(endSentence(record), endSentence(still.record))
  t.match(renderText(record), /12 blocks in 32 s/)
})

/**
 * Removes `secondsToSettle`, which depends on the elapsed time.
 * @param {unknown} value
 */
const withoutTimes = value =>
  JSON.parse(JSON.stringify(value, (key, inner) => key === 'secondsToSettle' ? undefined : inner))

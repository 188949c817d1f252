/** @import { Test } from 'tap' */
/** @import { Plan, RunRecord } from '../../bench/types.js' */
import t from 'tap'
import { HopbenchError } from '../../bench/errors.js'
import { recordFromSamples } from '../../bench/pipeline.js'
import { orderOfBlock } from '../../bench/plan/plan.js'
import { endSentence } from '../../bench/report/sentences.js'
import { renderText } from '../../bench/report/text.js'
import { listRuns, openRun, readRun, reopenRun } from '../../bench/store/store.js'
import { faultOf } from '../../bench/store/record-format.js'
import { planFor } from '../support/samples.js'
import { died, noisy, scriptedRun, steady } from '../support/world.js'

const twin = 'tcp (twin)'
const apart = steady({ tcp: 10_000, uds: 12_000, [twin]: 10_000 })
/** The record as people get it: Infinity and NaN are null in JSON. @type {(record: RunRecord) => any} */
const printed = record => JSON.parse(JSON.stringify(record))

/** A run in a folder of the test's own. @param {Test} t @param {Plan} plan */
async function opened (t, plan) {
  const resultsDir = t.testdir({})
  const run = await openRun({ resultsDir, experiment: plan.experiment, startedAt: '2024-05-06T07:08:09.000Z', plan })
  t.teardown(() => run.close())
  return { resultsDir, run }
}

/**
 * @param {Test} t
 * @param {Plan} plan
 * @param {Omit<Parameters<typeof scriptedRun>[1], 'run'>} options
 */
async function measured (t, plan, options) {
  const { run, resultsDir } = await opened(t, plan)
  const { record, seen, elapsed } = scriptedRun(plan, { ...options, run })
  return { record: await record, seen, elapsed: elapsed(), stored: await readRun(run.dir), resultsDir }
}

t.test('an arm that is 20 % faster gets its verdict, and the run ends on precision', async t => {
  const { record, seen } = await measured(t, planFor(), { script: apart })
  t.match(record.contrasts, [{ arm: 'uds', baseline: 'tcp', verdict: 'faster', why: null }])
  t.ok(record.contrasts[0].low < 1.2 && record.contrasts[0].high > 1.2, 'the interval holds the truth')
  t.match(record, { complete: true, ended: 'precision' })
  t.equal(record.timing.blocks, 12, 'not a block more than it needs')
  t.equal(seen.slices.length, 36)
})

t.test('twins differ by nothing, and the noise floor says so', async t => {
  const { record } = await measured(t, planFor(), { script: steady({ tcp: 10_000, uds: 10_000, [twin]: 10_000 }) })
  t.equal(record.contrasts[0].verdict, 'no-difference')
  t.ok(record.noiseFloor && record.noiseFloor.low < 1 && record.noiseFloor.high > 1)
})

t.test('a length of slices that the noise has chosen is in the plan on disk before it is used, and a resumed run ' +
  'keeps it', async t => {
  // Noise that comes anew with every slice: short ones are best.
  const script = (/** @type {string} */ arm, /** @type {number} */ block) => {
    const rps = Number(noisy({ tcp: 10_000, uds: 12_000, [twin]: 10_000 }, 0.2)(arm, block).rps)
    return { rps, parts: [1, 2, 3, 4, 5].map(step => rps * (1 + 0.0001 * (block % 3) / step)) }
  }
  const plan = planFor({}, { adaptive: true, budgetSeconds: 120 })
  const { record, seen, stored, resultsDir } = await measured(t, plan, { script, interrupted: blocks => blocks === 20 })
  t.match(record.plan, { windowSeconds: 0.2, adaptive: { from: 11, chosen: { changed: true } } })
  t.match(stored.plan, { windowSeconds: 0.2, adaptive: { from: 11 } })
  t.equal(faultOf('record', printed(record)), null)
  t.match(seen.progress.find(line => line.startsWith('Slices')), /^Slices are 0\.2 s long from here on/)
  t.equal(record.contrasts[0].blocks, 9, 'blocks of another length are left out')

  const reopened = await reopenRun(stored.dir, resultsDir)
  t.teardown(() => reopened.close())
  const again = scriptedRun(reopened.plan, { script, run: reopened, earlier: reopened.samples })
  const whole = await again.record
  t.same(whole.plan, record.plan)
  t.notOk(again.seen.progress.some(line => line.startsWith('Slices')), 'nothing is chosen twice')
  t.equal(whole.contrasts[0].blocks, whole.timing.blocks - 11)
})

t.test('a run that cannot become precise ends within its budget', async t => {
  const { record, elapsed } = await measured(t, planFor({}, { budgetSeconds: 60 }), {
    script: noisy({ tcp: 10_000, uds: 12_000, [twin]: 10_000 }, 0.4)
  })
  t.match(record, { complete: true, ended: 'budget' })
  t.ok(elapsed <= 60, `${elapsed} s by its own clock`)
  t.ok(elapsed > 54, 'and uses what it was given')
})

t.test('everything is stored while it is measured, and the record keeps to its schema', async t => {
  const { record, stored, seen } = await measured(t, planFor(), { script: apart })
  t.equal(faultOf('record', printed(record)), null)
  t.strictSame(printed(/** @type {RunRecord} */ (stored.record)), printed(record))
  t.equal(stored.samples.length, seen.slices.length)
  t.match(seen, { closed: 1 })
  t.equal(seen.progress.at(-1), 'end')
})

t.test('every block has an order of its own, from the seed', async t => {
  const plan = planFor()
  const { seen } = await measured(t, plan, { script: apart })
  t.strictSame(seen.slices,
    Array.from({ length: 12 }, (_, block) => orderOfBlock(plan, block).map(arm => `${block} ${arm}`)).flat())
})

t.test('an arm that answers with errors is invalid, and no ratio of it is a result', async t => {
  const { record } = await measured(t, planFor(), {
    script: (arm, block) => ({
      ...apart(arm, block),
      ...arm === 'uds' && { errors: { non2xx: 30, timeouts: 0, resets: 0, mismatches: 0 } }
    })
  })
  t.equal(record.contrasts[0].verdict, 'invalid')
  t.match(record.contrasts[0].why, /^uds: .*30 not 2xx/)
  t.equal(record.ended, 'failed', 'with nothing left to compare it does not go on')
  t.ok(record.timing.blocks < 12)
  t.equal(record.arms.find(({ name }) => name === 'uds')?.errors.non2xx, 30 * record.timing.blocks)
})

t.test('one answer with another body is enough: the arm is invalid', async t => {
  const { record } = await measured(t, planFor(), {
    script: (arm, block) => ({
      ...apart(arm, block),
      ...arm === 'uds' && block === 4 && { errors: { non2xx: 0, timeouts: 0, resets: 0, mismatches: 1 } }
    })
  })
  t.match(record.contrasts, [{ verdict: 'invalid', why: /^uds: .*another body/ }])
  t.match(record, { ended: 'failed', timing: { blocks: 5 } })
})

t.test('an arm whose process ends is not asked again, and what it is part of is invalid', async t => {
  const plan = planFor({
    arms: {
      tcp: 'nginx:tcp/express-json',
      uds: 'nginx:uds/express-json',
      keepalive: 'nginx:tcp+workers=2/express-json'
    }
  })
  const fine = steady({ tcp: 10_000, uds: 12_000, keepalive: 13_000, [twin]: 10_000 })
  const { record, seen } = await measured(t, plan, {
    script: (arm, block) => arm === 'uds' && block === 7 ? died : fine(arm, block)
  })
  t.notOk(seen.slices.includes('8 uds'))
  t.match(record.contrasts.map(({ arm, verdict }) => `${arm} ${verdict}`), ['uds invalid', 'keepalive faster'])
  t.match(record.contrasts[0].why, 'the server of it ended with exit code 1')
  t.match(record, { complete: true, ended: 'precision' }, 'the others are measured to the end')
})

t.test('when every arm is lost the run has failed, and ends', async t => {
  const plan = planFor({ arms: { tcp: 'nginx:tcp/express-json' } })
  const { record } = await measured(t, plan, { script: (arm, block) => block === 3 ? died : apart(arm, block) })
  t.match(record, { ended: 'failed', timing: { blocks: 4 } })
})

t.test('an arm that the gate refuses is never measured', async t => {
  const plan = planFor({
    arms: { tcp: 'nginx:tcp/express-json', uds: 'nginx:uds/express-json', two: 'nginx:tcp+workers=2/express-json' }
  })
  const { record, seen } = await measured(t, plan, {
    script: steady({ tcp: 10_000, two: 12_000, [twin]: 10_000 }),
    refused: new Map([['uds', { code: 'gate-refused', text: 'the body is another one' }]])
  })
  t.notOk(seen.slices.some(slice => slice.endsWith(' uds')))
  t.match(record.contrasts.map(({ verdict }) => verdict), ['invalid', 'faster'])
  t.equal(record.contrasts[0].why, 'uds: the body is another one')
})

t.test('counts that disagree at the end make an arm invalid after all', async t => {
  const { record } = await measured(t, planFor(), {
    script: apart,
    finish: () =>
      new Map([['uds', {
        code: 'counts-disagree',
        text: 'the generator counted 5 answers and the served side 9 requests'
      }]])
  })
  t.match(record.contrasts, [{
    verdict: 'invalid',
    why: 'uds: the generator counted 5 answers and the served side 9 requests'
  }])
})

t.test('an interruption keeps what there is', async t => {
  const { record, stored, seen } = await measured(t, planFor(), { script: apart, interrupted: blocks => blocks === 4 })
  t.match(record, { complete: false, ended: 'interrupted', timing: { blocks: 4 } })
  t.equal(stored.samples.length, 12)
  t.equal(stored.record?.complete, false)
  t.match(seen, { closed: 1 })
})

t.test('an interruption in the middle of a block keeps the slices that were cut', async t => {
  let slices = 0
  const { record, stored } = await measured(t, planFor(), {
    script: (arm, block) => { slices++; return apart(arm, block) }, interrupted: () => slices >= 7
  })
  t.equal(stored.samples.length, 7)
  t.match(record, { complete: false, ended: 'interrupted' })
})

t.test('a run that goes on ends as it would have without the interruption', async t => {
  const plan = planFor({}, { maxBlocks: 20, precision: 0.0001 })
  const whole = await measured(t, plan, { script: apart })
  const cut = await measured(t, plan, { script: apart, interrupted: blocks => blocks === 9 })

  const { samples, plan: storedPlan, ...run } = await reopenRun(cut.record.run, cut.resultsDir)
  t.teardown(() => run.close())
  const { record, seen } = scriptedRun(storedPlan, { script: apart, run, earlier: samples })
  const resumed = await record

  t.strictSame([...cut.seen.slices, ...seen.slices], whole.seen.slices, 'the same orders')
  for (const field
    of /** @type {const} */ (['run', 'ended', 'complete', 'seed', 'plan', 'arms', 'contrasts', 'noiseFloor', 'claims',
      'startedAt'])) {
    t.strictSame(withoutTimes(resumed[field]), withoutTimes(whole.record[field]), field)
  }
  t.strictSame((await readRun(run.dir)).samples, whole.stored.samples)
})

t.test('a run that was cut off is reported from its samples', async t => {
  const plan = planFor()
  const whole = await measured(t, plan, { script: apart })
  const record = recordFromSamples(whole.stored)
  t.match(record, { complete: false, ended: null, tools: whole.record.tools })
  t.strictSame(record.contrasts.map(({ ratio, verdict }) => ({ ratio, verdict })),
    whole.record.contrasts.map(({ ratio, verdict }) => ({ ratio, verdict })))
})

t.test('a full disk ends the run; the blocks stored before it are kept, and the rig is closed', async t => {
  const plan = planFor()
  const { run } = await opened(t, plan)
  let blocks = 0
  const { record, seen } = scriptedRun(plan, {
    script: apart,
    run: {
      ...run,
      async append (samples) {
        if (blocks++ === 3) throw new HopbenchError('disk-full', { file: 'samples.jsonl', resume: null })
        await run.append(samples)
      }
    }
  })
  await t.rejects(record, { code: 'disk-full' })
  t.equal((await readRun(run.dir)).samples.length, 9)
  t.match(seen, { closed: 1 })
})

t.test('after a full disk a run goes on where it stopped', async t => {
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
  t.match(seen.slices[0], /^3 /, 'with the block that could not be stored')
})

t.test('a trial in which the machine was suspended is discarded, reported, and measured again in a later ' +
  'block', async t => {
  const suspended = {
    requests: 0,
    rps: 0,
    seconds: 0,
    invalid: { code: 'suspended', text: 'the machine was suspended for 9.0 s within it' }
  }
  const { record, seen } = await measured(t, planFor({}, { quick: true }), {
    script: (arm, block) => arm === 'uds' && block === 2 ? suspended : apart(arm, block)
  })
  t.match(record, { complete: true, timing: { blocks: 7 } }, 'a block more than the six of a quick run')
  t.match(record.contrasts, [{ arm: 'uds', blocks: 6, verdict: 'faster' }])
  t.equal(seen.slices.length, 21, 'the other trials of its block stay')
  t.match(record.arms.find(({ name }) => name === 'uds'), {
    invalid: null,
    invalidTrials: [{ block: 2, reason: { code: 'suspended' } }]
  })
  t.match(record.warnings.find(({ code }) => code === 'disturbed-trials'), {
    text: '1 trial was disturbed and discarded; the last because the machine was suspended for 9.0 s within it.'
  })
})

t.test('a clock that is set back in the middle of a run changes nothing but two dates', async t => {
  const plan = planFor()
  const still = await measured(t, plan, { script: apart })
  const { record, stored } = await measured(t, plan, {
    script: apart,
    wall: seconds => seconds < 20 ? seconds : seconds - 3600
  })
  t.ok(Date.parse(String(record.endedAt)) < Date.parse(record.startedAt))
  t.equal(faultOf('record', printed(record)), null)
  t.strictSame(stored.record?.timing, still.record.timing, 'durations are measured by a clock that nobody sets')
  t.equal(endSentence(record), endSentence(still.record))
  t.match(renderText(record), /12 blocks in 32 s/)
})

t.test('a run that begins a second time in the same second, by a clock that was set back, has a folder of ' +
  'its own', async t => {
  const { run, resultsDir } = await opened(t, planFor())
  const again = await openRun({
    resultsDir,
    experiment: 'test',
    startedAt: '2024-05-06T07:08:09.900Z',
    plan: planFor()
  })
  t.teardown(() => again.close())
  t.equal(again.run, `${run.run}.2`)
  t.strictSame((await listRuns(resultsDir)).map(({ run }) => run), [run.run, again.run])
})

t.test('the rig is closed whatever fails', async t => {
  const failures = {
    'a slice': { script: () => { throw new Error('no reading') } },
    'the end of the load': { script: apart, finish: () => { throw new Error('no reading') } }
  }
  for (const [what, options] of Object.entries(failures)) {
    const { run } = await opened(t, planFor())
    const { record, seen } = scriptedRun(planFor(), { ...options, run })
    await t.rejects(record, /no reading/, what)
    t.match(seen, { closed: 1 }, what)
    t.equal(seen.progress.at(-1), 'end')
  }
})

/** The time to settle depends on the wall time, which differs. @param {unknown} value */
const withoutTimes = value =>
  JSON.parse(JSON.stringify(value, (key, inner) => key === 'secondsToSettle' ? undefined : inner))

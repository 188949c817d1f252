import t from '../support/tap.js'
import { orderOfBlock } from '../../bench/plan/plan.js'
import { findFault } from '../../bench/store/record-format.js'
import { apart, measured, opened, printed, twin } from '../support/measured-run.js'
import { planFor } from '../support/samples.js'
import { died, noisy, scriptedRun, steady } from '../support/world.js'

/** @import { RunRecord } from '../../bench/types.js' */

t.test('reports an arm that is 20 % faster and ends when the precision is reached', async t => {
  const { record, seen } = await measured(t, planFor(), { script: apart })
  t.match(record.contrasts, [{ arm: 'uds', baseline: 'tcp', verdict: 'faster', why: null }])
  t.ok(record.contrasts[0].low < 1.2 && record.contrasts[0].high > 1.2, 'the interval contains the true ratio')
  t.match(record, { complete: true, ended: 'precision' })
  t.equal(record.timing.blocks, 12, 'no more blocks than required')
  t.equal(seen.slices.length, 36)
})

t.test('reports no difference between equal arms and a noise floor around 1', async t => {
  const { record } = await measured(t, planFor(), { script: steady({ tcp: 10_000, uds: 10_000, [twin]: 10_000 }) })
  t.equal(record.contrasts[0].verdict, 'no-difference')
  t.ok(record.noiseFloor && record.noiseFloor.low < 1 && record.noiseFloor.high > 1)
})

t.test('ends within the budget when the precision is not reached', async t => {
  const { record, elapsed } = await measured(t, planFor({}, { budgetSeconds: 60 }), {
    script: noisy({ tcp: 10_000, uds: 12_000, [twin]: 10_000 }, 0.4)
  })
  t.match(record, { complete: true, ended: 'budget' })
  t.ok(elapsed <= 60, `${elapsed} s by its own clock`)
  t.ok(elapsed > 54, 'uses most of the budget')
})

t.test('the last start that fits into the budget uses all of it', async t => {
  const script = noisy({ tcp: 10_000, uds: 12_000, [twin]: 10_000 }, 0.4)
  // A start takes 10 s, and eight blocks of three arms take 14.4 s.
  for (const [budgetSeconds, starts] of /** @type {[number, number][]} */ ([[40, 1], [45, 2]])) {
    const plan = { ...planFor({}, { budgetSeconds }), startBlocks: 8 }
    const { stored, elapsed } = await measured(t, plan, { script })
    t.equal(new Set(stored.samples.map(({ start }) => start)).size, starts, `${budgetSeconds} s`)
    t.ok(elapsed <= budgetSeconds && elapsed > budgetSeconds - 5, `${elapsed} s of ${budgetSeconds} s`)
  }
})

t.test('stores samples during the run and a record that matches the schema', async t => {
  const { record, stored, seen } = await measured(t, planFor(), { script: apart })
  t.equal(findFault('record', printed(record)), null)
  t.strictSame(printed(/** @type {RunRecord} */ (stored.record)), printed(record))
  t.equal(stored.samples.length, seen.slices.length)
  t.match(seen, { closed: 1 })
  t.equal(seen.progress.at(-1), 'end')
})

t.test('derives a separate order for each block from the seed', async t => {
  const plan = planFor()
  const { seen } = await measured(t, plan, { script: apart })
  t.strictSame(seen.slices,
    Array.from({ length: 12 }, (_, block) => orderOfBlock(plan, block).map(arm => `${block} ${arm}`)).flat())
})

t.test('an arm with error responses is invalid, and so are its contrasts', async t => {
  const { record } = await measured(t, planFor(), {
    script: (arm, block) => ({
      ...apart(arm, block),
      ...arm === 'uds' && { errors: { non2xx: 30, timeouts: 0, resets: 0, mismatches: 0 } }
    })
  })
  t.equal(record.contrasts[0].verdict, 'invalid')
  t.match(record.contrasts[0].why, {
    params: { arm: 'uds', reason: { code: 'errors', params: { errors: { non2xx: 30 } } } }
  })
  t.equal(record.ended, 'failed', 'ends when nothing is left to compare')
  t.ok(record.timing.blocks < 12)
  t.equal(record.arms.find(({ name }) => name === 'uds')?.errors.non2xx, 30 * record.timing.blocks)
})

t.test('a single response with a wrong body makes the arm invalid', async t => {
  const { record } = await measured(t, planFor(), {
    script: (arm, block) => ({
      ...apart(arm, block),
      ...arm === 'uds' && block === 4 && { errors: { non2xx: 0, timeouts: 0, resets: 0, mismatches: 1 } }
    })
  })
  t.match(record.contrasts, [{ verdict: 'invalid', why: { params: { arm: 'uds', reason: { code: 'wrong-body' } } } }])
  t.match(record, { ended: 'failed', timing: { blocks: 5 } })
})

t.test('an arm whose process ended is not measured again, and its contrasts are invalid', async t => {
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
  t.match(record.contrasts[0].why, { params: { reason: { params: { message: /ended with exit code 1/ } } } })
  t.match(record, { complete: true, ended: 'precision' }, 'the other arms are measured to the end')
})

t.test('fails when every arm is lost', async t => {
  const plan = planFor({ arms: { tcp: 'nginx:tcp/express-json' } })
  const { record } = await measured(t, plan, { script: (arm, block) => block === 3 ? died : apart(arm, block) })
  t.match(record, { ended: 'failed', timing: { blocks: 4 } })
})

t.test('never measures an arm that the gate rejected', async t => {
  const plan = planFor({
    arms: { tcp: 'nginx:tcp/express-json', uds: 'nginx:uds/express-json', two: 'nginx:tcp+workers=2/express-json' }
  })
  const { record, seen } = await measured(t, plan, {
    script: steady({ tcp: 10_000, two: 12_000, [twin]: 10_000 }),
    refused: new Map([['uds', { code: 'gate-refused', params: { why: 'the body is another one' } }]])
  })
  t.notOk(seen.slices.some(slice => slice.endsWith(' uds')))
  t.match(record.contrasts.map(({ verdict }) => verdict), ['invalid', 'faster'])
  t.match(record.contrasts[0].why, { params: { arm: 'uds', reason: { params: { why: 'the body is another one' } } } })
})

t.test('an arm is invalid when its counts disagree at the end', async t => {
  const { record } = await measured(t, planFor(), {
    script: apart,
    finish: () =>
      new Map([['uds', {
        code: 'counts-disagree',
        params: { generator: 5, served: 9, most: 2 }
      }]])
  })
  t.match(record.contrasts, [{
    verdict: 'invalid',
    why: { params: { reason: { code: 'counts-disagree', params: { served: 9 } } } }
  }])
})

t.test('closes the rig after any failure', async t => {
  const failures = {
    'a slice': { script: () => { throw new Error('no reading') } },
    'the end of the load': { script: apart, finish: () => { throw new Error('no reading') } }
  }
  for (const [place, options] of Object.entries(failures)) {
    const { run } = await opened(t, planFor())
    const { record, seen } = scriptedRun(planFor(), { ...options, run })
    await t.rejects(record, /no reading/, place)
    t.match(seen, { closed: 1 }, place)
    t.equal(seen.progress.at(-1), 'end')
  }
})

import t from 'tap'
import { stopDecision, summarize } from '../../bench/analysis/summary.js'
import { invalid, noisy } from '../support/noisy-arms.js'
import { makePlan } from '../support/record.js'
import { cores, planFor, samplesFor } from '../support/samples.js'

t.test('continues until every contrast has the target precision, independent of verdicts', async t => {
  const plan = planFor()
  const { contrasts: [contrast], ...rest } = summarize({
    plan,
    samples: samplesFor(plan, 12, noisy('wide', 0.06)),
    cores
  })
  const summary = { ...rest, contrasts: [{ ...contrast, verdict: /** @type {const} */ ('faster') }] }
  t.strictSame(stopDecision(summary, plan, { seconds: 20 }), { stop: false, ended: null })
  const narrow = summarize({ plan, samples: samplesFor(plan, 12, noisy('narrow', 0.001)), cores })
  t.strictSame(stopDecision(narrow, plan, { seconds: 20 }), { stop: true, ended: 'precision' })
  t.equal(stopDecision(narrow, { ...plan, targets: { ...plan.targets, minBlocks: 13 } }, { seconds: 20 }).stop, false)
})

t.test('ends before a block that would exceed the budget', async t => {
  const plan = planFor()
  const budget = plan.targets.budgetSeconds
  const summary = summarize({ plan, samples: samplesFor(plan, 12, noisy('budget', 0.06)), cores })
  t.equal(stopDecision(summary, plan, { seconds: budget - 4, nextBlockSeconds: 3 }).stop, false)
  t.strictSame(stopDecision(summary, plan, { seconds: budget - 2, nextBlockSeconds: 3 }), {
    stop: true,
    ended: 'budget'
  })
})

t.test('a quick run replaces invalid blocks, up to a limit', async t => {
  const plan = planFor({}, { quick: true })
  const lost = (/** @type {number} */ blocks, /** @type {(block: number) => boolean} */ isLost) =>
    summarize({
      plan,
      samples: samplesFor(plan, blocks,
        (arm, block) => ({
          ...noisy(`quick ${arm} ${block}`, 0.1)(arm),
          invalid: arm === 'uds' && isLost(block) ? invalid : null
        })),
      cores
    })
  t.strictSame(stopDecision(lost(6, () => false), plan, { seconds: 9 }), { stop: true, ended: 'blocks' })
  t.equal(stopDecision(lost(6, block => block === 2), plan, { seconds: 9 }).stop, false)
  t.strictSame(stopDecision(lost(7, block => block === 2), plan, { seconds: 9 }), { stop: true, ended: 'blocks' })
  t.strictSame(stopDecision(lost(12, block => block < 6 && block > 0), plan, { seconds: 9 }).ended, 'blocks')
})

t.test('a smoke run continues until each arm has a valid trial or is invalid', async t => {
  const plan = planFor({}, { smoke: true, maxBlocks: 1 })
  const after = (/** @type {number} */ blocks, /** @type {(block: number) => boolean} */ isLost) => {
    const samples = samplesFor(plan, blocks, (arm, block) =>
      ({ invalid: arm === 'uds' && isLost(block) ? invalid : null }))
    const summary = summarize({ plan, samples, cores })
    return { ...stopDecision(summary, plan, { seconds: 9 }), invalid: summary.arms.filter(arm => arm.invalid).length }
  }
  t.strictSame(after(1, () => false), { stop: true, ended: 'blocks', invalid: 0 })
  for (const blocks of [1, 2, 5]) t.strictSame(after(blocks, () => true), { stop: false, ended: null, invalid: 0 })
  t.strictSame(after(3, block => block < 2), { stop: true, ended: 'blocks', invalid: 0 })
  t.match(after(6, () => true), { stop: true, invalid: 1 })
})

t.test('ends when no contrast is left, and continues otherwise', async t => {
  const plan = planFor({ arms: { tcp: 'express-json', uds: 'express-json', third: 'express-json' } })
  const broken = (/** @type {string[]} */ ...names) =>
    summarize({
      plan,
      samples: samplesFor(plan, 7, () => ({})),
      armFailures: Object.fromEntries(names.map(name => [name, invalid])),
      cores
    })
  t.strictSame(stopDecision(broken('tcp'), plan, { seconds: 9 }), { stop: true, ended: 'failed' })
  t.strictSame(stopDecision(broken('uds'), plan, { seconds: 9 }), { stop: false, ended: null })
})

t.test('a single arm has no contrast and stops at the least number of blocks', async t => {
  const plan = planFor({ arms: { only: 'express-json' } })
  const at = (/** @type {number} */ blocks) =>
    stopDecision(summarize({ plan, samples: samplesFor(plan, blocks, () => ({})), cores }), plan, { seconds: 9 })
  t.equal(at(11).stop, false)
  t.strictSame(at(12), { stop: true, ended: 'precision' })
})

t.test('a run at offered rates ends after its blocks, because it has no precision target', async t => {
  const plan = makePlan({
    protocol: 'rates',
    contrasts: [],
    twin: null,
    targets: { precision: 0.02, budgetSeconds: 100, minBlocks: 3, maxBlocks: 3, adjusted: true }
  })
  const after = (/** @type {number} */ blocks) =>
    stopDecision({
      arms: [],
      contrasts: [],
      noiseFloor: null,
      halfWidths: [],
      decided: [],
      blocks,
      dropped: 0,
      needed: [],
      standsApart: [],
      noise: null
    }, plan, { seconds: 10 })
  t.same(after(2), { stop: false, ended: null })
  t.same(after(3), { stop: true, ended: 'blocks' })
})

t.test('replaces a block with a trial during a suspend, also without contrasts', async t => {
  const plan = planFor({ arms: { tcp: 'nginx:tcp/express-json' } }, { quick: true })
  const summaryOf = (/** @type {number} */ blocks) =>
    summarize({
      plan,
      cores,
      samples: samplesFor(plan, blocks, (arm, block) =>
        arm === 'tcp' && block === 2 ? { invalid: { code: 'suspended', text: 'x' } } : {})
    })
  t.equal(stopDecision(summaryOf(6), plan, { seconds: 1 }).stop, false)
  t.match(stopDecision(summaryOf(7), plan, { seconds: 1 }), { stop: true })
})

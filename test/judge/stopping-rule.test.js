import t from '../support/tap.js'
import { halfWidth } from '../../bench/judge/stats/paired.js'
import { findEnd, isOpen } from '../../bench/judge/stopping-rule.js'
import { invalid, noisy, summaryOf } from '../support/noisy-arms.js'
import { makePlan } from '../support/record.js'
import { planFor } from '../support/samples.js'

t.test('continues until every contrast has the target precision, independent of verdicts', async t => {
  const plan = planFor()
  const { contrasts: [contrast], ...rest } = summaryOf(plan, 12, noisy('wide', 0.06))
  const summary = { ...rest, contrasts: [{ ...contrast, verdict: /** @type {const} */ ('faster') }] }
  t.equal(findEnd(summary, plan, { seconds: 20 }), null)
  const narrow = summaryOf(plan, 12, noisy('narrow', 0.001))
  t.equal(findEnd(narrow, plan, { seconds: 20 }), 'precision')
  t.equal(findEnd(narrow, { ...plan, targets: { ...plan.targets, minBlocks: 13 } }, { seconds: 20 }), null)
})

t.test('a decided run continues to its least number of blocks, with all arms', async t => {
  const plan = planFor({ protocol: 'gang' })
  const after = (/** @type {number} */ blocks) => summaryOf(plan, blocks, (arm, block) => {
    const { rps } = noisy(`decided ${arm} ${block}`, 0.002)(arm)
    return { rps: arm === 'uds' ? 1.3 * rps : rps, start: Math.floor(block / 6) }
  })
  const early = after(9)
  t.type(early.contrasts[0].decidedAtBlock, 'number')
  t.ok(halfWidth(early.contrasts[0]) < 0.1, 'the size of the ratio is known')
  t.strictSame(early.needed, ['tcp', 'uds'])
  t.equal(findEnd(early, plan, { seconds: 20, needed: early.needed }), null)
  t.equal(findEnd(early, plan, { seconds: plan.targets.budgetSeconds + 1, needed: early.needed }), 'budget')
  const enough = after(12)
  t.strictSame(enough.needed, [])
  t.equal(findEnd(enough, plan, { seconds: 25, needed: enough.needed }), 'decided')
})

t.test('a decided contrast continues while its starts are too few for an interval', async t => {
  const { contrasts: [contrast] } = summaryOf(planFor(), 12, noisy('starts', 0.002))
  const decided = { ...contrast, low: 0, high: Infinity, starts: 2, decidedAtBlock: 9 }
  const targets = { minBlocks: 12 }
  t.equal(isOpen({ ...decided, why: { code: 'too-few-starts', params: { starts: 2 } } }, targets), true)
  t.equal(isOpen({ ...decided, why: null }, targets), false, 'an interval with one end stays as it is')
})

t.test('a run with a margin continues until its comparison is resolved, or to its budget', async t => {
  const plan = planFor({ protocol: 'gang' }, { margin: 0.05 })
  t.equal(plan.targets.margin, 0.05)
  const summary = summaryOf(plan, 12, noisy('margin', 0.001))
  t.equal(findEnd(summary, plan, { seconds: 20 }), null, 'its contrasts are precise')
  t.equal(findEnd(summary, plan, { seconds: 20, needed: [] }), null, 'and decided')
  t.equal(findEnd(summary, plan, { seconds: 20, isResolved: true }), 'decided')
  t.equal(findEnd(summary, plan, { seconds: plan.targets.budgetSeconds + 1 }), 'budget')
  const few = summaryOf(plan, 6, noisy('margin', 0.001))
  t.equal(findEnd(few, plan, { seconds: 20, isResolved: true }), null)
  const [contrast] = summary.contrasts
  const lost = { ...summary, contrasts: [{ ...contrast, verdict: /** @type {const} */ ('invalid') }] }
  t.equal(findEnd(lost, plan, { seconds: 20 }), 'failed')
})

t.test('a requested precision and a fixed number of blocks take precedence over the margin', async t => {
  t.equal(planFor({}, { margin: 0.05, precision: 0.01 }).targets.margin, undefined)
  const quick = planFor({}, { margin: 0.05, quick: true })
  const summary = summaryOf(quick, 6, noisy('quick', 0.1))
  t.equal(findEnd(summary, quick, { seconds: 5 }), 'blocks')
})

t.test('ends before a block that would exceed the budget', async t => {
  const plan = planFor()
  const budget = plan.targets.budgetSeconds
  const summary = summaryOf(plan, 12, noisy('budget', 0.06))
  t.equal(findEnd(summary, plan, { seconds: budget - 4, nextBlockSeconds: 3 }), null)
  t.equal(findEnd(summary, plan, { seconds: budget - 2, nextBlockSeconds: 3 }), 'budget')
})

t.test('a quick run replaces invalid blocks, up to a limit', async t => {
  const plan = planFor({}, { quick: true })
  const lost = (/** @type {number} */ blocks, /** @type {(block: number) => boolean} */ isLost) =>
    summaryOf(plan, blocks, (arm, block) => ({
      ...noisy(`quick ${arm} ${block}`, 0.1)(arm), invalid: arm === 'uds' && isLost(block) ? invalid : null
    }))
  t.equal(findEnd(lost(6, () => false), plan, { seconds: 9 }), 'blocks')
  t.equal(findEnd(lost(6, block => block === 2), plan, { seconds: 9 }), null)
  t.equal(findEnd(lost(7, block => block === 2), plan, { seconds: 9 }), 'blocks')
  t.equal(findEnd(lost(12, block => block < 6 && block > 0), plan, { seconds: 9 }), 'blocks')
})

t.test('a smoke run continues until each arm has a valid trial or is invalid', async t => {
  const plan = planFor({}, { smoke: true, maxBlocks: 1 })
  const after = (/** @type {number} */ blocks, /** @type {(block: number) => boolean} */ isLost) => {
    const summary = summaryOf(plan, blocks, (arm, block) =>
      ({ invalid: arm === 'uds' && isLost(block) ? invalid : null }))
    return { ended: findEnd(summary, plan, { seconds: 9 }), invalid: summary.arms.filter(arm => arm.invalid).length }
  }
  t.strictSame(after(1, () => false), { ended: 'blocks', invalid: 0 })
  for (const blocks of [1, 2, 5]) t.strictSame(after(blocks, () => true), { ended: null, invalid: 0 })
  t.strictSame(after(3, block => block < 2), { ended: 'blocks', invalid: 0 })
  t.match(after(6, () => true), { ended: String, invalid: 1 })
})

t.test('ends when no contrast is left, and continues otherwise', async t => {
  const plan = planFor({ arms: { tcp: 'express-json', uds: 'express-json', third: 'express-json' } })
  const broken = (/** @type {string[]} */ ...names) =>
    summaryOf(plan, 7, () => ({}), { armFailures: Object.fromEntries(names.map(name => [name, invalid])) })
  t.strictSame(findEnd(broken('tcp'), plan, { seconds: 9 }), 'failed')
  t.equal(findEnd(broken('uds'), plan, { seconds: 9 }), null)
})

t.test('the number of blocks of a quick run does not depend on its interval', async t => {
  const arms = { tcp: 'express-json', uds: 'express-json' }
  const at = (/** @type {number} */ blocks, /** @type {object} */ options) => {
    const plan = planFor({ arms, protocol: 'gang' }, { quick: true, ...options })
    return findEnd(summaryOf(plan, blocks, () => ({})), plan, { seconds: 9 })
  }
  t.strictSame([7, 12].map(blocks => at(blocks, {})), [null, 'blocks'])
  t.equal(at(7, { precision: 0.1 }), 'precision', 'unless it is typed')
})

t.test('a single arm has no contrast and stops at the least number of blocks', async t => {
  const plan = planFor({ arms: { only: 'express-json' } })
  const at = (/** @type {number} */ blocks) =>
    findEnd(summaryOf(plan, blocks, () => ({})), plan, { seconds: 9 })
  t.equal(at(11), null)
  t.strictSame(at(12), 'precision')
})

t.test('a run at offered rates ends after its blocks, because it has no precision target', async t => {
  const plan = makePlan({
    protocol: 'rates',
    contrasts: [],
    twin: null,
    targets: { precision: 0.02, budgetSeconds: 100, minBlocks: 3, maxBlocks: 3, adjusted: true }
  })
  const after = (/** @type {number} */ blocks) =>
    findEnd({ ...summaryOf(plan, 0, () => ({})), blocks }, plan, { seconds: 10 })
  t.equal(after(2), null)
  t.equal(after(3), 'blocks')
})

t.test('replaces a block with a trial during a suspend, also without contrasts', async t => {
  const plan = planFor({ arms: { tcp: 'nginx:tcp/express-json' } }, { quick: true })
  const after = (/** @type {number} */ blocks) => findEnd(summaryOf(plan, blocks, (arm, block) =>
    arm === 'tcp' && block === 2 ? { invalid: { code: 'suspended', params: { seconds: 9, seen: 'asleep' } } } : {}),
  plan, { seconds: 1 })
  t.equal(after(6), null)
  t.ok(after(7))
})

t.test('an invalid play is measured again, without the arms that have enough', async t => {
  const planned = makePlan({ arms: planFor().arms, contrasts: [] })
  const targets = { ...planned.targets, minBlocks: 2, maxBlocks: 2 }
  const plan = { ...planned, protocol: 'plays', result: /** @type {const} */ ('behaviour'), twin: null, targets }
  const [first] = plan.arms
  const after = (/** @type {number} */ blocks, /** @type {number} */ badUntil) =>
    summaryOf(plan, blocks, (arm, block) =>
      ({ rps: 100, invalid: arm === first.name && block < badUntil ? invalid : null }))
  const late = after(2, 1)
  t.strictSame(late.needed, [first.name])
  t.equal(findEnd(late, plan, { seconds: 20, needed: late.needed }), null)
  t.equal(findEnd(late, plan, { seconds: plan.targets.budgetSeconds + 1, needed: late.needed }), 'budget')
  const repeated = after(3, 1)
  t.strictSame(repeated.needed, [])
  t.equal(findEnd(repeated, plan, { seconds: 20, needed: repeated.needed }), 'blocks')
  const never = after(6, 6)
  t.equal(findEnd(never, plan, { seconds: 20, needed: never.needed }), 'blocks', 'six plays are enough to judge an arm')
})

import t from '../../support/tap.js'
import { orderOfBlock } from '../../../bench/plan/plan.js'
import { planFor } from '../../support/samples.js'

/** @import { Experiment } from '../../../bench/types.js' */

/** @type {Partial<Experiment>} */
const ladder = { arms: { a: 'nginx/files', b: 'nginx+workers=2/files' }, protocol: 'ladder', steps: [10, 20, 40] }

t.test('expands every arm to one arm per step', async t => {
  const plan = planFor(ladder)
  t.strictSame(plan.arms.map(({ name }) => name), ['a c10', 'a c20', 'a c40', 'b c10', 'b c20', 'b c40',
    'a c10 (twin)'])
  t.strictSame(plan.arms.map(({ load }) => load.connections), [10, 20, 40, 10, 20, 40, 10])
  t.strictSame(plan.arms.map(({ ladder }) => `${ladder?.of} ${ladder?.step}`), ['a 0', 'a 1', 'a 2', 'b 0', 'b 1',
    'b 2', 'a c10 (twin) 0'])
  t.strictSame(plan.contrasts, [['b c10', 'a c10'], ['b c20', 'a c20'], ['b c40', 'a c40']],
    'contrasts compare equal steps')
})

t.test('shuffles the ladders of a block and keeps their steps ascending', async t => {
  const plan = planFor(ladder)
  const seen = new Set()
  for (let block = 0; block < 30; block++) {
    const order = orderOfBlock(plan, block)
    t.strictSame([...order].sort(), plan.arms.map(({ name }) => name).sort())
    for (const arm of ['a', 'b']) {
      t.strictSame(order.filter(name => name.startsWith(`${arm} `) && !name.endsWith('(twin)')),
        ['10', '20', '40'].map(step => `${arm} c${step}`))
    }
    t.equal(order.indexOf('b c40') - order.indexOf('b c10'), 2,
      'steps of a ladder are adjacent, so that its processes stay up')
    seen.add(order[0])
  }
  t.ok(seen.size > 1)
})

t.test('takes the length of a window from the experiment, else from the protocol', async t => {
  t.equal(planFor(ladder).windowSeconds, 3)
  t.equal(planFor(ladder, { quick: true }).windowSeconds, 1)
  t.equal(planFor({ ...ladder, windowSeconds: { full: 7, quick: 2 } }).windowSeconds, 7)
  t.equal(planFor({ ...ladder, windowSeconds: { full: 7, quick: 2 } }, { quick: true }).windowSeconds, 2)
  t.equal(planFor().windowSeconds, undefined, 'slices have their own length')
})

t.test('--budget and --quick override the budget of an experiment', async t => {
  t.equal(planFor({ budgetSeconds: 900 }).targets.budgetSeconds, 900)
  t.equal(planFor({ budgetSeconds: 900 }, { budgetSeconds: 60 }).targets.budgetSeconds, 60)
  t.ok(planFor({ budgetSeconds: 900 }, { quick: true }).targets.budgetSeconds < 80)
})

t.test('rejects --connections with a ladder', async t => {
  t.throws(() => planFor(ladder, { connections: 50 }), {
    code: 'bad-option',
    details: { why: /steps up by itself: 10, 20, 40/ }
  })
})

t.test('requires contrasts of a ladder to name steps', async t => {
  t.throws(() => planFor({ ...ladder, contrasts: [['b', 'a']] }), {
    code: 'bad-plugin',
    details: { why: /"b", which has steps: name one of them, b c10/ }
  })
  t.throws(() => planFor({ ...ladder, twin: 'a' }), { code: 'bad-plugin', details: { why: /has steps/ } })
  t.strictSame(planFor({ ...ladder, contrasts: [['b c20', 'a c20']] }).contrasts, [['b c20', 'a c20']])
})

t.test('network settings and load options of an arm do not affect other arms', async t => {
  const { arms } = planFor({
    arms: {
      a: { topology: 'nginx/files', load: { fresh: true }, lab: { sysctl: { 'net.ipv4.tcp_tw_reuse': '1' } } },
      b: 'nginx/files'
    }
  })
  t.match(arms[0], {
    load: { fresh: true, connections: 100 },
    topology: { lab: { sysctl: { 'net.ipv4.tcp_tw_reuse': '1' } } }
  })
  t.strictSame([arms[1].load.fresh, arms[1].topology.lab], [undefined, undefined])
})

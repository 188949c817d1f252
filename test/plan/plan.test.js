import t from '../support/tap.js'
import { HopbenchError } from '../../bench/errors.js'
import { toQuestion } from '../../bench/plan/experiment.js'
import { orderOfBlock, orderOfStart } from '../../bench/plan/plan.js'
import { planFor } from '../support/samples.js'
import {
  differenceFound, halfWidthFor, getContrastLevel, powerFactor, smallestSampleFor
} from '../../bench/plan/sample-size.js'

/** @import { Experiment } from '../../bench/types.js' */

/**
 * Makes arms with the same topology.
 * @param {string[]} names
 * @returns {Record<string, string>}
 */
const arms = (...names) => Object.fromEntries(names.map(name => [name, 'nginx:tcp/express-json']))

t.test('compares all arms with the first unless contrasts are listed', async t => {
  t.strictSame(planFor({ arms: arms('a', 'b', 'c') }).contrasts, [['b', 'a'], ['c', 'a']])
  t.strictSame(planFor({ arms: arms('a', 'b', 'c'), contrasts: [['c', 'b']] }).contrasts, [['c', 'b']])
  t.strictSame(planFor({ arms: arms('a') }).contrasts, [])
})

t.test('the twin repeats an arm and is not part of any contrast', async t => {
  const { arms: planned, twin, contrasts } = planFor({ twin: 'uds' })
  t.strictSame(twin, { arm: 'uds (twin)', of: 'uds' })
  const [, uds, repeated] = planned
  t.match(repeated, { name: 'uds (twin)', twinOf: 'uds', spec: uds.spec, topology: uds.topology, load: uds.load })
  t.equal(uds.twinOf, null)
  t.notOk(contrasts.flat().includes('uds (twin)'))
  t.equal(planFor().twin?.of, 'tcp', 'the first arm by default')
})

t.test('the command line overrides the load of the experiment, which overrides the default', async t => {
  t.match(planFor().arms[0].load, { engine: 'autocannon', connections: 100, path: '/', headers: {} })
  const { arms } = planFor({ load: { connections: 10, path: '/x' } }, { connections: 20, engine: 'wrk' })
  for (const { load } of arms) t.match(load, { engine: 'wrk', connections: 20, path: '/x' })
})

t.test('the targets are 2 %, 290 s and 12 blocks, and 70 s and 6 blocks in a quick run', async t => {
  t.strictSame(planFor().targets, {
    precision: 0.02,
    budgetSeconds: 290,
    minBlocks: 12,
    maxBlocks: null,
    adjusted: true
  })
  const quick = planFor({}, { quick: true })
  t.equal(quick.quick, true)
  t.strictSame(quick.targets, { precision: 0.02, budgetSeconds: 70, minBlocks: 6, maxBlocks: 6, adjusted: false })
  t.match(planFor({}, { budgetSeconds: 90, precision: 0.05, maxBlocks: 20 }).targets, {
    budgetSeconds: 90,
    precision: 0.05,
    maxBlocks: 20
  })
})

t.test('the budget of a quick run holds the windows of all arms', async t => {
  const seconds = (/** @type {number} */ arms) => {
    const names = Array.from({ length: arms }, (_, i) => `a${i}`)
    const topologies = Object.fromEntries(names.map(name => [name, 'express-json']))
    const { targets, windowSeconds = 0 } = planFor({ protocol: 'window', arms: topologies }, { quick: true })
    return targets.budgetSeconds - targets.minBlocks * (arms + 1) * windowSeconds
  }
  for (const arms of [2, 5, 9]) t.ok(seconds(arms) > 6 * 2 * (arms + 1), `${arms} arms and the twin`)
})

t.test('a precision is requested by --precision or --detect only', async t => {
  t.match(planFor({}, { precision: 0.02 }).targets, { requested: true, fixed: true })
  t.equal(planFor({}, { detect: 0.05 }).targets.requested, true)
  t.notOk('requested' in planFor().targets)
})

t.test('the question of arms without one fits their number', async t => {
  t.equal(toQuestion(['a']), 'What does a do?')
  t.match(toQuestion(['a', 'b']), /^How does b compare with a/)
  t.match(toQuestion(['a', 'b', 'c']), /^How do b and c compare with a/)
})

t.test('requires enough blocks for the adjusted level', async t => {
  const names = Array.from({ length: 300 }, (_, i) => `arm${i}`)
  const plan = planFor({ arms: arms(...names) })
  t.ok(plan.targets.minBlocks > 12)
  t.equal(plan.targets.minBlocks, smallestSampleFor(getContrastLevel(plan.contrasts, plan.targets)))
  t.throws(() => planFor({ arms: arms('a', 'b', 'c', 'd', 'e', 'f', 'g') }, { maxBlocks: 7 }), {
    code: 'bad-option',
    message: /need at least 8 blocks/
  })
  t.equal(planFor({ arms: arms('a', 'b', 'c', 'd', 'e', 'f', 'g') }, { maxBlocks: 8 }).targets.minBlocks, 8)
})

t.test('shuffles each block by the seed and the number of the block', async t => {
  const plan = planFor({ arms: arms('a', 'b', 'c', 'd') }, { seed: 7 })
  const orders = Array.from({ length: 30 }, (_, block) => orderOfBlock(plan, block))
  t.strictSame(orders.map((_, block) => orderOfBlock(plan, block)), orders)
  for (const order of orders) t.strictSame([...order].sort(), plan.arms.map(({ name }) => name).sort())
  t.ok(new Set(orders.map(order => order.join())).size > 20, 'blocks have different orders')
  t.notSame(orders.map((_, block) => orderOfBlock({ ...plan, seed: 8 }, block)), orders)
})

t.test('arms are warmed up in random order, which every second start reverses', async t => {
  const plan = planFor({ arms: arms('a', 'b', 'c', 'd') }, { seed: 7 })
  const orders = Array.from({ length: 200 }, (_, start) => orderOfStart(plan, start))
  for (const [start, order] of orders.entries()) {
    t.strictSame([...order].sort(), plan.arms.map(({ name }) => name).sort())
    if (start % 2 === 1) t.strictSame(order, [...orders[start - 1]].reverse())
  }
  const pairs = orders.filter((_, start) => start % 2 === 0)
  t.ok(new Set(pairs.map(order => order.join())).size > 20, 'pairs of starts have different orders')
  const firsts = new Set(Array.from({ length: 50 }, (_, seed) => orderOfStart({ ...plan, seed }, 0)[0]))
  t.equal(firsts.size, plan.arms.length, 'the first start has a random order, too')
})

t.test('every arm is first equally often', async t => {
  const plan = planFor({ arms: arms('a', 'b', 'c') }, { seed: 3 })
  /** @type {Record<string, number>} */
  const first = {}
  for (let block = 0; block < 4000; block++) {
    first[orderOfBlock(plan, block)[0]] = (first[orderOfBlock(plan, block)[0]] ?? 0) + 1
  }
  t.equal(Object.keys(first).length, 4)
  // Standard deviation of each count: sqrt(4000 * 1/4 * 3/4) = 27.
  for (const [name, count] of Object.entries(first)) t.ok(Math.abs(count - 1000) < 110, `${name}: ${count}`)
})

t.test('rejects an experiment that names a missing arm', async t => {
  const refused = (/** @type {Partial<Experiment>} */ experiment, /** @type {RegExp} */ message) =>
    t.throws(() => planFor(experiment), { constructor: HopbenchError, code: 'bad-plugin', message }, String(message))
  const source = { title: 't', author: 'a', year: 2020, machine: 'm' }
  refused({ arms: {} }, /no arms/)
  refused({ contrasts: [['uds', 'udp']] }, /a contrast names the arm "udp"/)
  refused({ contrasts: [['uds', 'uds']] }, /with itself/)
  refused({ contrasts: [['uds', 'tcp'], ['tcp', 'uds']] }, /listed twice/)
  refused({ twin: 'udp' }, /twin names the arm "udp"/)
  refused({
    claims: [{ id: 'c1', source, statement: 's', published: 1, test: { kind: 'ratio', arm: 'uds', baseline: 'x' } }]
  }, /the claim c1 names the arm "x"/)
  refused({ arms: { tcp: 'express-json', 'tcp (twin)': 'express-json' } }, /is what the repeated arm is called/)
})

t.test('rejects invalid options', async t => {
  for (const options of [{ precision: 0 }, { precision: 2 }, { precision: NaN }, { budgetSeconds: 0 }, {
    connections: 0
  }, { connections: 1.5 }, { maxBlocks: 3 }]) {
    t.throws(() => planFor({}, options), { code: 'bad-option' }, JSON.stringify(options))
  }
})

t.test('--detect ends a run at the half-width that detects the difference at 80 % power', async t => {
  t.equal(planFor({}, { detect: 0.05 }).targets.precision, halfWidthFor(0.05, 0.95))
  t.equal(planFor({}, { detect: 0.05 }).targets.budgetSeconds, 1200, 'within twenty minutes by default')
  const own = (/** @type {number} */ budgetSeconds) => planFor({ budgetSeconds }, { detect: 0.05 }).targets
  t.strictSame([400, 1500].map(seconds => own(seconds).budgetSeconds), [1200, 1500], 'or in the own budget if longer')
  t.equal(own(400).fixed, true, 'a decision does not end it')
  t.ok(Math.abs(powerFactor(0.95) - 1.42941) < 1e-4, 'z: 1.959964 and 0.841621')
  t.ok(Math.abs(differenceFound(halfWidthFor(0.05, 0.99), 0.99) - 0.05) < 1e-12)
  t.ok(halfWidthFor(0.05, 0.99) > halfWidthFor(0.05, 0.95))
})

t.test('--detect is rejected for fixed windows, with --quick and with --precision', async t => {
  for (const [experiment, options]
    of /** @type {const} */ ([[{ protocol: 'window' }, {}], [{}, { quick: true }], [{}, { precision: 0.02 }]])) {
    t.throws(() => planFor(experiment, { detect: 0.05, ...options }), {
      code: 'bad-option',
      details: { option: '--detect', value: '5%' }
    })
  }
})

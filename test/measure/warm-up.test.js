/** Tests the warm-up of an arm: its end, its limit, and that a topology is warmed up once. */
import t from '../support/tap.js'
import { ensureWarm, untilSteady } from '../../bench/measure/warm-up.js'
import { scriptedArm } from '../support/scripted-arm.js'

/** @import { Test } from 'tap' */

/** CPU seconds that the scripted generator uses for a request. */
const MICROS = 100e-6

/**
 * Makes an arm whose only process with CPU time is the generator, and whose clock is its count of readings.
 * @param {(requests: number) => number} cost CPU seconds of a request, by the requests so far
 */
function armWithCost (cost) {
  const { staged, generator } = scriptedArm()
  const { front } = staged.running
  let [requests, seconds] = [0, 0]
  staged.running.front = async () => {
    requests += 1000
    seconds += 1000 * cost(requests)
    return { ...await front(), requests }
  }
  generator.cpu = async () => ({ seconds, atSeconds: 0, alive: true })
  return /** @type {any} */ ({ staged, generator })
}

const options = { limitSeconds: 30, printProgress: () => {} }

t.test('ends when the cost is level, and reports the failure of a process', async t => {
  const { staged, generator } = armWithCost(() => MICROS)
  t.strictSame(await untilSteady(staged, generator, options), { unsteady: null, warmCost: 0 }, 'no process of the arm')
  staged.running.failure = () => new Error('ended')
  await t.rejects(untilSteady(staged, generator, options), { message: 'ended' })
})

t.test('ends at its limit and names the role that is not warm', async t => {
  const { staged, generator } = armWithCost(requests => MICROS / 4 * Math.exp(-requests / 40000))
  const { unsteady } = await untilSteady(staged, generator, { ...options, limitSeconds: 2 })
  t.equal(unsteady?.role, 'load')
  t.ok(Number(unsteady?.change) < -0.1)
  t.ok(Number(unsteady?.seconds) >= 2)
})

t.test('ends early after an interruption and in a smoke run, without a judgement', async t => {
  const { staged, generator } = armWithCost(() => NaN)
  t.match(await untilSteady(staged, generator, { ...options, interrupted: () => true }), { unsteady: null })
  t.match(await untilSteady(staged, generator, { ...options, smoke: true }), { unsteady: null })
})

t.test('warms up a topology once, and at an offered rate, too', async t => {
  const { staged, generator } = armWithCost(() => MICROS)
  const started = /** @type {any[]} */ ([])
  const find = async (/** @type {string} */ name) => ({
    name, plugin: { about: {} }, start: async (/** @type {any} */ { load }) => { started.push(load); return generator }
  })
  const engines = /** @type {any} */ ({ find, findFaster: async () => null })
  const order = /** @type {any} */ ({ ...options, staged, engines, cores: { split: false } })
  const arm = { ...staged.arm, load: { ...staged.arm.load, engine: 'paced', rate: 100 } }
  for (let window = 0; window < 2; window++) t.equal(await ensureWarm(arm, order), null)
  t.strictSame(started.map(({ engine, rate }) => [engine, rate]), [['autocannon', undefined], ['paced', 100]])
})

/** Tests when a rig with all arms up replaces all processes, and how it measures arms with many processes. */
import t from '../../support/tap.js'
import { makeTrial } from '../../support/trial.js'
import { makePlan } from '../../support/record.js'
import { scriptedArm } from '../../support/scripted-arm.js'

/** @import { Test } from 'tap' */
/** @import { Plan } from '../../../bench/types.js' */
/** @typedef {ReturnType<typeof scriptedArm>} ScriptedArm */

/**
 * Opens a rig on scripted arms.
 * @param {Test} t
 * @param {Partial<Plan>} plan
 * @param {object} [options]
 * @param {boolean} [options.isGang]
 * @param {Record<string, ScriptedArm>} [options.scripts]
 * @param {string[]} [options.refused] arms that every later start rejects
 * @param {unknown} [options.GangScheduler] in place of the real one
 */
async function openRig (t, plan, { isGang = true, scripts = {}, refused = [], GangScheduler } = {}) {
  const seen = {
    starts: /** @type {string[][]} */ ([]),
    orders: /** @type {string[][]} */ ([]),
    closed: 0,
    engines: /** @type {string[]} */ ([])
  }
  const bringUp = async (/** @type {Plan} */ { arms }, /** @type {{ engine: string, order: string[] }} */ options) => {
    const able = arms.filter(({ name }) => seen.starts.length === 0 || !refused.includes(name))
    const named = able.map(({ name }) => [name, scripts[name] ?? scriptedArm()])
    seen.engines.push(options.engine)
    seen.orders.push(options.order)
    seen.starts.push(arms.map(({ name }) => name))
    return {
      stage: {
        refused: new Map(arms.filter(arm => !able.includes(arm)).map(({ name }) => [name, { code: 'gate-refused' }])),
        tools: { nginx: '1' }
      },
      load: { arms: new Map(/** @type {any} */ (named)), engine: { name: 'oha', version: '2' } },
      close: async () => { seen.closed++ }
    }
  }
  const { AllUpRig } = /** @type {typeof import('../../../bench/measure/rigs/all-up-rig.js')} */ (
    await t.mockImport('../../../bench/measure/rigs/all-up-rig.js', {
      '../../../bench/measure/rigs/all-up.js': { bringUp, compareCounts: async () => new Map() },
      ...GangScheduler ? { '../../../bench/measure/rigs/gang-scheduler.js': { GangScheduler } } : {}
    }))
  const options = /** @type {any} */ ({ temp: t.testdir({}), engine: 'wanted' })
  const rig = await AllUpRig.open(makePlan({ windowSeconds: 0.05, ...plan }), options, { isGang })
  return { rig, seen }
}

t.test('discards the first blocks of a start until each arm costs as much as at the end of its warm-up', async t => {
  const micros = { awake: [110], waking: [200, 160, 112], lost: [500] }
  const measured = /** @type {string[][]} */ ([])
  class GangScheduler {
    lost = new Set()
    close () {}

    /** @param {string[]} names */
    async * trials (names) {
      measured.push(names)
      const block = measured.length - 1
      if (block === 1) this.lost.add('lost')
      yield names.map(arm => {
        const costs = micros[/** @type {keyof typeof micros} */ (arm)]
        const server = Number(costs[block] ?? costs.at(-1)) * 1e-6
        return { arm, rps: 1, requests: 1, cpuSeconds: { proxy: 0, server } }
      })
    }
  }
  const names = Object.keys(micros)
  const arms = names.map(name => ({ ...makePlan().arms[0], name }))
  const { rig } = await openRig(t, { arms }, {
    scripts: Object.fromEntries(names.map(name => [name, { ...scriptedArm(), warmCost: 100e-6 }])), GangScheduler
  })
  const counted = []
  for await (const samples of rig.trials(names, 0)) counted.push(...samples.map(({ arm }) => arm))
  t.strictSame(measured, [names, names, ['awake', 'waking'], ['awake', 'waking']], 'all arms, so that none is idle')
  t.strictSame(counted, ['lost', 'awake', 'waking'], 'the end of an arm is kept')
  await rig.close()
})

t.test('an arm whose cost falls in each discarded block is marked as not warm', async t => {
  let block = 0
  class GangScheduler {
    lost = new Set()
    close () {}

    /** @param {string[]} names */
    async * trials (names) {
      const server = 0.8 ** block++
      yield names.map(arm => ({ arm, requests: 1, cpuSeconds: { proxy: 0, server: arm === 'falling' ? server : 1 } }))
    }
  }
  const names = ['falling', 'level']
  const arms = names.map(name => ({ ...makePlan().arms[0], name }))
  const { rig } = await openRig(t, { arms }, { GangScheduler })
  const counted = []
  for await (const samples of rig.trials(names, 0)) counted.push(...samples)
  t.equal(block, 13, 'twelve are discarded')
  t.match(counted.find(({ arm }) => arm === 'falling')?.unsteady, { role: 'server', change: null })
  t.equal(counted.find(({ arm }) => arm === 'level')?.unsteady, undefined)
  await rig.close()
})

/**
 * @param {ScriptedArm} arm
 * @param {number} count
 */
function withProcesses (arm, count) {
  arm.staged.running.pids = () => /** @type {any} */ ({ proxy: Array(count - 1).fill(0), server: [0] })
  return arm
}

t.test('replaces all processes after `startBlocks` blocks and numbers the start in each sample', async t => {
  const arms = makePlan().arms.filter(({ name }) => ['tcp', 'uds'].includes(name))
  const { rig, seen } = await openRig(t, { startBlocks: 2, arms })
  const starts = []
  for (let block = 3; block < 8; block++) {
    for await (const samples of rig.trials(['tcp', 'uds'], block)) starts.push(samples.map(({ start }) => start))
  }
  t.strictSame(starts, [[0, 0], [0, 0], [1, 1], [1, 1], [2, 2]])
  t.strictSame([seen.starts.length, seen.closed], [3, 2])
  t.strictSame(seen.engines, ['wanted', 'oha', 'oha'], 'all starts have the engine of the first one')
  const [first, second] = seen.orders
  t.strictSame([...first].sort(), [...seen.starts[0]].sort(), 'each arm is warmed up')
  t.strictSame(second, [...first].reverse(), 'the second start warms up in the opposite order')
  t.strictSame(rig.tools, { nginx: '1', oha: '2' })
  await rig.close()
})

t.test('restarts only arms that are still measured', async t => {
  const { rig, seen } = await openRig(t, { startBlocks: 1 })
  await makeTrial(rig, 'tcp', 0)
  await makeTrial(rig, 'uds', 1)
  t.strictSame(seen.starts.slice(1), [['uds']])
  await rig.close()
})

t.test('makes no trial of an arm that a later start rejects', async t => {
  const { rig } = await openRig(t, { startBlocks: 1 }, { refused: ['uds'] })
  const arms = []
  for (const block of [0, 1]) {
    for await (const samples of rig.trials(['tcp', 'uds'], block)) arms.push(samples.map(({ arm }) => arm))
  }
  t.strictSame(arms, [['tcp', 'uds'], ['tcp']])
  t.strictSame([...rig.lost()], ['uds'])
  await rig.close()
})

t.test('never replaces a single start and leaves its samples without a number', async t => {
  const { rig, seen } = await openRig(t, { startBlocks: null })
  for (let block = 0; block < 4; block++) t.equal((await makeTrial(rig, 'tcp', block)).start, undefined)
  t.equal(seen.starts.length, 1)
  await rig.close()
})

t.test('pauses whole arms, unless one has too many processes', async t => {
  const scripts = { tcp: withProcesses(scriptedArm(), 500), uds: scriptedArm() }
  const { rig: gang } = await openRig(t, {}, { scripts })
  t.equal(gang.crowded, null)
  t.equal(scripts.uds.seen.served, 'paused')
  t.match(await makeTrial(gang, 'tcp', 0), { arm: 'tcp', block: 0, invalid: null })
  await gang.close()

  scripts.tcp = withProcesses(scriptedArm(), 501)
  const { rig: slices } = await openRig(t, {}, { scripts })
  t.strictSame(slices.crowded, { arm: 'tcp', processes: 501 })
  t.match(await makeTrial(slices, 'tcp', 1), { arm: 'tcp', block: 1 })
  const { tcp, uds } = scripts
  t.strictSame([tcp.seen.served, uds.seen.served, tcp.seen.paused], ['resumed', 'resumed', true])
  await slices.close()

  const { rig } = await openRig(t, {}, { scripts, isGang: false })
  t.equal(rig.crowded, null, 'slices need no limit')
  await rig.close()
})

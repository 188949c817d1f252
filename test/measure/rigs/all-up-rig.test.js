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
  const seen = { starts: /** @type {string[][]} */ ([]), closed: 0, engines: /** @type {string[]} */ ([]) }
  const bringUp = async (/** @type {Plan} */ { arms }, /** @type {{ engine: string }} */ { engine }) => {
    const able = arms.filter(({ name }) => seen.starts.length === 0 || !refused.includes(name))
    const named = able.map(({ name }) => [name, scripts[name] ?? scriptedArm()])
    seen.engines.push(engine)
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

t.test('discards the first blocks of a start while the rate of an arm rises', async t => {
  const rates = { awake: [100, 104, 107, 107], waking: [50, 80, 100, 104, 107], endless: [1, 2, 4, 8, 16, 32, 64] }
  const measured = /** @type {string[][]} */ ([])
  const given = /** @type {Record<string, number>} */ ({})
  class GangScheduler {
    lost = new Set()
    close () {}

    /** @param {string[]} names */
    async * trials (names) {
      measured.push(names)
      yield names.map(arm => ({ arm, rps: rates[/** @type {keyof typeof rates} */ (arm)][given[arm]++] }))
    }
  }
  const names = Object.keys(rates)
  for (const name of names) given[name] = 0
  const { rig } = await openRig(t, {}, {
    scripts: Object.fromEntries(names.map(name => [name, scriptedArm()])), GangScheduler
  })
  const counted = []
  for await (const samples of rig.trials(names, 0)) counted.push(...samples.map(({ arm, rps }) => [arm, rps]))
  t.strictSame(measured, [
    names, names, ['waking', 'endless'], ['waking', 'endless'], ['endless'], ['endless'], names
  ], 'the last block is kept; before it six at most')
  t.strictSame(counted, [['awake', 107], ['waking', 107], ['endless', 64]])
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
  const { rig, seen } = await openRig(t, { startBlocks: 2 })
  const starts = []
  for (let block = 3; block < 8; block++) {
    for await (const samples of rig.trials(['tcp', 'uds'], block)) starts.push(samples.map(({ start }) => start))
  }
  t.strictSame(starts, [[0, 0], [0, 0], [1, 1], [1, 1], [2, 2]])
  t.strictSame([seen.starts.length, seen.closed], [3, 2])
  t.strictSame(seen.engines, ['wanted', 'oha', 'oha'], 'all starts have the engine of the first one')
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

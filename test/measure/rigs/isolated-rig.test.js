/** Tests the windows of protocols that replace all processes for each window, and the order of these windows. */
import t from '../../support/tap.js'
import * as errors from '../../../bench/errors.js'
import { EMPTY } from '../../../bench/shared/trial.js'
import { loadPlugin } from '../../../bench/plan/plugins.js'
import { makeArm, makePlan } from '../../support/record.js'
import { makeTrial } from '../../support/trial.js'

/** @import { Arm } from '../../../bench/types.js' */

/**
 * Makes the arm of one step of a ladder.
 * @param {string} base name of the arm that the ladder belongs to
 * @param {number} step
 * @param {number} share
 * @returns {Arm}
 */
const makeStep = (base, step, share) => {
  const { spec, topology, load } = makeArm({ name: base })
  const ladder = { of: base, step }
  return { name: `${base} ${share}`, twinOf: null, spec, topology, load: { ...load, share }, ladder }
}

/** Start whose cost still moves at the end of the warm-up. */
const UNSTEADY_START = 4
const UNSTEADY = { role: 'server', change: -0.1, seconds: 60 }

/**
 * Returns stand-ins for the modules that start and measure an arm.
 * @param {string[]} seen receives each window: number of the start, purpose, seconds
 * @param {Error | null} failure of each start
 */
function fakeModules (seen, failure) {
  let starts = 0
  return {
    // Code that is loaded again for a replacement would have another class of errors.
    '../../../bench/errors.js': errors,
    '../../../bench/measure/stage.js': {
      openStage: async (/** @type {Arm[]} */ [arm]) => {
        if (failure) throw failure
        const staged = { start: ++starts, running: { failure: () => null }, target: { socketPath: null } }
        const arms = new Map([[arm.name, staged]])
        return { tools: {}, fileDifferences: [], arms, refused: new Map(), close: async () => {} }
      }
    },
    '../../../bench/measure/warm-up.js': {
      ensureWarm: async (/** @type {any} */ arm, /** @type {any} */ { staged, limitSeconds }) => {
        seen.push(`${staged.start}: warm-up, at most ${limitSeconds} s`)
        return staged.start === UNSTEADY_START ? UNSTEADY : null
      }
    },
    '../../../bench/measure/measure-window.js': {
      measureWindow: async (/** @type {any} */ { arm, staged, seconds, tag }) => {
        seen.push(`${staged.start}: ${tag ?? arm.name}, ${seconds} s`)
        return { ...EMPTY, arm: arm.name, rps: 100, cpuSeconds: { load: 0, proxy: 0, server: 3.5 }, invalid: null }
      }
    }
  }
}

/**
 * Measures one block with the stand-ins and returns its windows.
 * @param {Arm[]} arms
 * @param {Error | null} [failure] of each start
 */
async function measureWindows (arms, failure = null) {
  const seen = /** @type {string[]} */ ([])
  const { IsolatedRig } = /** @type {typeof import('../../../bench/measure/rigs/isolated-rig.js')} */ (
    await t.mockImport('../../../bench/measure/rigs/isolated-rig.js', fakeModules(seen, failure)))
  const engine = { name: 'oha', version: '1', ...await loadPlugin('engine', 'oha') }
  const found = { ...engine, plugin: engine.default }
  const engines = {
    findOrNext: async () => ({ ...found, instead: null }), find: async () => found, findFaster: async () => found
  }
  const options = /** @type {any} */ ({
    engine: 'oha', engines, temp: t.testdir(), cores: { split: false }, printProgress: () => {}
  })
  const rig = await IsolatedRig.open(makePlan({ arms, windowSeconds: 8 }), options, { steps: 'shares', warm: true })
  const samples = []
  for (const { name } of arms) samples.push(await makeTrial(rig, name, 0))
  await rig.close()
  return { seen, samples }
}

t.test('warms up each arm before its windows, and the peaks on separate starts', async t => {
  const arms = [makeStep('tcp', 0, 0.25), makeStep('tcp', 1, 0.75), makeStep('uds', 0, 0.25), makeStep('uds', 1, 0.75)]
  const { seen, samples } = await measureWindows(arms)
  t.strictSame(seen, [
    '1: warm-up, at most 90 s', '1: peak-0, 2 s', '1: peak-1, 2 s', '1: peak-2, 2 s',
    '2: warm-up, at most 90 s', '2: peak-0, 2 s', '2: peak-1, 2 s', '2: peak-2, 2 s',
    '3: warm-up, at most 90 s', '3: tcp 0.25, 8 s', '3: warm-up, at most 90 s', '3: tcp 0.75, 8 s',
    '4: warm-up, at most 90 s', '4: uds 0.25, 8 s', '4: warm-up, at most 90 s', '4: uds 0.75, 8 s'
  ])
  t.strictSame(samples.map(({ unsteady }) => unsteady), [undefined, undefined, UNSTEADY, UNSTEADY])
})

t.test('a file that would be public ends the run, and another failed start makes the trial invalid', async t => {
  const arms = [{ ...makeArm({ name: 'app' }), twinOf: null }]
  const published = { name: 'app', path: '/a.js', proxy: 'nginx', status: 401, location: null }
  const error = new errors.HopbenchError('file-published', published)
  await t.rejects(measureWindows(arms, error), { code: 'file-published' })
  const { samples } = await measureWindows(arms, new Error('it did not start'))
  t.match(samples, [{ invalid: { code: 'not-measured', params: { message: 'it did not start' } } }])
})

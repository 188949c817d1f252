/** Which windows the protocols that start everything anew measure, and in which order. */
import t from 'tap'
import { EMPTY } from '../../bench/plan/trial.js'
import { loadPlugin } from '../../bench/plugins.js'
import { makeArm, makePlan } from '../support/record.js'

/** @import { Arm } from '../../bench/types.js' */

/** @param {string} of @param {number} step @param {number} share @returns {Arm} */
const stepOf = (of, step, share) => {
  const { word, topology, load } = makeArm({ name: of })
  return { name: `${of} ${share}`, twinOf: null, word, topology, load: { ...load, share }, ladder: { of, step } }
}

/** Only starting and measuring are replaced. @param {string[]} seen each window: start, what for, seconds */
function replaced (seen) {
  let starts = 0
  return {
    '../../bench/measure/stage.js': {
      openStage: async (/** @type {Arm[]} */ [arm]) => {
        const staged = { start: ++starts, running: { failure: () => null }, target: { socketPath: null } }
        return { tools: {}, arms: new Map([[arm.name, staged]]), refused: new Map(), close: async () => {} }
      }
    },
    '../../bench/measure/measure-window.js': {
      measureWindow: async (/** @type {any} */ { arm, staged, seconds, tag }) => {
        seen.push(`${staged.start}: ${tag ?? arm.name}, ${seconds} s`)
        return { ...EMPTY, arm: arm.name, rps: 100, cpuSeconds: { load: 0, proxy: 0, server: 3.5 }, invalid: null }
      }
    }
  }
}

/** The windows of one block. @param {Arm[]} arms */
async function windowsOf (arms) {
  const seen = /** @type {string[]} */ ([])
  const { openAnew } = /** @type {typeof import('../../bench/measure/anew.js')} */ (
    await t.mockImport('../../bench/measure/anew.js', replaced(seen)))
  const engine = { name: 'oha', version: '1', ...await loadPlugin('engine', 'oha') }
  const found = { ...engine, plugin: engine.default }
  const engines = {
    findOrNext: async () => ({ ...found, instead: null }), find: async () => found, findFaster: async () => found
  }
  const options = /** @type {any} */ ({
    engine: 'oha', engines, temp: t.testdir(), cores: { split: false }, note: () => {}
  })
  const rig = await openAnew(makePlan({ arms, windowSeconds: 8 }), options, { steps: 'shares' })
  for (const { name } of arms) await rig.trial(name, 0)
  await rig.close()
  return seen
}

t.test('at shares of a peak each start is compiled once, before its first rate', async t => {
  const arms = [stepOf('tcp', 0, 0.25), stepOf('tcp', 1, 0.75), stepOf('uds', 0, 0.25), stepOf('uds', 1, 0.75)]
  const seen = await windowsOf(arms)
  t.strictSame(seen.filter(window => !window.includes('peak')), [
    '3: compile-0, 4 s', '3: settle, 5 s', '3: tcp 0.25, 8 s', '3: tcp 0.75, 8 s',
    '4: compile-0, 4 s', '4: settle, 5 s', '4: uds 0.25, 8 s', '4: uds 0.75, 8 s'
  ])
  t.strictSame(seen.slice(0, 2), ['1: peak-0, 4 s', '1: peak-1, 2 s'], 'peaks are found before, on starts of their own')
})

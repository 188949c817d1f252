/** Tests the numbering of starts, the arms that are still measured, and rigs with and without rounds. */
import t from 'tap'
import { blocks } from '../../bench/plan/blocks.js'
import { targetsOf } from '../../bench/plan/targets.js'
import { planFor, protocols, sampleOf } from '../support/samples.js'

/** @param {{ startBlocks?: number | null }} [overrides] */
const planned = (overrides = {}) => ({ ...planFor({ protocol: 'gang' }), ...overrides })

/**
 * Returns a rig that records each call.
 * @param {object} [more]
 */
function recordingRig (more = {}) {
  const calls = /** @type {(string | number)[][]} */ ([])
  return {
    calls,
    lost: () => new Set(/** @type {string[]} */ ([])),
    trial: async (/** @type {string} */ arm, /** @type {number} */ block) => {
      calls.push(['trial', arm, block])
      return sampleOf({ arm, block })
    },
    round: async (/** @type {string[]} */ arms, /** @type {number} */ block) => {
      calls.push(['round', block, ...[...arms].sort()])
      return arms.map(arm => sampleOf({ arm, block }))
    },
    restart: async (/** @type {string[]} */ arms) => { calls.push(['restart', ...[...arms].sort()]) },
    ...more
  }
}

/**
 * @param {Parameters<typeof blocks>[0]} options
 * @param {number} count
 */
async function take (options, count) {
  const taken = []
  for await (const entry of blocks(options)) if (taken.push(entry) === count) break
  return taken
}

const first = { block: 0, start: 0 }

t.test('replaces all processes after `startBlocks` blocks and numbers the start in each sample', async t => {
  const rig = recordingRig()
  const taken = await take({ plan: planned({ startBlocks: 2 }), rig, from: first, interrupted: () => false }, 5)
  t.strictSame(taken.map(({ samples }) => samples.map(({ start }) => start)), [[0, 0], [0, 0], [1, 1], [1, 1], [2, 2]])
  t.strictSame(rig.calls.map(([call]) => call), ['round', 'round', 'restart', 'round', 'round', 'restart', 'round'])
})

t.test('a resumed run begins with a new start', async t => {
  const rig = recordingRig()
  const from = { block: 3, start: 2 }
  const taken = await take({ plan: planned({ startBlocks: 2 }), rig, from, interrupted: () => false }, 3)
  t.strictSame(taken.map(({ block, samples }) => [block, samples[0].start]), [[3, 2], [4, 2], [5, 3]])
})

t.test('never replaces a single start and leaves its samples without a number', async t => {
  const rig = recordingRig()
  const taken = await take({ plan: planned({ startBlocks: null }), rig, from: first, interrupted: () => false }, 8)
  t.ok(taken.every(({ samples }) => samples.every(({ start }) => start === undefined)))
  t.notOk(rig.calls.some(([call]) => call === 'restart'))
})

t.test('neither measures nor restarts an arm that needs no more blocks', async t => {
  const rig = recordingRig()
  let looks = 0
  const needed = () => looks++ < 1 ? null : ['uds']
  await take({ plan: planned({ startBlocks: 2 }), rig, from: first, interrupted: () => false, needed }, 3)
  t.strictSame(rig.calls, [['round', 0, 'tcp', 'uds'], ['round', 1, 'uds'], ['restart', 'uds'], ['round', 2, 'uds']])
})

t.test('a rig without rounds makes single trials in the order of the block and skips lost arms', async t => {
  const rig = recordingRig({ round: undefined, restart: undefined, lost: () => new Set(['tcp']) })
  await take({ plan: planned({ startBlocks: 1 }), rig, from: first, interrupted: () => false }, 2)
  t.strictSame(rig.calls, [['trial', 'uds', 0], ['trial', 'uds', 1]])
})

t.test('measures until a requested precision is reached, even after every verdict is known', async t => {
  const unit = /** @type {const} */ ('requests')
  const experiment = { title: '', question: '', source: null, arms: {}, protocol: 'gang', unit }
  const of = (/** @type {object} */ options) => targetsOf(experiment,
    { protocol: protocols.gang, contrasts: [['uds', 'tcp']], arms: 2 }, { seed: 1, ...options })
  t.equal(of({ precision: 0.01 }).fixed, true)
  t.equal(of({}).fixed, undefined)
})

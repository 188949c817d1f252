/** Tests the numbering of blocks and starts, and the arms that are still measured. */
import t from '../support/tap.js'
import { blocks } from '../../bench/plan/blocks.js'
import { planFor, sampleOf } from '../support/samples.js'

/** @param {{ startBlocks?: number | null }} [overrides] */
const planned = (overrides = {}) => ({ ...planFor({ protocol: 'gang' }), ...overrides })

/** Returns a rig that records the requested trials and makes a new start every two blocks. */
function recordingRig () {
  const asked = /** @type {(string | number)[][]} */ ([])
  return {
    asked,
    lost: () => new Set(/** @type {string[]} */ ([])),
    async * trials (/** @type {string[]} */ arms, /** @type {number} */ block) {
      const start = asked.length >> 1
      asked.push([block, ...[...arms].sort()])
      for (const arm of arms) yield [sampleOf({ arm, block, start })]
    }
  }
}

/**
 * @param {Parameters<typeof blocks>[0]} options
 * @param {number} count
 */
async function take (options, count) {
  const taken = []
  for await (const one of blocks(options)) if (taken.push(one) === count) break
  return taken
}

const first = { block: 0, start: 0 }

t.test('keeps the numbers of the starts of the rig', async t => {
  const rig = recordingRig()
  const taken = await take({ plan: planned({ startBlocks: 2 }), rig, from: first, interrupted: () => false }, 5)
  t.strictSame(taken.map(({ samples }) => samples.map(({ start }) => start)), [[0, 0], [0, 0], [1, 1], [1, 1], [2, 2]])
})

t.test('a resumed run begins with a new start', async t => {
  const rig = recordingRig()
  const from = { block: 3, start: 2 }
  const taken = await take({ plan: planned({ startBlocks: 2 }), rig, from, interrupted: () => false }, 3)
  t.strictSame(taken.map(({ block, samples }) => [block, samples[0].start]), [[3, 2], [4, 2], [5, 3]])
})

t.test('measures only arms that need more blocks', async t => {
  const rig = recordingRig()
  let asked = 0
  const needed = () => asked++ < 1 ? null : ['uds']
  await take({ plan: planned({ startBlocks: 2 }), rig, from: first, interrupted: () => false, needed }, 3)
  t.strictSame(rig.asked, [[0, 'tcp', 'uds'], [1, 'uds'], [2, 'uds']])
})

t.test('keeps the samples that were made before an interruption', async t => {
  const made = /** @type {string[]} */ ([])
  const interrupted = () => made.length === 1
  const each = (/** @type {{ arm: string }} */ { arm }) => { made.push(arm) }
  const taken = await take({ plan: planned(), rig: recordingRig(), from: first, interrupted, each }, 3)
  t.strictSame(taken.map(({ samples }) => samples.length), [1])
})

t.test('ends when the rig makes no more trials', async t => {
  const rig = { ...recordingRig(), async * trials () {} }
  t.strictSame(await take({ plan: planned(), rig, from: first, interrupted: () => false }, 3), [])
})

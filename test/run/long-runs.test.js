/** The analysis of a run takes time in proportion to its samples. */
import t from '../support/tap.js'
import { recordFromSamples } from '../../bench/run/pipeline.js'
import { shiftAt } from '../../bench/judge/stats/shift.js'
import { makePlan, makeRecord, makeSample } from '../support/record.js'

const BLOCKS = 12_000
/** CPU seconds. The analysis takes about one, and one that grows with the square of the blocks takes minutes. */
const LIMIT_SECONDS = 20

/**
 * Returns samples of all arms whose rates vary.
 * @param {import('../../bench/types.js').Plan} plan
 * @param {(block: number) => number | undefined} startOf
 */
const samplesOf = (plan, startOf) => Array.from({ length: BLOCKS }, (_, block) => block).flatMap(block =>
  plan.arms.map(({ name }, i) => {
    const rps = 9000 * (1 + i / 10) * (1 + Math.sin(block * 13 + i) / 50)
    return makeSample({ arm: name, block, start: startOf(block), rps })
  }))

for (const [title, startBlocks, startOf] of /** @type {const} */ ([
  ['without starts', undefined, () => undefined],
  ['of one start', null, () => 0],
  ['of 100 starts', 120, (/** @type {number} */ block) => Math.floor(block / 120)]
])) {
  t.test(`the record of ${BLOCKS} blocks ${title} is computed in seconds`, async t => {
    const plan = makePlan({ startBlocks })
    const stored = { dir: '', run: 'long', record: makeRecord({ plan, complete: false }), plan }
    const before = process.cpuUsage()
    const { contrasts, timing } = recordFromSamples({ ...stored, samples: samplesOf(plan, startOf) })
    t.ok(process.cpuUsage(before).user < LIMIT_SECONDS * 1e6)
    t.equal(timing.blocks, BLOCKS)
    t.equal(contrasts[0].blocks, BLOCKS)
  })
}

t.test('finds the block with the widest gap, and none without a gap', async t => {
  const low = [1, 1.2, 0.9, 1.1]
  t.match(shiftAt([...low, 3, 3.1, 2.9], 0.1), { at: 4, by: 3 - 1.05 })
  t.match(shiftAt([3, 3.1, 2.9, ...low], 0.1), { at: 3, by: 1.05 - 3 })
  t.equal(shiftAt([...low, 3], 0.1), null, 'a single block is not a state')
  t.equal(shiftAt([1, 2, 1, 2, 1, 2], 0.1), null)
  t.equal(shiftAt([...low, 3, 3.1, 2.9], NaN), null)
})

/** A sizing as a run like any other: an arm for each topology and share of its capacity, so that reports, pages and
 * histories know what to do with it (pure). @import { Arm, Plan } from '../../types.js' */
import { shareName } from '../../plan/experiment.js'

/** What an arm at a share is called. @param {Pick<Arm, 'name'>} arm @param {number} share */
export const armAt = ({ name }, share) => shareName(name, share)

/** @param {Arm[]} arms a topology each
 * @param {{ rate: number, p99Ms: number, seed: number, quick: boolean, shares: number[] }} options @returns {Plan} */
export const planOfSizes = (arms, { rate, p99Ms, seed, quick, shares }) => ({
  experiment: 'size',
  question: `How many instances serve ${rate} requests a second with 99 of 100 answered within ${p99Ms} ms?`,
  protocol: 'rates',
  result: 'latency',
  unit: 'requests',
  arms: arms.flatMap(arm =>
    shares.map((share, step) => ({
      ...arm,
      name: armAt(arm, share),
      load: { ...arm.load, share },
      ladder: { of: arm.name, step }
    })
    )
  ),
  contrasts: [],
  twin: null,
  claims: [],
  cores: 'split',
  seed,
  quick,
  targets: { precision: 0.05, budgetSeconds: 180 * arms.length, minBlocks: 1, maxBlocks: 1, adjusted: false }
})

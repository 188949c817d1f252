/**
 * Adaptive time: the first blocks of a run show the machine's noise, and then the length of a slice and the number of blocks
 * are chosen so that the difference that was asked for is told apart soonest (pure).
 * @import { Plan, Sample } from '../types.js'
 */
import { levelOf } from '../summary.js'
import { choose, USUAL_SECONDS } from './choose.js'
import { noiseOf } from './noise.js'

/** While the noise is looked at, a slice is read so often. */
export const STEP_SECONDS = 0.1
/** Degrees of freedom of the noise: its sd is then known within a sixth. */
const FREEDOM = 20
const FEWEST_BLOCKS = 4

/**
 * How many blocks are looked at: each has as many independent ratios as arms beside the first.
 * @param {number} arms
 */
export const blocksToLookAt = arms => Math.max(FEWEST_BLOCKS, Math.ceil(FREEDOM / Math.max(1, arms - 1)) + 1)

/**
 * How a trial of the next block is to be made.
 * @param {Pick<Plan, 'adaptive' | 'windowSeconds'>} plan
 * @returns {import('../measure/rig.js').TrialOptions}
 */
export const trialOptions = ({ adaptive, windowSeconds }) => ({
  ...windowSeconds !== undefined && { seconds: windowSeconds },
  ...adaptive && !adaptive.chosen && { stepSeconds: STEP_SECONDS }
})

/**
 * @param {Plan} plan
 * @param {object} state
 * @param {Sample[]} state.samples judged
 * @param {number} state.blockSeconds wall time of a block
 * @param {number} state.secondsLeft of the budget
 * @returns {Plan | null} the plan to go on with; null: nothing has to be decided now
 */
export function adapt (plan, { samples, blockSeconds, secondsLeft }) {
  const { adaptive, arms, targets } = plan
  if (!adaptive || adaptive.chosen) return null
  const blocks = new Set(samples.map(({ block }) => block)).size
  if (blocks < adaptive.lookBlocks) return null
  const usual = plan.windowSeconds ?? USUAL_SECONDS
  const noise = noiseOf(samples.filter(({ invalid }) => !invalid), STEP_SECONDS)
  // A machine on which hardly a slice counts has other sorrows: the blocks go on as they are.
  if (!noise) return blocks < 2 * adaptive.lookBlocks ? null : { ...plan, adaptive: { ...adaptive, chosen: { seconds: usual, changed: false, noise: null, expected: null } } }
  const { seconds, changed, ...expected } = choose({ noise, arms: arms.length, usual, blocks, blockSeconds, secondsLeft, level: levelOf(plan), precision: targets.precision, minBlocks: targets.minBlocks })
  return {
    ...plan,
    ...changed && { windowSeconds: seconds },
    adaptive: { ...adaptive, ...changed && { from: 1 + Math.max(...samples.map(({ block }) => block)) }, chosen: { seconds, changed, noise, expected } }
  }
}

/** Adaptive time: the first blocks of a run show the machine's noise, and then the length of a slice and the number of
 * blocks are chosen so that the difference to detect is detected soonest (pure).
 * @import { Plan, Sample, TrialOptions } from '../../types.js' */
import { choose } from './choose.js'
import { noiseOf } from './machine-noise.js'
import { levelOf } from '../../plan/sample-size.js'
import { USUAL_SECONDS } from '../../plan/slice-length.js'

/** While the noise is looked at, a slice is read so often. */
export const STEP_SECONDS = 0.1
/** How a trial of the next block is to be made. @param {Pick<Plan, 'adaptive' | 'windowSeconds'>} plan
 * @returns {TrialOptions} */
export const trialOptions = ({ adaptive, windowSeconds }) => ({
  ...windowSeconds !== undefined && { seconds: windowSeconds },
  ...adaptive && !adaptive.chosen && { stepSeconds: STEP_SECONDS }
})

/** @param {Plan} plan @param {object} state @param {Sample[]} state.samples judged
 * @param {number} state.blockSeconds wall time of a block @param {number} state.secondsLeft of the budget
 * @returns {Plan | null} the plan to go on with; null: nothing has to be decided now */
export function adapt (plan, { samples, blockSeconds, secondsLeft }) {
  const { adaptive, arms, targets } = plan
  if (!adaptive || adaptive.chosen) return null
  const blocks = new Set(samples.map(({ block }) => block)).size
  if (blocks < adaptive.lookBlocks) return null
  const usual = plan.windowSeconds ?? USUAL_SECONDS
  const noise = noiseOf(samples.filter(({ invalid }) => !invalid), STEP_SECONDS)
  // A machine on which hardly a slice is valid shows nothing of its noise: the blocks go on as they are.
  if (!noise) {
    return blocks < 2 * adaptive.lookBlocks
      ? null
      : {
          ...plan,
          adaptive: { ...adaptive, chosen: { seconds: usual, changed: false, noise: null, expected: null } }
        }
  }
  const { seconds, changed, ...expected } = choose(
    noise, { arms: arms.length, usual, blocks, blockSeconds, secondsLeft }, { ...targets, level: levelOf(plan) }
  )
  return {
    ...plan,
    ...changed && { windowSeconds: seconds },
    adaptive: {
      ...adaptive,
      ...changed && { from: 1 + Math.max(...samples.map(({ block }) => block)) },
      chosen: { seconds, changed, noise, expected }
    }
  }
}

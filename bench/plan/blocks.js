/** Blocks of trials: every arm once in each, in an order of its own. */
import { orderOfBlock } from './plan.js'

/** @import { Plan, Rig, Sample, TrialOptions } from '../types.js' */

/**
 * @param {object} options
 * @param {Plan} options.plan
 * @param {Pick<Rig, 'trial' | 'lost'>} options.rig
 * @param {number} options.from number of the first block
 * @param {() => boolean} options.interrupted
 * @param {() => TrialOptions} [options.how] asked before every block
 * @param {(sample: Sample) => void} [options.each] called after every trial
 * @returns {AsyncGenerator<{ block: number, samples: Sample[] }>} without end,
 *   unless it is interrupted or every arm is lost
 */
export async function * blocks ({ plan, rig, from, interrupted, how = () => ({}), each = () => {} }) {
  for (let block = from; !interrupted(); block++) {
    const samples = []
    const options = how()
    for (const arm of orderOfBlock(plan, block)) {
      if (rig.lost().has(arm)) continue
      if (interrupted()) break
      const sample = await rig.trial(arm, block, options)
      samples.push(sample)
      each(sample)
    }
    if (samples.length === 0) return
    yield { block, samples }
  }
}

/** Blocks of trials: every arm once in each block, in a random order. */
import { orderOfBlock } from './plan.js'

/** @import { Plan, Rig, Sample } from '../types.js' */

/**
 * Measures blocks until it is interrupted or every arm is lost.
 * @param {object} options
 * @param {Plan} options.plan
 * @param {Pick<Rig, 'trials' | 'lost'>} options.rig
 * @param {{ block: number, start: number }} options.from the first block, and the first start
 * @param {() => boolean} options.interrupted
 * @param {() => string[] | null} [options.needed] returns the arms that are still measured; null: all
 * @param {(sample: Sample) => void} [options.each] called after every trial
 * @returns {AsyncGenerator<{ block: number, samples: Sample[] }>}
 */
export async function * blocks ({ plan, rig, from, interrupted, needed = () => null, each = () => {} }) {
  for (let block = from.block; !interrupted(); block++) {
    const wanted = needed()
    const arms = orderOfBlock(plan, block).filter(arm => wanted?.includes(arm) ?? true)
    /** @type {Sample[]} */
    const samples = []
    for await (const made of rig.trials(arms, block)) {
      // A rig numbers its own starts from 0. The samples of a resumed run have earlier ones.
      const numbered = made.map(sample =>
        plan.startBlocks ? { ...sample, start: from.start + (sample.start ?? 0) } : sample)
      numbered.forEach(each)
      samples.push(...numbered)
      if (interrupted()) break
    }
    if (samples.length === 0) return
    yield { block, samples }
  }
}

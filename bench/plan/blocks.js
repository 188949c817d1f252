/** Blocks of trials: every arm once in each, in an order of its own. */
import { orderOfBlock } from './plan.js'

/** @import { Plan, Rig, Sample } from '../types.js' */

/** @param {object} options @param {Plan} options.plan
 * @param {Pick<Rig, 'trial' | 'lost' | 'round' | 'restart'>} options.rig
 * @param {{ block: number, start: number }} options.from the first block, and the first start
 * @param {() => boolean} options.interrupted
 * @param {() => string[] | null} [options.needed] asked before every block: arms that are still measured; null: all
 * @param {(sample: Sample) => void} [options.each] called after every trial
 * @returns {AsyncGenerator<{ block: number, samples: Sample[] }>} without end, unless it is interrupted or every arm is
 * lost */
export async function * blocks (options) {
  const { plan, rig, from, interrupted, needed = () => null, each: say = () => {} } = options
  const seconds = plan.windowSeconds
  let { start } = from
  for (let block = from.block; !interrupted(); block++) {
    const wanted = needed()
    const arms = () => orderOfBlock(plan, block).filter(arm => !rig.lost().has(arm) && (wanted?.includes(arm) ?? true))
    if (rig.restart && plan.startBlocks && block > from.block && (block - from.block) % plan.startBlocks === 0) {
      await rig.restart(arms())
      start++
    }
    const trials = rig.round
      ? await rig.round(arms(), block, { seconds })
      : await oneByOne(arms(), { rig, block, seconds, interrupted, say })
    if (trials.length === 0) return
    const samples = trials.map(sample => plan.startBlocks ? { ...sample, start } : sample)
    if (rig.round) samples.forEach(say)
    yield { block, samples }
  }
}

/** @param {string[]} arms
 * @param {{ rig: Pick<Rig, 'trial' | 'lost'>, block: number, seconds?: number, interrupted: () => boolean,
 * say: (sample: Sample) => void }} options */
async function oneByOne (arms, { rig, block, seconds, interrupted, say }) {
  const samples = []
  for (const arm of arms) {
    if (rig.lost().has(arm)) continue
    if (interrupted()) break
    const sample = await rig.trial(arm, block, { seconds })
    samples.push(sample)
    say(sample)
  }
  return samples
}

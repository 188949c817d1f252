/** Selection of the blocks that are evaluated (pure). */
import { selectWarm } from './not-steady.js'

/** @import { Plan, Sample } from '../types.js' */
/** @import { Rates } from './starts.js' */

/**
 * Selects the rates of valid trials of warm arms. A block is evaluated for a contrast if it has both arms.
 *
 * @param {Plan} plan
 * @param {Sample[]} samples
 * @returns {{ byArm: Rates, startOf: Map<number, number>, blocks: number }} startOf: start of each block
 */
export function selectBlocks (plan, samples) {
  const startOf = new Map(samples.map(({ block, start = 0 }) => [block, start]))
  const byArm = new Map(plan.arms.map(({ name }) => [name, /** @type {Map<number, number>} */ (new Map())]))
  for (const { arm, block, rps, invalid } of selectWarm(samples)) if (!invalid) byArm.get(arm)?.set(block, rps)
  return { byArm, startOf, blocks: startOf.size }
}

/** Selection of the blocks that are evaluated (pure). */

/** @import { Plan, Sample } from '../types.js' */
/** @import { Rates } from './starts.js' */

/**
 * Selects the rates of valid trials. A block is evaluated for a contrast if both arms are valid in it.
 *
 * @param {Plan} plan
 * @param {Sample[]} samples
 * @returns {{ byArm: Rates, startOf: Map<number, number>, blocks: number }} startOf: start of each block
 */
export function selectBlocks (plan, samples) {
  const startOf = new Map(samples.map(({ block, start = 0 }) => [block, start]))
  const byArm = new Map(plan.arms.map(({ name }) => [name, /** @type {Map<number, number>} */ (new Map())]))
  for (const { arm, block, rps, invalid } of samples) if (!invalid) byArm.get(arm)?.set(block, rps)
  return { byArm, startOf, blocks: startOf.size }
}

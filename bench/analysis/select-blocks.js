/** Selection of the blocks that are evaluated (pure). */
import { leadingTrend, WINDOW } from './stats/leading.js'
import { groupBy } from '../shared/group-by.js'

/** @import { Plan, Sample } from '../types.js' */
/** @import { Rates } from './starts.js' */

/** Earlier versions could discard the first blocks of a run, whose slices had another length. @param {Plan} plan */
export const firstBlock = ({ adaptive }) => adaptive?.from ?? 0

/**
 * Selects the rates of valid trials, without the blocks that still trend at the beginning of a start. A block is
 * evaluated for a contrast if both arms are valid in it.
 *
 * @param {Plan} plan
 * @param {Sample[]} samples
 * @returns {{ byArm: Rates, startOf: Map<number, number>, blocks: number, dropped: number }} startOf: start of each
 *   block
 */
export function selectBlocks (plan, samples) {
  const kept = samples.filter(({ block }) => block >= firstBlock(plan))
  const startOf = new Map(kept.map(({ block, start = 0 }) => [block, start]))
  const numbers = [...startOf.keys()].sort((a, b) => a - b)
  const byArm = new Map(plan.arms.map(({ name }) => [name, /** @type {Map<number, number>} */ (new Map())]))
  for (const { arm, block, rps, invalid } of kept) if (!invalid) byArm.get(arm)?.set(block, rps)

  const starts = [...groupBy(numbers, block => startOf.get(block)).values()]
  const trending = starts.flatMap(ofStart => {
    const window = starts.length > 1 ? Math.min(WINDOW, ofStart.length) : WINDOW
    const rates = [...byArm.values()].map(arm => ofStart.map(block => arm.get(block) ?? NaN))
    return ofStart.slice(0, leadingTrend(rates, window))
  })
  for (const rates of byArm.values()) for (const block of trending) rates.delete(block)
  return { byArm, startOf, blocks: numbers.length, dropped: trending.length }
}

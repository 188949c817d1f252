/** Stolen time and run queue of blocks (pure). */

/** @import { BlockLoad, CpuTicks, Sample } from '../types.js' */

/**
 * Computes the load of other guests and programs between two readings.
 *
 * @param {CpuTicks | null} before null: unknown
 * @param {CpuTicks | null} after
 * @returns {BlockLoad}
 */
export function computeBlockLoad (before, after) {
  if (!before || !after || after.total <= before.total) return {}
  // The kernel can correct its count of stolen time downward.
  const stealShare = Math.max(0, after.steal - before.steal) / (after.total - before.total)
  if (before.running === null || after.running === null) return { stealShare }
  // The reading thread runs at both ends.
  return { stealShare, runQueue: (before.running + after.running) / 2 - 1 }
}

/**
 * Computes the mean load over blocks.
 *
 * @param {Sample[]} samples
 * @returns {BlockLoad}
 */
export function computeMeanLoad (samples) {
  // All arms of a block have the same load.
  const blocks = [...new Map(samples.map(sample => [sample.block, sample])).values()]
  const [stealShare, runQueue] = [blocks.flatMap(block => block.stealShare ?? []),
    blocks.flatMap(block => block.runQueue ?? [])].map(values =>
    values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : undefined)
  return { ...stealShare !== undefined && { stealShare }, ...runQueue !== undefined && { runQueue } }
}

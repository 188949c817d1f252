/** Stolen time and run queue of blocks (pure). */
/** @import { BlockLoad, CpuTicks, RunTiming, Sample } from '../types.js' */

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

/**
 * Computes how the wall time of a run was spent.
 *
 * @param {{ startedSeconds?: number, earlier?: Sample[] }} world earlier: samples of a resumed run
 * @param {{ samples: Sample[], firstSliceAt?: number, lastSliceAt?: number }} measurement times are in seconds of the
 *   monotonic clock
 * @returns {RunTiming}
 */
export function computeTiming ({ startedSeconds = 0, earlier = [] }, measurement) {
  const { samples, firstSliceAt = startedSeconds, lastSliceAt = firstSliceAt } = measurement
  const measuredSeconds = sumSeconds(samples)
  // 1 avoids a division by 0 before the first block. The wall time is then 0.
  const secondsMeasuredHere = sumSeconds(samples.slice(earlier.length)) || 1
  return {
    setupSeconds: firstSliceAt - startedSeconds,
    measuredSeconds,
    // The wall time of the earlier part of a resumed run is unknown. Assumes the same ratio of wall time to measured
    // time in both parts.
    sliceWallSeconds: (lastSliceAt - firstSliceAt) * measuredSeconds / secondsMeasuredHere,
    blocks: getNextBlock(samples),
    ...computeMeanLoad(samples)
  }
}

/** @param {Sample[]} samples */
const sumSeconds = samples => samples.reduce((sum, { seconds }) => sum + seconds, 0)

/** Returns the number of the next block, which is the number of started blocks. @param {Sample[]} samples */
export const getNextBlock = samples => samples.reduce((next, { block }) => Math.max(next, block + 1), 0)

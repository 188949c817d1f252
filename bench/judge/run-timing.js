/** Wall time of a run, its number of blocks and their load (pure). */
import { computeMeanLoad } from './block-load.js'

/** @import { RunTiming, Sample } from '../types.js' */

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

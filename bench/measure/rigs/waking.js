/**
 * Decides whether an arm is awake again after it has waited for the warm-ups of the others (pure). An idle V8 returns
 * memory and discards code, so that the next requests cost more, for up to 3 s of load (docs/method.md).
 */

/** @import { Sample } from '../../types.js' */

/** Uncounted blocks at a start, at most. */
export const MAX_BLOCKS = 12
/** Share by which the cost of a block may exceed that at the end of the arm's warm-up, which is a lower quartile. */
const ABOVE = 0.15
/** Blocks that are compared with as many before them if the cost stays above, as with 17 arms on two shared cores. */
const LEVEL = { blocks: 4, fall: 0.04 }

/**
 * Returns what a request cost in a block: CPU time of the served side, or else the inverse of the rate, in seconds.
 *
 * @param {Pick<Sample, 'cpuSeconds' | 'requests' | 'rps'>} sample
 * @returns {number} Infinity or NaN: the trial is invalid
 */
export function toCost ({ cpuSeconds, requests, rps }) {
  const used = (cpuSeconds?.proxy ?? 0) + (cpuSeconds?.server ?? 0)
  return used > 0 ? used / Number(requests) : 1 / Number(rps)
}

/**
 * @param {number[]} costs of the blocks so far
 * @param {number} warmCost at the end of the warm-up; 0: not measured
 */
export function isAwake (costs, warmCost) {
  const [last] = costs.slice(-1)
  if (last <= (1 + ABOVE) * warmCost) return true
  const earlier = costs.slice(-2 * LEVEL.blocks, -LEVEL.blocks)
  return earlier.length === LEVEL.blocks &&
    Math.min(...costs.slice(-LEVEL.blocks)) >= (1 - LEVEL.fall) * Math.min(...earlier)
}

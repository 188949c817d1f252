/** Which length of a slice, and how many blocks, detect a difference soonest (pure). With overhead h for each slice
 * of length T, a block of k arms takes k (T + h), and what a second of wall time is worth goes with 1 / ((T +
 * h)(white/T + floor)): best at T = √(white h / floor). The interval's own allowances are put in, so that what is
 * expected is what the run will print. */
import { widening } from '../stats/dependence.js'
import { normalQuantile } from '../../plan/normal.js'
import { differenceFound } from '../../plan/sample-size.js'

/** @import { Noise } from './machine-noise.js' */

/** Lengths that are considered, in seconds: the shortest holds a few dozen answers of a slow arm. */
const LENGTHS = [0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2]
/** Changing the length gives up the blocks made so far: it must be worth more than this share of the variance. */
const WORTH = 0.2
const FOREVER_SECONDS = 86_400 // A day.
/** The Hodges-Lehmann estimate of normal values varies as the mean of 0.955 times as many does (Hollander, Wolfe,
 * Chicken, 3.2). */
const EFFICIENCY = 3 / Math.PI

/** @typedef {object} Choice
 * @property {number} seconds of a slice
 * @property {boolean} changed it is not the length of the blocks made so far: those are discarded
 * @property {number} overheadSeconds wall time of a slice beside its own
 * @property {number} blocks that it will take, those made so far counted
 * @property {number} wallSeconds until then, from now
 * @property {number | null} neededSeconds until the goal, whatever the budget; null: more blocks than anybody waits for
 * @property {number} difference that is detectable at 80 % power, as a share
 * @property {boolean} enough the difference that was asked for is within the budget */

/** @typedef {{ level: number, precision: number, minBlocks: number }} Goal precision: half-width to reach, a share */

/** @param {Pick<Noise, 'white' | 'floor'>} noise @param {object} run so far @param {number} run.arms
 * @param {number} run.usual length of the slices so far, in seconds @param {number} run.blocks made so far
 * @param {number} run.blockSeconds wall time of each of them @param {number} run.secondsLeft of the budget
 * @param {Goal} goal @returns {Choice} */
export function choose (noise, { arms, usual, blocks, blockSeconds, secondsLeft }, goal) {
  const overheadSeconds = Math.max(0, blockSeconds / arms - usual)
  const usualBlock = arms * (usual + overheadSeconds)
  const of = (/** @type {number} */ seconds, left = secondsLeft) => outcome({
    sd: Math.sqrt(noise.white / seconds + noise.floor),
    made: seconds === usual ? blocks : 0,
    blockSeconds: seconds === usual ? usualBlock : arms * (seconds + overheadSeconds),
    secondsLeft: left
  }, goal)
  const usualOutcome = of(usual)
  const best = LENGTHS.map(seconds => ({ seconds, ...of(seconds) })).reduce((best, other) =>
    isBetter(other, best) ? other : best
  )
  const changed = best.seconds !== usual && isBetter(best, usualOutcome, WORTH)
  const { enough, blocks: needed, wallSeconds, half } = changed ? best : usualOutcome
  const toGoal = of(changed ? best.seconds : usual, FOREVER_SECONDS)
  return {
    seconds: changed ? best.seconds : usual,
    changed,
    overheadSeconds,
    blocks: needed,
    wallSeconds,
    neededSeconds: toGoal.enough ? toGoal.wallSeconds : null,
    difference: differenceFound(half, goal.level),
    enough
  }
}

/** The goal within the budget, and then in less time; where neither reaches it, less variance in the end.
 * @param {ReturnType<typeof outcome>} one @param {ReturnType<typeof outcome>} other
 * @param {number} [worth] by more than this share */
function isBetter (one, other, worth = 0) {
  if (one.enough !== other.enough) return one.enough
  const cost = (/** @type {ReturnType<typeof outcome>} */ { enough, wallSeconds, half }) =>
    enough ? wallSeconds : Math.log1p(half) ** 2
  return cost(one) < (1 - worth) * cost(other)
}

/** @param {{ sd: number, made: number, blockSeconds: number, secondsLeft: number }} length @param {Goal} goal */
function outcome ({ sd, made, blockSeconds, secondsLeft }, { level, precision, minBlocks }) {
  const most = made + Math.max(0, Math.floor(secondsLeft / blockSeconds))
  const half = (/** @type {number} */ n) => expectedHalfWidth(sd, n, level)
  let low = Math.max(minBlocks, made)
  const enough = half(Math.max(low, most)) <= precision && most >= low
  if (!enough) return { enough, blocks: most, wallSeconds: (most - made) * blockSeconds, half: half(Math.max(1, most)) }
  let high = Math.max(low, most)
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (half(middle) <= precision) high = middle
    else low = middle + 1
  }
  return { enough, blocks: low, wallSeconds: (low - made) * blockSeconds, half: half(low) }
}

/** The half-width that n blocks without dependence will have, as a share. @param {number} sd of a block's log-ratio
 * @param {number} n @param {number} level */
export const expectedHalfWidth = (sd, n, level) =>
  Math.expm1(normalQuantile((1 + level) / 2) * sd / Math.sqrt(EFFICIENCY * n) * widening(0, n))

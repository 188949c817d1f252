/** Log rates as arm + block + noise, start by start, by Huber's estimate: what is left of a rate when the luck of its
 * arm's start and that of the moment are taken out. */
import { clippedFactor, huberMeans, mean } from './huber.js'
import { median } from './quantile.js'

/** Each makes the blocks' effects better by about the share of wild values: five are plenty. */
const ROUNDS = 5

/** @typedef {object} TwoWay
 * @property {number[][]} effects by arm and start: its log rate, the blocks' effects (mean 0) taken out; NaN: none
 * @property {number[][][]} residuals by arm, start and block; NaN where there was no value
 * @property {number[][][]} clipped the same, wild ones moved inwards
 * @property {number} variance of a value, such that variance / n is that of an effect; NaN without df
 * @property {number} df of it */

/** @param {number[][][]} values log rates by arm, start and block; every arm has all starts and blocks, NaN where there
 * is no value @returns {TwoWay} */
export function twoWay (values) {
  const starts = values[0]?.map((_, g) => g) ?? []
  let blocks = starts.map(g => firstBlocks(values.map(arm => arm[g])))
  /** @type {ReturnType<typeof fitArm>[]} */
  let arms = []
  for (let round = 0; round < ROUNDS; round++) {
    arms = values.map(arm => fitArm(arm, blocks))
    blocks = blocks.map((effects, g) => {
      const moved = effects.map((effect, b) => effect + (meanOf(arms.map(({ clipped }) => clipped[g][b])) || 0))
      const centre = mean(moved)
      return moved.map(effect => effect - centre)
    })
  }
  arms = values.map(arm => fitArm(arm, blocks))
  const cells = arms.reduce((sum, { clipped }) => sum + clipped.flat().filter(r => !Number.isNaN(r)).length, 0)
  const effects = arms.map(({ effects }) => effects)
  const df = cells - effects.flat().filter(x => !Number.isNaN(x)).length - blocks.flat().length + starts.length
  const squares = arms.map(({ clipped, share }) =>
    clipped.flat().reduce((sum, r) => sum + (r * r || 0), 0) * clippedFactor(share, df / cells) || 0)
  return {
    effects,
    residuals: arms.map(({ residuals }) => residuals),
    clipped: arms.map(({ clipped }) => clipped),
    variance: df > 0 ? squares.reduce((a, b) => a + b, 0) / df : NaN,
    df
  }
}

/**
 * @param {number[][]} arm by start and block
 * @param {number[][]} blocks their effects
 */
function fitArm (arm, blocks) {
  const without = arm.map((start, g) => start.map((y, b) => y - blocks[g][b]))
  const { means, values, share } = huberMeans(without.map(start => start.filter(y => !Number.isNaN(y))))
  return {
    effects: means,
    share,
    residuals: without.map((start, g) => start.map(y => y - means[g])),
    clipped: without.map((start, g) => {
      const left = [...values[g]]
      return start.map(y => Number.isNaN(y) ? NaN : /** @type {number} */ (left.shift()) - means[g])
    })
  }
}

/**
 * @param {number[][]} arms by block
 * @returns {number[]}
 */
function firstBlocks (arms) {
  const centred = arms.map(arm => {
    const valid = arm.filter(y => !Number.isNaN(y))
    return valid.length > 0 ? arm.map(y => y - median(valid)) : arm
  })
  return (arms[0] ?? []).map((_, b) => {
    const valid = centred.map(arm => arm[b]).filter(y => !Number.isNaN(y))
    return valid.length > 0 ? median(valid) : 0
  })
}

/** @param {number[]} values NaN left out */
const meanOf = values => mean(values.filter(x => !Number.isNaN(x)))

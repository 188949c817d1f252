/**
 * Fits log rates as arm + block + noise, start by start, by Huber's estimate. The residuals are free of the effects of
 * the start and of the moment.
 */
import { clippedFactor, huberMeans, mean, meanOfKnown } from './huber.js'
import { median } from './quantile.js'

/**
 * Rounds of the fit. Each reduces the error of the block effects to about the share of outliers, so five are enough.
 */
const ROUNDS = 5

/**
 * @typedef {object} TwoWay
 * @property {number[][]} effects log rate by arm and start, without the block effects (mean 0); NaN: no value
 * @property {number[][][]} residuals by arm, start and block; NaN: no value
 * @property {number[][][]} clipped residuals with outliers moved
 * @property {number} variance of a value: variance / n is that of an effect; NaN without df
 * @property {number} df of the variance
 */

/**
 * @param {number[][][]} values log rates by arm, start and block; NaN: no value. Every arm has all starts and blocks.
 * @returns {TwoWay}
 */
export function twoWay (values) {
  const starts = values[0]?.map((_, g) => g) ?? []
  let blocks = starts.map(g => firstBlocks(values.map(arm => arm[g])))
  /** @type {ReturnType<typeof fitArm>[]} */
  let arms = []
  for (let round = 0; round < ROUNDS; round++) {
    arms = values.map(arm => fitArm(arm, blocks))
    blocks = blocks.map((effects, g) => {
      const moved = effects.map((effect, b) => effect + (meanOfKnown(arms.map(({ clipped }) => clipped[g][b])) || 0))
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
 * @param {number[][]} blocks effects of the blocks
 */
function fitArm (arm, blocks) {
  const without = arm.map((start, g) => start.map((y, b) => y - blocks[g][b]))
  const { means, values, share } = huberMeans(without.map(start => start.filter(y => !Number.isNaN(y))))
  return {
    effects: means,
    share,
    residuals: without.map((start, g) => start.map(y => y - means[g])),
    clipped: without.map((start, g) => {
      let next = 0
      return start.map(y => Number.isNaN(y) ? NaN : values[g][next++] - means[g])
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
    if (valid.length === 0) return arm
    const centre = median(valid)
    return arm.map(y => y - centre)
  })
  return (arms[0] ?? []).map((_, b) => {
    const valid = centred.map(arm => arm[b]).filter(y => !Number.isNaN(y))
    return valid.length > 0 ? median(valid) : 0
  })
}

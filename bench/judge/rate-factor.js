/** Factor by which one arm of a run serves more than another one (pure). */

/** @import { ArmResult, Contrast } from '../types.js' */

/** @typedef {Pick<ArmResult, 'name' | 'rps'>} RatedArm */

/**
 * Compares the rates of two arms by their contrast, or by the medians if the run has no contrast of them.
 * @param {RatedArm} arm
 * @param {RatedArm} other
 * @param {Contrast[]} contrasts
 * @returns {{ times: number, isLeast?: boolean, isByMedians?: boolean }} times: factor; isLeast: a lower bound, because
 * the rate of `arm` is one; isByMedians: the quotient of the medians
 */
export function compareRates (arm, other, contrasts) {
  const direct = contrasts.find(contrast => contrast.arm === arm.name && contrast.baseline === other.name)
  const inverse = contrasts.find(contrast => contrast.arm === other.name && contrast.baseline === arm.name)
  const ratio = direct?.ratio ?? 1 / Number(inverse?.ratio)
  const low = direct?.low ?? 1 / Number(inverse?.high)
  if (!(ratio > 0)) return { times: Number(arm.rps?.median) / Number(other.rps?.median), isByMedians: true }
  const isLeast = direct ? direct.oneSided === 'at-least' : inverse?.oneSided === 'at-most'
  return isLeast ? { times: low, isLeast } : { times: ratio }
}

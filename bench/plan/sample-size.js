/**
 * How many blocks an interval needs, and what one of a given width finds: the difference that is detectable at 80 %
 * power (J. Cohen, Statistical Power Analysis, 1988, 2.4).
 */
import { FAMILY_ERROR } from '../shared/thresholds.js'
import { normalQuantile } from '../shared/normal.js'

/** @import { Plan } from '../types.js' */

/** Power: how often a difference that is there is detected. */
export const POWER = 0.8

/**
 * A difference as large as the half-width of an interval is found every other time: half of the estimates lie below it.
 * To be found with POWER it must be larger by this factor.
 * @param {number} level of the interval: 0.95
 */
export function powerFactor (level) {
  const z = normalQuantile((1 + level) / 2)
  return (z + normalQuantile(POWER)) / z
}

/**
 * @param {number} halfWidth of an interval, as a share: 0.02
 * @param {number} level of the interval
 * @returns {number} the smallest difference that is found with POWER, as a share
 */
export const differenceFound = (halfWidth, level) => Math.exp(Math.log1p(halfWidth) * powerFactor(level)) - 1

/**
 * @param {number} difference to be found with POWER, as a share: 0.05
 * @param {number} level of the interval
 * @returns {number} the half-width that does it, as a share
 */
export const halfWidthFor = (difference, level) => Math.exp(Math.log1p(difference) / powerFactor(level)) - 1

/** The smallest n that has an interval of this level: both extreme sums have probability 2^-n. @param {number} level */
export const smallestSampleFor = level => Math.ceil(Math.log2(2 / (1 - level)) - ROUNDING)

const ROUNDING = 1e-12 // 1 - level carries a rounding error: 1 - 0.96875 must still be 2/64.

/** Confidence level of each of so many intervals: Bonferroni's, so that all hold together. @param {number} intervals */
export const levelFor = intervals => 1 - FAMILY_ERROR / Math.max(1, intervals)

/** Confidence level of each listed contrast. @param {Pick<Plan, 'contrasts' | 'targets'>} plan */
export const levelOf = ({ contrasts, targets }) => levelFor(targets.adjusted ? contrasts.length : 1)

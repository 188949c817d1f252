/**
 * Relations between the number of blocks, the width of an interval and the difference that is detectable at 80 % power
 * (J. Cohen, Statistical Power Analysis, 1988, 2.4).
 */
import { FAMILY_ERROR } from '../shared/thresholds.js'
import { normalQuantile } from '../shared/normal.js'

/** @import { Plan } from '../types.js' */

/** Probability of detecting a real difference. */
const POWER = 0.8

/**
 * Returns the ratio of a difference that is detected with POWER to the half-width of the interval. A difference equal
 * to the half-width is detected half of the time, because half of the estimates lie below it.
 * @param {number} level of the interval: 0.95
 */
export function powerFactor (level) {
  const z = normalQuantile((1 + level) / 2)
  return (z + normalQuantile(POWER)) / z
}

/**
 * @param {number} halfWidth of an interval, as a share: 0.02
 * @param {number} level of the interval
 * @returns {number} the smallest difference that is detected with POWER, as a share
 */
export const differenceFound = (halfWidth, level) => Math.exp(Math.log1p(halfWidth) * powerFactor(level)) - 1

/**
 * @param {number} difference to be detected with POWER, as a share: 0.05
 * @param {number} level of the interval
 * @returns {number} the half-width that detects it, as a share
 */
export const halfWidthFor = (difference, level) => Math.exp(Math.log1p(difference) / powerFactor(level)) - 1

/**
 * Returns the smallest sample that has an interval of this level: both extreme sums have probability 2^-n.
 * @param {number} level
 */
export const smallestSampleFor = level => Math.ceil(Math.log2(2 / (1 - level)) - ROUNDING)

const ROUNDING = 1e-12 // Tolerance for the rounding error of 1 - level: 1 - 0.96875 must still be 2/64.

/**
 * Returns the confidence level of each interval so that all of them hold together (Bonferroni).
 * @param {number} intervals
 */
export const levelFor = intervals => 1 - FAMILY_ERROR / Math.max(1, intervals)

/**
 * Returns the confidence level of each listed contrast.
 * @param {Plan['contrasts']} contrasts
 * @param {Pick<Plan['targets'], 'adjusted'>} targets
 */
export const getContrastLevel = (contrasts, { adjusted }) => levelFor(adjusted ? contrasts.length : 1)

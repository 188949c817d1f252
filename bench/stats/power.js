/**
 * What an interval of a given width finds: the difference that is told apart from none in four runs of five
 * (J. Cohen, Statistical Power Analysis, 1988, 2.4).
 */
import { normalQuantile } from './normal.js'

/** How often a difference that is there shall be found. */
export const POWER = 0.8

/**
 * A difference as large as the half-width of an interval is found every other time: half of the estimates lie below it. To
 * be found with POWER it must be larger by this factor.
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

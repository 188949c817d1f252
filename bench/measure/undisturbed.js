/** Repeats a window during which the machine was suspended or its clock was set, because later windows depend on it. */
import { HopbenchError } from '../errors.js'
import { measureWindow } from './measure-window.js'
import { describeDisturbance, isDisturbance } from '../shared/disturbance.js'

/** @import { Disturbance, Sample } from '../types.js' */
/** @import { WindowOptions } from './types.js' */

/** Disturbed windows after which the machine is unfit for measuring. */
const MAX_TRIES = 3

/**
 * @param {WindowOptions} options
 * @param {typeof measureWindow} [measure]
 * @returns {Promise<Sample>}
 * @throws {HopbenchError} machine-disturbed, and errors of the window
 */
export async function measureUndisturbed (options, measure = measureWindow) {
  let sample = await measure(options)
  for (let tries = 1; isDisturbance(sample.invalid); tries++) {
    if (tries === MAX_TRIES) {
      const why = describeDisturbance(/** @type {Disturbance} */ (sample.invalid))
      throw new HopbenchError('machine-disturbed', { name: options.arm.name, tries, why })
    }
    // Generators append to their files, so that each try needs a folder of its own.
    sample = await measure({ ...options, tag: `${options.tag ?? options.arm.ladder?.step ?? 0}-again-${tries}` })
  }
  return sample
}

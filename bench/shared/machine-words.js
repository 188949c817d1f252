/** Words for a processor and its speed (pure). */
import { isNumber, rate } from './format.js'

/** @import { Calibration, Environment } from '../types.js' */

/**
 * Describes a processor as far as it is known: "AMD EPYC (family 25, model 17, stepping 1; L2 1024 KiB; KVM)".
 *
 * @param {Environment['cpu']} cpu
 */
export function describeProcessor ({ model, family, modelNumber, stepping, caches, hypervisor }) {
  const numbers = Object.entries({ family, model: modelNumber, stepping })
    .flatMap(([name, value]) => isNumber(value) ? `${name} ${value}` : [])
  const sizes = Object.entries(caches ?? {}).map(([name, size]) => `${name} ${size} KiB`)
  const known = [numbers.join(', '), sizes.join(', '), hypervisor].filter(Boolean)
  return known.length > 0 ? `${model} (${known.join('; ')})` : model
}

/**
 * Prints the speed of fixed work on one core.
 *
 * @param {Calibration} calibration
 */
export const describeSpeed = ({ arithmetic, memory, systemCalls, roundTrips }) =>
  `${rate(arithmetic / 1e6)} million integer operations, ${rate(memory / 1e9)} GB copied, ` +
  `${rate(systemCalls / 1e6)} million system calls, ${rate(roundTrips)} round trips in a second`

/** Opens rigs, which measure plans. */
import { HopbenchError, isHopbenchError } from '../../errors.js'
import { loadPlugin } from '../../plan/plugins.js'

/** @import { GateRefusal, Plan, Rig } from '../../types.js' */
/** @import { ProtocolModule, RigOptions } from '../types.js' */

/**
 * Opens the rig of a plan's protocol on this machine.
 * @param {Plan} plan
 * @param {RigOptions} options
 * @returns {Promise<Rig>}
 */
export async function openRig (plan, options) {
  /** @type {ProtocolModule} */
  const { open } = await loadPlugin('protocol', plan.protocol)
  return open(plan, options)
}

/**
 * Requires that the arms which have passed the gate include a contrast, or the only arm.
 * @param {Pick<Plan, 'arms' | 'contrasts'>} plan
 * @param {Map<string, GateRefusal>} refused
 * @throws {HopbenchError} gate-refused
 */
export function rejectNothingLeft ({ arms, contrasts }, refused) {
  const pairs = contrasts.length > 0 ? contrasts : [[arms[0].name]]
  if (pairs.some(pair => !pair.some(name => refused.has(name)))) return
  const [name, { params }] = [...refused][0]
  throw new HopbenchError('gate-refused', { name, ...params })
}

/**
 * Returns whether an error at the start of an arm ends the run, because nothing is left to compare, or because the
 * proxy would publish a file. Any other one makes the trial invalid.
 * @param {unknown} error
 */
export const endsRun = error => isHopbenchError(error, 'gate-refused', 'file-published')

/** A window that later ones build on: where the machine was suspended in it, or its clock set, it is measured again at
 * once. */
import { HopbenchError } from '../errors.js'
import { measureWindow } from './measure-window.js'
import { isDisturbance } from '../shared/disturbance.js'

/** @import { Sample } from '../types.js' @import { WindowOrder } from './shapes.js' */

/** A machine that is suspended again and again cannot measure. */
const TRIES = 3

/** @param {WindowOrder} order @param {typeof measureWindow} [measure] @returns {Promise<Sample>}
 * @throws {HopbenchError} machine-disturbed; and when the engine gives no report */
export async function measureUndisturbed (order, measure = measureWindow) {
  let sample = await measure(order)
  for (let tries = 1; isDisturbance(sample.invalid); tries++) {
    if (tries === TRIES) {
      throw new HopbenchError('machine-disturbed', { name: order.arm.name, tries, why: String(sample.invalid?.text) })
    }
    // The files of a generator are added to, so every try has its own.
    sample = await measure({ ...order, tag: `${order.tag ?? order.arm.ladder?.step ?? 0}-again-${tries}` })
  }
  return sample
}

/**
 * Protocol `rates`: requests leave on a schedule, at shares of the peak that the same processes have shown in a closed
 * loop: the time that users wait, which no closed loop can tell (docs/method.md).
 */
import { openAnew } from '../measure/anew.js'

/** @type {import('../measure/rig.js').ProtocolModule['open']} */
export const open = (plan, options) => openAnew(plan, options, { warm: false, series: false, climbs: true, rates: true })

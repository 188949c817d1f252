/**
 * Protocol `ladder`: steps of more and more connections on the same processes, up to the first errors.
 */
import { openAnew } from '../measure/anew.js'

/** @type {import('../measure/rig.js').ProtocolModule['open']} */
export const open = (plan, options) => openAnew(plan, options, { warm: true, series: false, climbs: true })

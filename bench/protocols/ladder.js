/**
 * Protocol `ladder`: steps of more and more connections on the same processes, up to the first errors.
 */
import { openAnew } from '../anew.js'

/** @type {import('../rig.js').ProtocolModule['open']} */
export const open = (plan, options) => openAnew(plan, options, { warm: true, series: false, climbs: true })

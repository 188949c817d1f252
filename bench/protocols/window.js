/**
 * Protocol `window`: one window on everything started anew: for arms that refuse their own counters, or change the
 * system as they go.
 */
import { openAnew } from '../measure/anew.js'

/** @type {import('../measure/rig.js').ProtocolModule['open']} */
export const open = (plan, options) => openAnew(plan, options, { warm: true, series: false, climbs: false })

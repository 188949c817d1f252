/**
 * Protocol `series`: one long window on everything started anew, told second by second: for what develops over time.
 * Nothing is warmed up: the beginning belongs to the story.
 */
import { openAnew } from '../measure/anew.js'

/** @type {import('../measure/rig.js').ProtocolModule['open']} */
export const open = (plan, options) => openAnew(plan, options, { warm: false, series: true, climbs: false })

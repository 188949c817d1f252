/** Protocol `window`: one window on everything started anew: for arms that refuse their own counters, or change the
 * system as they go. */

/** @import { ProtocolModule } from '../shapes.js' */

/** @type {ProtocolModule['about']} */
export const about = {
  clientCounts: true,
  // Long enough for the fixed cost of opening connections to be small beside it.
  windowSeconds: { full: 3, quick: 1.5, smoke: 1 },
  warm: true
}

/** @type {ProtocolModule['open']} */
export const open = async (plan, options) => (await import('../anew.js')).openAnew(plan, options, about)

/** Protocol `window`: one window on new processes, for arms that reject requests for their own counters or change the
 * system while they run. */

/** @import { ProtocolModule } from '../types.js' */

/** @type {ProtocolModule['about']} */
export const about = {
  clientCounts: true,
  // Long enough that the fixed cost of opening connections is small.
  windowSeconds: { full: 3, quick: 1.5, smoke: 1 },
  warm: true
}

/** @type {ProtocolModule['open']} */
export const open = async (plan, options) =>
  (await import('../rigs/isolated-rig.js')).IsolatedRig.open(plan, options, about)

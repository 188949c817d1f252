/** Protocol `series`: one long window on new processes, reported second by second, for what develops over time. It has
 * no warm-up, because the first seconds are part of the result. */

/** @import { ProtocolModule } from '../types.js' */

/** @type {ProtocolModule['about']} */
export const about = {
  clientCounts: true,
  // Long enough to use up all ports.
  windowSeconds: { full: 15, quick: 8, smoke: 2 },
  series: true
}

/** @type {ProtocolModule['open']} */
export const open = async (plan, options) =>
  (await import('../rigs/isolated-rig.js')).IsolatedRig.open(plan, options, about)

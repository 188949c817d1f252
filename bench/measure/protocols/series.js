/** Protocol `series`: one long window on everything started anew, second by second: for what develops over time.
 * Nothing is warmed up: the beginning belongs to the story. */

/** @import { ProtocolModule } from '../shapes.js' */

/** @type {ProtocolModule['about']} */
export const about = {
  clientCounts: true,
  // Long enough for ports to run out.
  windowSeconds: { full: 15, quick: 8, smoke: 2 },
  series: true
}

/** @type {ProtocolModule['open']} */
export const open = async (plan, options) => (await import('../anew.js')).openAnew(plan, options, about)

/** Protocol `plays`: on new processes, a client plays the requests of a scenario (bench/scenarios/) and counts their
 * outcomes. A trial is one play. */

/** @import { ProtocolModule } from '../types.js' */

/** @type {ProtocolModule['about']} */
export const about = {
  clientCounts: true,
  // Most seconds of a play, which ends by itself.
  windowSeconds: { full: 60, quick: 60, smoke: 60 },
  result: 'behaviour'
}

/** @type {ProtocolModule['open']} */
export const open = async (plan, options) => (await import('../play.js')).openPlays(plan, options, about)

/** Protocol `slices`: all arms are up at once, each with a generator of its own that is paused while other arms are
 * measured. A trial is a slice of 0.5 s. */

/** @import { ProtocolModule } from '../types.js' */

/** @type {ProtocolModule['about']} */
export const about = { paused: true }

/** @type {ProtocolModule['open']} */
export const open = async (plan, options) =>
  (await import('../rigs/all-up-rig.js')).AllUpRig.open(plan, options, { isGang: false })

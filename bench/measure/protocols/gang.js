/** Protocol `gang`: all arms are up at once and take turns of 0.1 s, or of 0.25 s on shared cores. An arm without a
 * turn is paused with all of its processes. A trial is 0.5 s of such turns. All processes are replaced after some
 * blocks. */

/** @import { ProtocolModule } from '../types.js' */

/** @type {ProtocolModule['about']} */
export const about = { paused: true, starts: true, elsewhere: 'slices' }

/** @type {ProtocolModule['open']} */
export const open = async (plan, options) =>
  (await import('../rigs/all-up-rig.js')).AllUpRig.open(plan, options, { isGang: true })

/** Protocol `slices`: all arms are up at once, each with a generator of its own that is frozen while it is not its
 * turn. A trial is a slice of half a second. */

/** @import { ProtocolModule } from '../shapes.js' */

/** @type {ProtocolModule['about']} */
export const about = { paused: true }

/** @type {ProtocolModule['open']} */
export const open = async (plan, options) => (await import('../all-up.js')).openAllUp(plan, options)

/** Protocol `gang`: all arms are up at once, and take turns of a twentieth of a second; who has no turn is frozen as a
 * whole. A trial is half a second of such turns. All processes are replaced now and then. */

/** @import { ProtocolModule } from '../shapes.js' */

/** @type {ProtocolModule['about']} */
export const about = { paused: true, starts: true, elsewhere: 'slices' }

/** @type {ProtocolModule['open']} */
export const open = async (plan, options) => (await import('../gang-rig.js')).openGangRig(plan, options)

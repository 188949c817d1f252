/** Protocol `rates`: requests are sent on a schedule, at shares of the lowest peak of all arms in a closed loop. It
 * measures the latency that users see, which a closed loop cannot measure (docs/method.md). */

/** @import { ProtocolModule } from '../types.js' */

/** @type {ProtocolModule['about']} */
export const about = {
  clientCounts: true,
  windowSeconds: { full: 4, quick: 2, smoke: 1 },
  steps: 'shares',
  warm: true,
  result: 'latency'
}

/** @type {ProtocolModule['open']} */
export const open = async (plan, options) =>
  (await import('../rigs/isolated-rig.js')).IsolatedRig.open(plan, options, about)

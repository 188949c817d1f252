/** Protocol `rates`: requests leave on a schedule, at shares of the lowest peak that the arms have shown in a closed
 * loop: the time that users wait, which no closed loop can measure (docs/method.md). */

/** @import { ProtocolModule } from '../shapes.js' */

/** @type {ProtocolModule['about']} */
export const about = {
  clientCounts: true,
  windowSeconds: { full: 4, quick: 2, smoke: 1 },
  steps: 'shares',
  result: 'latency'
}

/** @type {ProtocolModule['open']} */
export const open = async (plan, options) => (await import('../anew.js')).openAnew(plan, options, about)

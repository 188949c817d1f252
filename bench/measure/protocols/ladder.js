/** Protocol `ladder`: steps of more and more connections on the same processes, up to the first errors. */

/** @import { ProtocolModule } from '../types.js' */

/** @type {ProtocolModule['about']} */
export const about = {
  clientCounts: true,
  windowSeconds: { full: 3, quick: 1, smoke: 1 },
  steps: 'connections',
  warm: true,
  result: 'first-errors'
}

/** @type {ProtocolModule['open']} */
export const open = async (plan, options) =>
  (await import('../rigs/isolated-rig.js')).IsolatedRig.open(plan, options, about)

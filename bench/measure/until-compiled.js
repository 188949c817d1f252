/** Loads a new topology until its code is compiled, so that the windows after it are in a steady state. Without it,
 * Express under Node 26 was compiled in its third window at a share of the peak, which alone had a pause of 100 to
 * 400 ms (docs/method.md). */
import { measurePeak, SETTLED } from './peak.js'
import { getProfile } from '../plan/plan.js'
import { measureUndisturbed } from './undisturbed.js'

/** @import { FoundEngine } from '../load/shapes.js' */
/** @import { Arm, Plan } from '../types.js' */
/** @import { RigOptions, StagedArm } from './shapes.js' */

/** CPU time after which Node has compiled its hot code (docs/sizing-method.md). */
const COMPILED_CPU_SECONDS = 3
const MAX_WINDOWS = 4
/** Length of the window at the arm's own rate, because the runtime compiles again for another load
 * (docs/sizing-method.md). */
const SECONDS_AT_RATE = { full: 5, quick: 2, smoke: 1 }

/**
 * @param {Arm} arm with its rate
 * @param {object} order
 * @param {Pick<Plan, 'quick' | 'smoke'>} order.plan
 * @param {StagedArm} order.staged
 * @param {RigOptions['cores']} order.cores
 * @param {RigOptions['engines']} order.engines
 * @param {FoundEngine} order.engine of the windows that follow
 * @param {{ full: typeof measurePeak, atRate: typeof measureUndisturbed }} [windows] replaced in tests
 */
export async function untilCompiled (arm, order, windows = { full: measurePeak, atRate: measureUndisturbed }) {
  const { plan, staged, cores, engines, engine } = order
  const profile = getProfile(plan)
  const most = profile === 'full' && arm.topology.server ? MAX_WINDOWS : 1
  for (let i = 0, used = 0; i < most && used < COMPILED_CPU_SECONDS; i++) {
    const { sample } = await windows.full(arm, {
      staged, cores, engines, seconds: SETTLED[profile].warmSeconds, tag: `compile-${i}`
    })
    used += sample.cpuSeconds?.server ?? 0
  }
  await windows.atRate({
    arm,
    staged,
    engine,
    cores,
    seconds: SECONDS_AT_RATE[profile],
    tag: 'settle'
  })
}

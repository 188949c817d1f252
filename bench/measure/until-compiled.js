/** Loads what has just been started until its code is compiled, so that what comes after is a steady state. Without it
 * Express under Node 26 was compiled in the third of its windows at shares of the peak: that one, and no other, held a
 * pause of 100 to 400 ms (docs/method.md). */
import { measurePeak, SETTLED } from './peak.js'
import { profileOf } from '../plan/plan.js'
import { measureUndisturbed } from './undisturbed.js'

/** @import { FoundEngine } from '../load/shapes.js' @import { Arm, Plan } from '../types.js'
 * @import { RigOptions, StagedArm } from './shapes.js' */

/** CPU time after which Node has compiled what it runs again and again (docs/sizing.md). */
const COMPILED_CPU_SECONDS = 3
const MOST_WINDOWS = 4
/** At its own rate: for another load than the full one the runtime compiles anew (docs/sizing.md). */
const SECONDS_AT_RATE = { full: 5, quick: 2, smoke: 1 }

/** @param {Arm} arm with its rate
 * @param {Pick<RigOptions, 'cores' | 'engines'> & { plan: Pick<Plan, 'quick' | 'smoke'>, staged: StagedArm,
 * engine: FoundEngine }} order engine: what makes the load of the windows to come
 * @param {{ full: typeof measurePeak, atRate: typeof measureUndisturbed }} [windows] others, for tests */
export async function untilCompiled (arm, order, windows = { full: measurePeak, atRate: measureUndisturbed }) {
  const { plan, staged, cores, engines, engine } = order
  const profile = profileOf(plan)
  const most = profile === 'full' && arm.topology.server ? MOST_WINDOWS : 1
  for (let i = 0, used = 0; i < most && used < COMPILED_CPU_SECONDS; i++) {
    const { sample } = await windows.full(arm, {
      staged, cores, engines, seconds: SETTLED[profile].warmSeconds, tag: `compile-${i}`
    })
    used += sample.cpuSeconds?.server ?? 0
  }
  await windows.atRate({
    arm,
    block: 0,
    startedAt: new Date().toISOString(),
    staged,
    engine,
    cores,
    kind: { warm: false, series: false },
    seconds: SECONDS_AT_RATE[profile],
    unit: 'requests',
    tag: 'settle'
  })
}

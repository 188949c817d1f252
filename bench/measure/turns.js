/** Who stands still while another arm has its turn: all of it, or its load alone where stopping all takes too long. */
import { createGang } from './gang.js'
import { createSlicer } from './slicer.js'

/** @import { CrowdedArm, Plan } from '../types.js' @import { LoadedArm } from './shapes.js' */

/** So many take about 5 ms to stop and as long to continue, a fifth of a turn; 4,000 take a whole one, and a control
 * group's freezer no less (docs/method.md). */
export const MOST_PROCESSES = 500

/** @param {Map<string, LoadedArm>} arms @returns {CrowdedArm | null} the first arm with too many processes */
export function crowdedIn (arms) {
  for (const [arm, { staged: { running } }] of arms) {
    const { proxy, server } = running.pids()
    const processes = proxy.length + server.length
    if (processes > MOST_PROCESSES) return { arm, processes }
  }
  return null
}

/** @param {Map<string, LoadedArm>} arms @param {Pick<Plan, 'unit' | 'seed'>} plan @param {CrowdedArm | null} crowded
 * @returns {Omit<ReturnType<typeof createGang>, 'round'> & Pick<import('../types.js').Rig, 'trial' | 'round'>} */
export function turnsOf (arms, plan, crowded) {
  if (crowded) return createSlicer(arms, plan.unit)
  const gang = createGang(arms, plan)
  return { ...gang, trial: async (name, block, how) => (await gang.round([name], block, how))[0] }
}

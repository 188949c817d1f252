/** Arms whose warm-up ended before their steady state (pure). */

/** @import { ArmResult, NotSteady, Sample, UnsteadyArm } from '../types.js' */

/**
 * Summarizes the starts of an arm that ended their warm-up without reaching the steady state.
 *
 * @param {Sample[]} samples that are evaluated
 * @returns {UnsteadyArm | null} with the largest change; null: every start was steady
 */
export function findUnsteady (samples) {
  const unsteady = samples.flatMap(({ unsteady, start = 0 }) => unsteady ? [{ ...unsteady, start }] : [])
  if (unsteady.length === 0) return null
  const { role, change, seconds } = unsteady.reduce((most, other) => getFall(other) > getFall(most) ? other : most)
  return { starts: new Set(unsteady.map(({ start }) => start)).size, role, change, seconds }
}

/** Returns by how much the cost still fell, as a share; 0: unknown. @param {{ change: number | null }} unsteady */
const getFall = ({ change }) => -(change ?? 0)

/**
 * Returns why figures of arms are inconclusive: the arm with the largest change was not steady.
 *
 * @param {readonly (Pick<ArmResult, 'name' | 'unsteady'> | undefined)[]} arms
 * @returns {{ code: 'not-steady', params: NotSteady } | null} null: all arms were steady
 */
export function findNotSteady (arms) {
  const [worst] = arms.flatMap(arm => arm?.unsteady ? [{ arm: arm.name, ...arm.unsteady }] : [])
    .sort((a, b) => getFall(b) - getFall(a))
  if (!worst) return null
  const { arm, role, change, seconds } = worst
  return { code: 'not-steady', params: { arm, role, change, seconds } }
}

/** Arms whose warm-up ended before their steady state (pure). */

/** @import { ArmResult, NotSteady, Sample, UnsteadyArm } from '../types.js' */

/**
 * Leaves out the starts in which an arm was not warm, if it was warm in another one. The others are enough for a
 * verdict, or further ones are measured.
 *
 * @param {Sample[]} samples of any arms
 */
export function selectWarm (samples) {
  const warm = new Set(samples.filter(({ invalid, unsteady }) => !invalid && !unsteady).map(({ arm }) => arm))
  return samples.filter(({ arm, unsteady }) => !unsteady || !warm.has(arm))
}

/**
 * Summarizes the starts of an arm that ended their warm-up without reaching the steady state.
 *
 * @param {Sample[]} samples that are evaluated
 * @returns {UnsteadyArm | null} with the largest change; null: every start was steady
 */
export function findUnsteady (samples) {
  const unsteady = samples.flatMap(({ unsteady, block, start = block }) => unsteady ? [{ ...unsteady, start }] : [])
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

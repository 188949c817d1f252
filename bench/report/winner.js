/** Which arm came out first, and whether intervals bear it out.
 * @import { ArmResult, RunRecord } from '../types.js' */
import { behind } from '../analysis/ahead.js'
import { comparable } from '../analysis/comparable.js'
import { isNumber } from '../shared/format.js'

/** The arm with the highest median rate, of those that were sent the same requests. A median alone decides nothing:
 * `undecided` names the arms that no interval puts behind it. @param {RunRecord} record
 * @returns {{ arm: ArmResult, undecided: string[] } | null} null where no arm was measured */
export function winnerOf ({ arms, contrasts, plan }) {
  const rated = arms.filter(arm => arm.name !== plan.twin?.arm && !arm.invalid && isNumber(arm.rps?.median))
  const ranked = comparable(rated).arms.toSorted((a, b) => (b.rps?.median ?? 0) - (a.rps?.median ?? 0))
  if (ranked.length === 0) return null
  const [arm, ...others] = ranked
  const slower = behind(arm, ranked, contrasts)
  return { arm, undecided: others.map(({ name }) => name).filter(name => !slower.has(name)) }
}

/** Which arm came out first, and whether the contrasts bear it out.
 * @import { ArmResult, Contrast, RunRecord } from '../types.js' */
import { isNumber } from '../plan/format.js'

/** The arm with the highest median rate. A median alone decides nothing: `undecided` names the arms that no contrast,
 * and no chain of contrasts, puts behind it. @param {RunRecord} record
 * @returns {{ arm: ArmResult, undecided: string[] } | null} null where no arm was measured */
export function winnerOf ({ arms, contrasts, plan }) {
  const ranked = arms
    .filter(arm => arm.name !== plan.twin?.arm && !arm.invalid && isNumber(arm.rps?.median))
    .sort((a, b) => (b.rps?.median ?? 0) - (a.rps?.median ?? 0))
  if (ranked.length === 0) return null
  const [arm, ...others] = ranked
  const behind = reachable(arm.name, slowerThan(contrasts))
  return { arm, undecided: others.map(({ name }) => name).filter(name => !behind.has(name)) }
}

/** name → the names that a verdict puts behind it. @param {Contrast[]} contrasts @returns {Map<string, string[]>} */
function slowerThan (contrasts) {
  /** @type {Map<string, string[]>} */
  const edges = new Map()
  for (const { arm, baseline, verdict } of contrasts) {
    const [faster, slower] = verdict === 'faster' ? [arm, baseline] : [baseline, arm]
    if (verdict === 'faster' || verdict === 'slower') edges.set(faster, [...edges.get(faster) ?? [], slower])
  }
  return edges
}

/** @type {(start: string, edges: Map<string, string[]>) => Set<string>} */
function reachable (start, edges) {
  /** @type {Set<string>} */
  const seen = new Set()
  const open = [start]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    for (const next of edges.get(name) ?? []) {
      if (!seen.has(next)) open.push(next)
      seen.add(next)
    }
  }
  return seen
}

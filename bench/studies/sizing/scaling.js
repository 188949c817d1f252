/** What more processes bring, where topologies were typed that differ in nothing else (pure).
 * @import { Scaling, Topology, UslPoint } from '../../types.js' */
import { FARTHEST, fitUsl, predictUsl } from '../../analysis/stats/usl.js'

/** The law has three parameters. */
const FEWEST = 4

/** @param {{ word: string, topology: Topology, capacity: { rate: number, atLeast: boolean } }[]} topologies
 * @returns {Scaling[]} none where no family has four different numbers */
export function scalingOf (topologies) {
  /** @type {Map<string, UslPoint[]>} */
  const families = new Map()
  for (const { word, topology: { server }, capacity } of topologies) {
    // What the generator held back says nothing of how it grows.
    if (!server || typeof server.instances !== 'number' || capacity.atLeast) continue
    const family = server.manager === 'node'
      ? null
      : word.replace(`@${server.manager}:${server.instances}`, `@${server.manager}:N`)
    if (family) families.set(family, [...families.get(family) ?? [], { n: server.instances, x: capacity.rate }])
  }
  return [...families].filter(([, points]) => points.length >= FEWEST).map(([family, points]) => {
    const n = FARTHEST * Math.max(...points.map(point => point.n))
    const found = predictUsl(points, n)
    if ('refused' in found) throw new RangeError(found.refused)
    return { family, points, usl: fitUsl(points), predicted: { n, ...found } }
  })
}

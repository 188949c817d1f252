/**
 * What more processes bring, where topologies were typed that differ in nothing else (pure).
 * @import { Topology } from '../types.js'
 */
import { FARTHEST, fitUsl, predictUsl } from '../stats/usl.js'

/**
 * @typedef {object} Scaling one family of topologies
 * @property {string} family its words, the number of processes left open: "express-json@cluster:N"
 * @property {import('../stats/usl.js').Point[]} points processes, and requests per second at the goal
 * @property {import('../stats/usl.js').Usl} usl
 * @property {{ n: number, x: number, low: number, high: number }} predicted for as many as may be told
 */

/** The law has three parameters. */
const FEWEST = 4

/**
 * @param {{ word: string, topology: Topology, capacity: { rate: number, atLeast: boolean } }[]} topologies
 * @returns {Scaling[]} none where no family has four different numbers
 */
export function scalingOf (topologies) {
  /** @type {Map<string, import('../stats/usl.js').Point[]>} */
  const families = new Map()
  for (const { word, topology: { server }, capacity } of topologies) {
    // What the generator held back says nothing of how it grows.
    if (!server || typeof server.instances !== 'number' || capacity.atLeast) continue
    const family = server.manager === 'node' ? null : word.replace(`@${server.manager}:${server.instances}`, `@${server.manager}:N`)
    if (family) families.set(family, [...families.get(family) ?? [], { n: server.instances, x: capacity.rate }])
  }
  return [...families].filter(([, points]) => points.length >= FEWEST).map(([family, points]) => {
    const n = FARTHEST * Math.max(...points.map(point => point.n))
    const found = predictUsl(points, n)
    if ('refused' in found) throw new RangeError(found.refused)
    return { family, points, usl: fitUsl(points), predicted: { n, ...found } }
  })
}

/** Fits how the capacity of a topology grows with its number of processes (pure). */
import { FARTHEST, fitUsl, predictUsl } from '../../../judge/stats/usl.js'

/** @import { Scaling, SizedTopology } from '../../../types.js' */
/** @import { Measured } from '../types.js' */

/** Different numbers of processes that a fit requires: one more than the law has parameters, so that a fit can fail. */
const MIN_NUMBERS = 4

/**
 * Fits the universal scalability law to each family of topologies that differ in their number of processes only.
 *
 * @param {(Pick<SizedTopology, 'spec' | 'topology' | 'cores'> & { capacity: Pick<SizedTopology['capacity'], 'rate' |
 * 'atLeast'> })[]} topologies
 * @returns {Scaling[]} one for each family of at least four topologies
 */
export function fitScaling (topologies) {
  /** @type {Map<string, { n: number, x: number, cores: number }[]>} */
  const families = new Map()
  for (const { spec, topology, capacity, cores } of topologies) {
    const { server } = topology
    if (!server || typeof server.instances !== 'number' || server.manager === 'node') continue
    // A capacity that the generator limited is a lower bound, so it does not show how capacity grows.
    if (capacity.atLeast) continue
    const family = spec.replace(`@${server.manager}:${server.instances}`, `@${server.manager}:N`)
    families.set(family, [...families.get(family) ?? [], { n: server.instances, x: capacity.rate, cores }])
  }
  return [...families].filter(([, points]) => points.length >= MIN_NUMBERS)
    .map(([family, points]) => fitFamily(family, points))
}

/**
 * @param {string} family
 * @param {{ n: number, x: number, cores: number }[]} points
 * @returns {Scaling}
 */
function fitFamily (family, points) {
  const all = points.map(({ n, x }) => ({ n, x }))
  // Processes beyond the number of cores share cores, so their capacity does not show the effect of further cores.
  const fitted = points.filter(({ n, cores }) => n <= cores).map(({ n, x }) => ({ n, x }))
  if (fitted.length < MIN_NUMBERS) {
    const cores = Math.max(...points.map(point => point.cores))
    const refused = /** @type {const} */ ({ code: 'too-few-cores', params: { cores, needed: MIN_NUMBERS } })
    return { family, points: all, usl: null, predicted: null, refused }
  }
  const farthest = FARTHEST * Math.max(...fitted.map(point => point.n))
  const prediction = predictUsl(fitted, farthest)
  if ('refused' in prediction) throw new RangeError(prediction.refused)
  return { family, points: all, usl: fitUsl(fitted), predicted: { n: farthest, ...prediction }, refused: null }
}

/**
 * Estimates the rate of a number of processes with a core each, from the rates of two numbers of processes. Two points
 * determine the serial share of the law only (Amdahl 1967).
 *
 * @param {Measured} topology
 * @param {number} count of processes
 * @returns {{ rate: number, atLeast: boolean }} atLeast: the rate is a lower bound, because `count` is beyond
 *   the largest extrapolation
 */
export function estimateCapacity ({ capacity, cores, processes = 1, more = [] }, count) {
  const larger = more.find(other => other.processes > processes && other.processes <= cores)
  if (!larger || count <= processes) return { rate: capacity, atLeast: count > Math.min(cores, processes) }
  const ratio = larger.processes / processes
  const speedup = larger.rate / capacity
  const serialShare = Math.max(0, (ratio / speedup - 1) / (ratio - 1))
  const farthest = FARTHEST * larger.processes
  const multiple = Math.min(count, farthest) / processes
  return { rate: capacity * multiple / (1 + serialShare * (multiple - 1)), atLeast: count > farthest }
}

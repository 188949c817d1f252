/** Fits how the capacity of a topology grows with its number of processes (pure). */
import { FARTHEST, fitUsl, predictUsl } from '../../../judge/stats/usl.js'

/** @import { PriceRow, Scaling, SizedTopology } from '../../../types.js' */
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
 * HTTP requests per second of nginx by CPUs, by size of the response ("Testing the performance of nginx web servers",
 * NGINX Inc. 2017).
 * @type {Record<string, Record<number, number>>}
 */
export const PUBLISHED = {
  '0 KB': { 1: 145551, 2: 249293, 4: 543061, 8: 1048421, 16: 2001846 },
  '1 KB': { 1: 74091, 2: 131466, 4: 261269, 8: 524745, 16: 972382 },
  '10 KB': { 1: 54684, 2: 102069, 4: 207848, 8: 392151, 16: 663921 }
}
const LAWS = Object.values(PUBLISHED).map(table =>
  ({ one: table[1], ...fitUsl(Object.entries(table).map(([n, x]) => ({ n: Number(n), x }))) }))
/** Most processes of an estimate by the law. */
const FARTHEST_BY_LAW = FARTHEST * 16
/** Lowest share of a core that a vCPU is, where two of them are threads of one core: the integer score of Geekbench 6
 * of two threads was 1.13 to 1.27 times that of one on eight such instances (docs/sizing-method.md). */
const LEAST_OF_THREAD = 1.13 / 2

/**
 * Returns the capacities of a number of processes with a vCPU each, as multiples of the capacity of one, by the laws of
 * the published tables.
 *
 * @param {number} count of processes, 1 or more
 * @returns {{ rate: number, low: number, high: number }} low: by the lowest law, with two vCPUs on each core; high:
 *   with a core each; rate: their geometric mean, because few providers publish which of the two a vCPU is
 */
function scaleByLaw (count) {
  const n = Math.min(count, FARTHEST_BY_LAW)
  if (n <= 1) return { rate: 1, low: 1, high: 1 }
  const multiples = LAWS.map(({ one, lambda, sigma, kappa }) =>
    lambda / one * n / (1 + sigma * (n - 1) + kappa * n * (n - 1)))
  const [low, high] = [LEAST_OF_THREAD * Math.min(...multiples), Math.max(...multiples)]
  return { rate: Math.sqrt(low * high), low, high }
}

/**
 * Estimates the capacity of a number of processes with a vCPU each: from a measured capacity of more processes, by the
 * serial share (Amdahl 1967), because two points determine no more; else by the laws of published tables.
 *
 * @param {Measured} topology
 * @param {number} count of processes
 * @returns {{ rate: number, low: number, high: number, by: PriceRow['scaling'] | null, atLeast: boolean }} low, high:
 *   range, without that of the search; by: null: the capacity was measured; atLeast: `count` is beyond the largest
 *   extrapolation
 */
export function estimateCapacity ({ capacity, cores, processes = 1, more = [] }, count) {
  if (count <= processes) return { rate: capacity, low: capacity, high: capacity, by: null, atLeast: false }
  const larger = more.find(other => other.processes > processes && other.processes <= cores)
  if (!larger) {
    const [own, wanted] = [scaleByLaw(processes), scaleByLaw(count)]
    const toRate = (/** @type {number} */ multiple) => capacity * Math.max(1, multiple / own.rate)
    const atLeast = count > FARTHEST_BY_LAW
    return { rate: toRate(wanted.rate), low: toRate(wanted.low), high: toRate(wanted.high), by: 'law', atLeast }
  }
  const ratio = larger.processes / processes
  const farthest = FARTHEST * larger.processes
  const multiple = Math.min(count, farthest) / processes
  const toRate = (/** @type {number} */ measured) => {
    const serialShare = Math.min(1, Math.max(0, (ratio * capacity / measured - 1) / (ratio - 1)))
    return capacity * multiple / (1 + serialShare * (multiple - 1))
  }
  const { rate, low = rate, high = rate } = larger
  return { rate: toRate(rate), low: toRate(low), high: toRate(high), by: 'measured', atLeast: count > farthest }
}

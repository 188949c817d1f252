/** What more processes bring (pure): where topologies were typed that differ in nothing else, and where two of them
 * were measured beside one. @import { Scaling, Topology, UslPoint } from '../../types.js'
 * @import { Measured } from './types.js' */
import { FARTHEST, fitUsl, predictUsl } from '../../analysis/stats/usl.js'

/** The law has three parameters. */
const FEWEST = 4

/** @typedef {{ word: string, topology: Topology, cores: number, capacity: { rate: number, atLeast: boolean } }} Sized
 */

/** @param {Sized[]} topologies @returns {Scaling[]} one for each family with four different numbers */
export function scalingOf (topologies) {
  /** @type {Map<string, (UslPoint & { cores: number })[]>} */
  const families = new Map()
  for (const { word, topology: { server }, capacity, cores } of topologies) {
    // What the generator held back says nothing of how it grows.
    if (!server || typeof server.instances !== 'number' || capacity.atLeast) continue
    const family = server.manager === 'node'
      ? null
      : word.replace(`@${server.manager}:${server.instances}`, `@${server.manager}:N`)
    const point = { n: server.instances, x: capacity.rate, cores }
    if (family) families.set(family, [...families.get(family) ?? [], point])
  }
  return [...families].filter(([, points]) => points.length >= FEWEST).map(([family, points]) => scaled(family, points))
}

/** @param {string} family @param {(UslPoint & { cores: number })[]} points @returns {Scaling} */
function scaled (family, points) {
  const plain = points.map(({ n, x }) => ({ n, x }))
  // More processes than cores take turns: what they do says how they take turns, and nothing of more cores.
  const measured = points.filter(({ n, cores }) => n <= cores).map(({ n, x }) => ({ n, x }))
  if (measured.length < FEWEST) {
    const cores = Math.max(...points.map(point => point.cores))
    const refused = `${cores} of the machine's cores served, and the law needs ${FEWEST} different numbers of ` +
      'processes with a core for each'
    return { family, points: plain, usl: null, predicted: null, refused }
  }
  const n = FARTHEST * Math.max(...measured.map(point => point.n))
  const found = predictUsl(measured, n)
  if ('refused' in found) throw new RangeError(found.refused)
  return { family, points: plain, usl: fitUsl(measured), predicted: { n, ...found }, refused: null }
}

/** What so many processes serve at the goal on as many cores, by what one and two of them did: with two points the law
 * has its serial share only (Amdahl 1967). @param {Measured} topology @param {number} processesOfPlan
 * @returns {{ rate: number, atLeast: boolean }} atLeast: for so many there is no estimate, and this many serve that */
export function capacityOf ({ capacity, cores, processes = 1, more = [] }, processesOfPlan) {
  const two = more.find(other => other.processes > processes && other.processes <= cores)
  if (!two || processesOfPlan <= processes) {
    return { rate: capacity, atLeast: processesOfPlan > Math.min(cores, processes) }
  }
  const [by, times] = [two.processes / processes, two.rate / capacity]
  const serial = Math.max(0, (by / times - 1) / (by - 1))
  const n = Math.min(processesOfPlan, FARTHEST * two.processes) / processes
  return { rate: capacity * n / (1 + serial * (n - 1)), atLeast: processesOfPlan > FARTHEST * two.processes }
}

/** Arms of a run whose rates can be compared, because they were sent the same requests (pure). */
import { sumOf } from './arm-result.js'
import { ROLES, toRecord } from '../shared/group-by.js'

/** @import { ArmResult } from '../types.js' */

/**
 * Selects the arms with the most frequent load. If all of their topologies also have further loads, such as files of
 * several sizes, each topology becomes one arm with an equal share of requests for each load.
 *
 * @param {ArmResult[]} arms with a rate
 * @returns {{ arms: ArmResult[], loads: number }}
 */
export function comparable (arms) {
  /** @type {Map<string, ArmResult[]>} */
  const byLoad = new Map()
  for (const arm of arms) byLoad.set(getRequests(arm), [...byLoad.get(getRequests(arm)) ?? [], arm])
  const groups = [...byLoad.values()]
  const [largest] = groups.toSorted((a, b) => b.length - a.length)
  if (!largest) return { arms: [], loads: 0 }
  const words = [...new Set(largest.map(({ spec }) => spec))]
  const complete = groups.filter(group => words.every(spec => group.some(arm => arm.spec === spec)))
  if (complete.length === 1) return { arms: largest, loads: 1 }
  const combined = words.map(spec => {
    const ofSpec = complete.flatMap(group => group.find(arm => arm.spec === spec) ?? [])
    return combine(spec, ofSpec)
  })
  return { loads: complete.length, arms: combined }
}

/** Returns what is requested, without the number of connections. @param {ArmResult} arm */
const getRequests = ({ load: { path, paths, requests, sequence, headers } }) =>
  JSON.stringify([path, paths, requests, sequence, headers])

/**
 * Combines arms with equal shares of requests. Their times per request add up, so the rate is the harmonic mean.
 *
 * @param {string} name
 * @param {ArmResult[]} arms one for each load
 * @returns {ArmResult}
 */
function combine (name, arms) {
  const cpus = arms.flatMap(({ cpuMicrosPerRequest: cpu }) => cpu ?? [])
  return {
    ...arms[0],
    name,
    rps: toRecord(['median', 'low', 'high'], key => arms.length / sumOf(arms, ({ rps }) => 1 / (rps?.[key] ?? 0))),
    cpuMicrosPerRequest: cpus.length > 0 ? toRecord(ROLES, role => sumOf(cpus, cpu => cpu[role]) / cpus.length) : null
  }
}

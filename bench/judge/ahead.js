/**
 * Arms of a run whose rates can be compared, because they were sent the same requests, and their order by intervals,
 * never by medians (pure).
 */
import { sumOf } from './arm-result.js'
import { getKnownInterval } from './verdict.js'
import { isNumber } from '../shared/format.js'
import { ROLES, groupBy, toRecord } from '../shared/group-by.js'

/** @import { ArmResult, Contrast, RunRecord } from '../types.js' */

/** Lists the arms with a rate, without the twin. @param {Pick<RunRecord, 'arms' | 'plan'>} record */
export const listRated = ({ arms, plan }) =>
  arms.filter(({ name, invalid, rps }) => name !== plan.twin?.arm && !invalid && isNumber(rps?.median))

/**
 * Selects the arms with the most frequent load. If all of their topologies also have further loads, such as files of
 * several sizes, each topology becomes one arm with an equal share of requests for each load.
 *
 * @param {ArmResult[]} arms with a rate
 * @returns {{ arms: ArmResult[], loads: number }}
 */
export function comparable (arms) {
  const groups = [...groupBy(arms, getRequests).values()]
  const [largest] = groups.toSorted((a, b) => b.length - a.length)
  if (!largest) return { arms: [], loads: 0 }
  const words = [...new Set(largest.map(({ spec }) => spec))]
  const complete = groups.filter(group => words.every(spec => group.some(arm => arm.spec === spec)))
  if (complete.length === 1) return { arms: largest, loads: 1 }
  const combined = words.map(spec =>
    combine(spec, complete.flatMap(group => group.find(arm => arm.spec === spec) ?? [])))
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

/**
 * Finds the arms that are shown to be slower than an arm: by a listed contrast, by two contrasts with the same third
 * arm whose intervals do not overlap, or by a chain of these. If no contrast connects two arms, the intervals of their
 * rates must not overlap.
 *
 * @param {Pick<ArmResult, 'name' | 'rps'>} arm
 * @param {Pick<ArmResult, 'name' | 'rps'>[]} arms
 * @param {Contrast[]} contrasts
 * @returns {Set<string>} their names
 */
export function findSlower (arm, arms, contrasts) {
  /** @type {Set<string>} */
  const slower = new Set()
  const queue = [arm]
  for (let next = queue.pop(); next; next = queue.pop()) {
    for (const other of arms) {
      if (other === arm || slower.has(other.name) || !isFaster(next, other, contrasts)) continue
      slower.add(other.name)
      queue.push(other)
    }
  }
  return slower
}

/**
 * @param {Pick<ArmResult, 'name' | 'rps'>} a
 * @param {Pick<ArmResult, 'name' | 'rps'>} b
 * @param {Contrast[]} contrasts
 */
function isFaster (a, b, contrasts) {
  const [ofA, ofB] = [getRatios(a.name, contrasts), getRatios(b.name, contrasts)]
  const direct = ofA.get(b.name)
  if (direct) return direct.verdict === 'faster'
  const shared = [...ofA.keys()].filter(name => ofB.has(name))
  if (shared.length === 0) return (a.rps?.low ?? 0) > (b.rps?.high ?? Infinity)
  return shared.some(name => (ofA.get(name)?.low ?? 0) > (ofB.get(name)?.high ?? Infinity))
}

/** @type {Record<string, string>} */
const INVERTED = { faster: 'slower', slower: 'faster' }

/**
 * Returns the ratio of an arm to each arm that a valid contrast compares it with. An end of an interval that is unknown
 * or no bound is open.
 *
 * @param {string} name
 * @param {Contrast[]} contrasts
 * @returns {Map<string, { verdict: string, low: number, high: number }>}
 */
function getRatios (name, contrasts) {
  /** @type {ReturnType<typeof getRatios>} */
  const ratios = new Map()
  for (const contrast of contrasts) {
    const { arm, baseline, verdict } = contrast
    if (verdict === 'invalid') continue
    const { low, high } = getKnownInterval(contrast)
    if (arm === name) ratios.set(baseline, { verdict, low, high })
    if (baseline === name) ratios.set(arm, { verdict: INVERTED[verdict] ?? verdict, low: 1 / high, high: 1 / low })
  }
  return ratios
}

/** Order of the arms of a run by intervals, never by medians (pure). */
import { getKnownInterval } from './verdict.js'

/** @import { ArmResult, Contrast } from '../types.js' */

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

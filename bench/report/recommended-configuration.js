/** Which proxy configuration a run speaks for, in a sentence (pure). @import { RunRecord } from '../types.js' */
import { listing } from '../shared/format.js'
import { resultOf } from '../plan/plan.js'
import { hasUsers } from './tables/users.js'
import { winnerOf } from './winner.js'

/** @param {RunRecord} record
 * @returns {{ sentence: string, word: string | null } | null} word: the topology to render, null: no proxy is in front;
 * null: the run is about something else */
export function recommendedConfiguration (record) {
  // Arms that are equal on purpose have no winner.
  const found = resultOf(record.plan) === 'latency' || hasUsers(record) || record.selftest ? null : winnerOf(record)
  if (!found) return null
  const { arm, undecided } = found
  const recommended = record.arms.find(({ name, topology }) => topology.proxy && record.recommended?.includes(name))
  const sentence = undecided.length === 0
    ? `The fastest is ${arm.name}.`
    : `The highest rate was measured for ${arm.name}, but no verdict separates it from ${listing(undecided)}.`
  const inFront = recommended ?? (arm.topology.proxy
    ? arm
    : winnerOf({ ...record, arms: record.arms.filter(({ topology }) => topology.proxy) })?.arm)
  if (!inFront?.topology.proxy) {
    return { sentence: `${sentence} It has no proxy in front, so there is nothing to configure.`, word: null }
  }
  const which = inFront === arm
    ? 'Its'
    : inFront === recommended
      ? `Recommended: ${inFront.name}. Its`
      : `It has no proxy in front; with one the highest rate was measured for ${inFront.name}. Its`
  return { sentence: `${sentence} ${which} ${inFront.topology.proxy.name} configuration:`, word: inFront.word }
}

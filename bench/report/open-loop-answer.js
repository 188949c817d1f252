/** The response times at the offered rate of --rate in one sentence (pure). */
import { count, listing, micros } from '../shared/format.js'
import { isOfApp } from './latencies.js'
import { getKnownPercentile, toShown } from './tables/open-loop.js'
import { compact } from './wrap.js'

/** @import { OpenLoop } from '../types.js' */

const MOST_NAMED = 3 // A longer list of arms hides the answer.

/**
 * Returns the highest percentile that all measured arms have, and the arms that cannot sustain the rate.
 * @param {OpenLoop} openLoop
 * @returns {string | null} null: no arm was measured at the rate
 */
export function openLoopAnswer ({ rate, arms }) {
  const measured = arms.map(toShown).filter(({ latencyMs }) => latencyMs)
  const key = (/** @type {const} */ (['p99', 'p90', 'p50']))
    .find(key => measured.every(arm => getKnownPercentile(arm, key) !== undefined))
  const overloaded = arms.filter(({ sustained }) => sustained === false).map(({ name }) => name)
  const times = key ? measured.map(arm => ({ name: arm.name, time: getKnownPercentile(arm, key) ?? NaN })) : []
  const ofWhat = isOfApp(arms) ? ' of the app' : ''
  const clauses = compact([
    times.length > 0 && `the ${key} of response time${ofWhat} is ${listTimes(times)}`,
    overloaded.length > 0 && `the queue of ${listing(overloaded)} grows`
  ])
  return clauses.length === 0 ? null : `At ${count(rate)} req/s ${clauses.join('; ')}.`
}

/** @param {{ name: string, time: number }[]} times in ms */
function listTimes (times) {
  const print = (/** @type {{ name: string, time: number }} */ { name, time }) => `${micros(time)} ms with ${name}`
  if (times.length <= MOST_NAMED) return listing(times.map(print))
  const sorted = times.toSorted((a, b) => a.time - b.time)
  return `from ${print(sorted[0])} to ${print(sorted[sorted.length - 1])}`
}

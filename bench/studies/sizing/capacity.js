/** The highest rate at which a goal holds: bracketed, bisected, and found again several times for an interval (pure,
 * but for the trials that are passed in). */
import { median, medianInterval } from '../../analysis/stats/quantile.js'

/** @import { Capacity, Outcome } from './types.js' */

const RESOLUTION = 1.04 // Each search is over when its bracket is this narrow: what is beyond it is noise of a trial.
/** The first steps are large: two or three of them reach the rate from wherever the pilot thought it was. */
const BRACKET = { up: 1.25, down: 0.65 }
const AGAIN = 1.12 // Later searches begin this far on either side of the first result.
/** So many results have a 95 % interval, that of the median: the smallest and the largest. */
const SEARCHES = { full: 6, quick: 3 }
/** A search that has not ended by then is not going to: the goal holds at one time, and not at the next. */
const MOST_TRIALS = 14
const LEAST_SHARE = 0.02 // Where nothing more than this share of the pilot's peak meets the goal, nothing does.

/** @param {object} order @param {(rate: number) => Promise<Outcome>} order.trial
 * @param {number} order.peak what the topology does in a closed loop, or any guess above 0: where to begin
 * @param {boolean} [order.quick] three searches in place of six
 * @param {() => boolean} [order.enough] asked before each further search: time is over
 * @param {(soFar: Capacity) => void} [order.first] gets what the first search has found
 * @returns {Promise<Capacity>} */
export async function searchCapacity ({ trial, peak, quick = false, enough = () => false, first: report }) {
  /** @type {Outcome[]} */
  const trials = []
  const at = async (/** @type {number} */ rate) => {
    const outcome = await trial(rate)
    trials.push(outcome)
    return outcome
  }
  const first = await search(at, { start: 0.75 * peak, least: LEAST_SHARE * peak, ...BRACKET })
  const found = [first]
  if (first.rate > 0) report?.(resultOf(found, trials))
  while (first.rate > 0 && found.length < SEARCHES[quick ? 'quick' : 'full'] && !enough()) {
    const middle = median(found.map(({ rate }) => rate))
    // From below and from above in turn: a server that is slow to recover would pull all of them to one side.
    const start = found.length % 2 ? middle / AGAIN : middle * AGAIN
    found.push(await search(at, { start, least: LEAST_SHARE * peak, up: AGAIN, down: 1 / AGAIN }))
  }
  return resultOf(found, trials)
}

/** @param {{ rate: number, generator: boolean }[]} found by each search @param {Outcome[]} trials
 * @returns {Capacity} */
function resultOf (found, trials) {
  const searches = found.map(({ rate }) => rate)
  const { low, high } = medianInterval(searches, 0.95) ?? { low: Math.min(...searches), high: Math.max(...searches) }
  return {
    rate: median(searches),
    low,
    high,
    searches,
    atLeast: found.filter(({ generator }) => generator).length > found.length / 2,
    trials
  }
}

/** @param {(rate: number) => Promise<Outcome>} at
 * @param {{ start: number, least: number, up: number, down: number }} from
 * @returns {Promise<{ rate: number, generator: boolean }>} generator: what lies above was beyond the generator */
async function search (at, { start, least, up, down }) {
  let [below, above] = [0, Infinity]
  let generator = false
  for (let rate = start, trials = 0; trials < MOST_TRIALS; trials++) {
    const outcome = await at(rate)
    if (outcome.holds) below = rate
    else {
      above = rate
      generator = outcome.generator
    }
    if (above <= least) return { rate: 0, generator: false }
    if (below > 0 && above / below <= RESOLUTION) break
    // Steps until there is a bracket, then the middle of it, by ratio.
    rate = above === Infinity ? below * up : below === 0 ? above * down : Math.sqrt(below * above)
  }
  if (above === Infinity) return { rate: below, generator: false }
  return { rate: below === 0 ? 0 : Math.sqrt(below * above), generator }
}

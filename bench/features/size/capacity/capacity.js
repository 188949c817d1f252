/** Finds the highest rate at which a goal holds. Bisection is repeated several times for an interval (pure, except for
 * the trials passed in). */
import { median, medianInterval } from '../../../judge/stats/quantile.js'
import { HopbenchError } from '../../../errors.js'
import { errorsOf } from '../../../shared/trial.js'
import { isBehind, isLagging } from './cost.js'

/** @import { Sample, SizedTopology, SizingWhy } from '../../../types.js' */
/** @import { Outcome } from '../types.js' */

/** Ratio of a bracket's ends at which a search ends. Narrower brackets resolve only the noise of a trial. */
const RESOLUTION = 1.04
/** Share of the peak at which the first search starts. */
export const START_SHARE = 0.75
/** Factors of the first search. They are large, so that two or three steps reach the capacity from any start. */
export const BRACKET = { up: 1.25, down: 0.65 }
/** Factor by which later searches start above or below the median so far. */
export const NEARBY = 1.12
/** Searches of a run. Six results have a 95 % interval of their median: the smallest and the largest. */
const SEARCHES = { full: 6, quick: 3 }
/** Number of searches of which the median ignores one that was disturbed. */
const ENOUGH_TO_IGNORE_ONE = 3
/** Trials after which a search is given up, because the goal holds and fails at the same rate. */
export const MAX_TRIALS = 14
/** A goal that fails at this share of the peak is taken to fail at all rates. */
const MIN_SHARE = 0.02

/**
 * Searches the capacity several times.
 *
 * @param {object} order
 * @param {(rate: number) => Promise<Outcome>} order.trial
 * @param {number} order.peak rate in a closed loop, or any guess above 0, from which the search starts
 * @param {boolean} [order.quick] three searches in place of six
 * @param {(searches: number[]) => boolean} [order.isEnough] called with the rates so far before each further search
 * @param {(soFar: SizedTopology['capacity'] & { trials: Outcome[] }) => void} [order.onFirst] called with the result of
 * the first search
 * @returns {Promise<SizedTopology['capacity'] & { trials: Outcome[] }>} rate 0: the goal fails at all rates
 */
export async function searchCapacity ({ trial, peak, quick = false, isEnough = () => false, onFirst = () => {} }) {
  /** @type {Outcome[]} */
  const trials = []
  const recordedTrial = async (/** @type {number} */ rate) => {
    const outcome = await trial(rate)
    trials.push(outcome)
    return outcome
  }
  const least = MIN_SHARE * peak
  const first = await search(recordedTrial, { start: START_SHARE * peak, least, ...BRACKET })
  const found = [first]
  if (first.rate > 0) onFirst(summarize(found, trials))
  while (first.rate > 0 && found.length < SEARCHES[quick ? 'quick' : 'full'] && !isEnough(listRates(found))) {
    const middle = median(listRates(found))
    // Starts below and above in turn, because a server that recovers slowly biases a search towards its start.
    const start = found.length % 2 ? middle / NEARBY : middle * NEARBY
    found.push(await search(recordedTrial, { start, least, up: NEARBY, down: 1 / NEARBY }))
  }
  return summarize(found, trials)
}

/**
 * Returns whether one more search is worth its time: two that differ by more than NEARBY do not show which one was
 * disturbed.
 *
 * @param {number[]} searches rates
 */
export const isDisputed = searches =>
  searches.length < ENOUGH_TO_IGNORE_ONE && Math.max(...searches) > NEARBY * Math.min(...searches)

/** @param {{ rate: number }[]} found by each search */
const listRates = found => found.map(({ rate }) => rate)

/**
 * @param {{ rate: number, isGeneratorLimited: boolean }[]} found by each search
 * @param {Outcome[]} trials
 */
function summarize (found, trials) {
  const searches = listRates(found)
  const { low, high } = medianInterval(searches, 0.95) ?? { low: Math.min(...searches), high: Math.max(...searches) }
  const limited = found.filter(({ isGeneratorLimited }) => isGeneratorLimited)
  return { rate: median(searches), low, high, searches, atLeast: limited.length > found.length / 2, trials }
}

/**
 * Brackets the capacity by steps, then bisects the bracket.
 *
 * @param {(rate: number) => Promise<Outcome>} trial
 * @param {{ start: number, least: number, up: number, down: number }} steps least: rate below which the search ends; up
 * and down: factors
 * @returns {Promise<{ rate: number, isGeneratorLimited: boolean }>}
 */
async function search (trial, { start, least, up, down }) {
  let below = 0
  let above = Infinity
  let isGeneratorLimited = false
  let rate = start
  for (let trials = 0; trials < MAX_TRIALS; trials++) {
    const outcome = await trial(rate)
    if (outcome.holds) below = rate
    else {
      above = rate
      isGeneratorLimited = outcome.isGeneratorLimited
    }
    if (above <= least) return { rate: 0, isGeneratorLimited: false }
    if (below > 0 && above / below <= RESOLUTION) break
    if (above === Infinity) rate = below * up
    else if (below === 0) rate = above * down
    else rate = Math.sqrt(below * above)
  }
  if (above === Infinity) return { rate: below, isGeneratorLimited: false }
  return { rate: below === 0 ? 0 : Math.sqrt(below * above), isGeneratorLimited }
}

/**
 * Judges whether the goal holds in a trial.
 *
 * @param {Sample} sample
 * @param {{ rate: number, p99Ms: number }} goal
 * @returns {Outcome}
 */
export function judgeTrial (sample, { rate, p99Ms }) {
  const why = explainFailure(sample, p99Ms)
  // Blames the generator only if p99 minus send lag meets the goal.
  const p99WithoutLag = (sample.latencyMs?.p99 ?? Infinity) - (sample.lagMs?.p99 ?? 0)
  const isLate = why !== null && (isBehind(sample) || isLagging(sample)) && errorsOf(sample.errors) === 0
  return { rate, holds: why === null, why, isGeneratorLimited: isLate && p99WithoutLag <= p99Ms, sample }
}

/**
 * Returns trials as a record stores them.
 *
 * @param {Outcome[]} outcomes
 * @returns {SizedTopology['trials']}
 */
export const toTrials = outcomes => outcomes.map(({ rate, holds, why, sample: { latencyMs, lagMs } }) =>
  ({ rate, holds, p99Ms: latencyMs?.p99 ?? null, lagMs: lagMs?.p99 ?? null, why }))

/**
 * Returns the error of a search that failed at all rates because of the load generator.
 *
 * @param {Outcome} last trial at the lowest rate
 * @param {{ name: string, p99Ms: number }} order name: of the topology or URL
 */
export const generatorLate = ({ rate, sample: { lagMs } }, { name, p99Ms }) =>
  new HopbenchError('generator-late', { name, p99Ms, rate, lagMs: lagMs?.p99 ?? null })

/**
 * @param {Sample} sample
 * @param {number} p99Ms the goal
 * @returns {SizingWhy | null} null: the goal holds
 */
function explainFailure (sample, p99Ms) {
  const { requests, errors, latencyMs, invalid } = sample
  const failed = errorsOf(errors)
  if (failed > 0) return { code: 'requests-failed', params: { failed, requests: requests + failed } }
  if (invalid && !isBehind(sample)) return { code: 'trial-invalid', params: { reason: invalid } }
  // The latency contains the generator's own delay, so a goal that holds with the delay also holds without it.
  if (latencyMs && latencyMs.p99 <= p99Ms) return null
  return { code: 'too-slow', params: { p99Ms: latencyMs?.p99 ?? null, ...invalid && { reason: invalid } } }
}

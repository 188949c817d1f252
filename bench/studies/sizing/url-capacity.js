/** Searches the capacity of a deployed instance by an open loop, within a permitted rate, number of requests and time.
 * Everything with a side effect is an argument. */
import { HopbenchError, isHopbenchError } from '../../errors.js'
import { printSizingWhy } from '../../report/facts/sizing-texts.js'
import { judgeTrial, MOST_TRIALS, searchCapacity } from './capacity.js'
import { lowerToConfidence } from './confidence.js'
import { measureCurve, MOST_REPEATS } from './curve.js'
import { SHARES } from './size-topology.js'

/** @import { Deployed, Sample } from '../../types.js' */
/** @import { Outcome } from './types.js' */

/** Shortest window, in seconds: of a trial of the search, and of a point of the curve. */
const SECONDS = { trial: { full: 3, quick: 1.5 }, curve: { full: 2, quick: 1.5 } }
/** Length of a window in goals, at least. At a rate above the capacity the queue grows until the end of the window, and
 * the goal holds until the queue is as long. A capacity of 40 was found to be 62 with 1.7 goals. */
const GOALS = { full: 20, quick: 10 }
/** Time that a window takes besides, in seconds: the generator starts, and the last responses arrive. */
const BESIDE_SECONDS = 1.5
/** Share of the permitted rate at which the search starts. The rate then rises by a quarter in each trial, so that an
 * instance is not loaded at once with a rate far above its capacity. */
const START = 0.1
/** Share of its peak at which a search starts (capacity.js). */
const START_OF_PEAK = 0.75
/** Smallest share of the capacity on the curve. CPU time, for which there are smaller ones, is not measured. */
const LEAST_SHARE = 0.1
/** Requests before the first window: the check of the address, and the responses that are compared. */
export const REQUESTS_TO_CHECK = 9

/** @typedef {{ mostRps: number, mostRequests: number, seconds: number }} Caps seconds: of the whole measurement */
/** @typedef {{ requests: number, seconds: number }} Amount */
/** @typedef {{ p99Ms: number, quick: boolean }} Order */

/**
 * Returns the shares of the capacity at which the latency is measured.
 *
 * @param {boolean} quick
 */
export const getShares = quick => SHARES[quick ? 'quick' : 'full'].filter(share => share >= LEAST_SHARE)

/**
 * Returns the lengths of the windows, in seconds.
 *
 * @param {Order} order
 */
function getSeconds ({ p99Ms, quick }) {
  const mode = quick ? 'quick' : 'full'
  const least = GOALS[mode] * p99Ms / 1000
  return { trial: Math.max(SECONDS.trial[mode], least), curve: Math.max(SECONDS.curve[mode], least) }
}

/**
 * Returns the limit of requests of a window. The number of random arrivals varies by the square root of its mean, so
 * the limit cuts off one window in millions.
 *
 * @param {number} rate
 * @param {number} seconds
 */
export const limitOfWindow = (rate, seconds) => Math.ceil(rate * seconds + 5 * Math.sqrt(rate * seconds) + 5)

/**
 * Returns the largest amount of load of one search, and of the curve.
 *
 * @param {number} mostRps
 * @param {Order} order
 * @returns {{ search: Amount, curve: Amount }}
 */
function getLargest (mostRps, order) {
  const { trial, curve } = getSeconds(order)
  const ofWindows = (/** @type {number} */ windows, /** @type {number} */ seconds) => ({
    requests: windows * limitOfWindow(mostRps, seconds), seconds: windows * (seconds + BESIDE_SECONDS)
  })
  return {
    search: ofWindows(MOST_TRIALS, trial),
    curve: ofWindows(getShares(order.quick).length + MOST_REPEATS, curve)
  }
}

/**
 * Returns the load that must be permitted at least: that of one search and of the curve.
 *
 * @param {number} mostRps
 * @param {Order} order
 * @returns {Amount}
 */
export function getLeast (mostRps, order) {
  const { search, curve } = getLargest(mostRps, order)
  return { requests: REQUESTS_TO_CHECK + search.requests + curve.requests, seconds: search.seconds + curve.seconds }
}

/**
 * Searches the capacity, then measures the curve. No search begins that could exceed what is permitted.
 *
 * @param {object} rig
 * @param {(order: { rate: number, seconds: number, seed: number }) => Promise<Sample>} rig.paced measures a window
 * @param {(order: { rate: number, seconds: number }) => boolean} rig.fits whether a window is still permitted
 * @param {() => number} rig.sent requests so far
 * @param {() => number} rig.elapsed seconds so far
 * @param {object} order
 * @param {string} order.name of the URL, for messages
 * @param {number} order.p99Ms the goal
 * @param {Caps} order.caps
 * @param {number} order.confidence share of the windows that hold the goal at the capacity
 * @param {boolean} order.quick
 * @param {number} order.seed
 * @param {(text: string) => void} order.note
 * @param {() => boolean} order.interrupted
 * @returns {Promise<Pick<Deployed, 'capacity' | 'trials' | 'curve'> & {
 *   samples: { share: number, sample: Sample }[] }>} samples: those of the curve
 * @throws {HopbenchError} goal-out-of-reach, load-cap
 */
export async function measureUrl (rig, order) {
  const { name, p99Ms, caps, quick, note, interrupted } = order
  const seconds = getSeconds(order)
  const largest = getLargest(caps.mostRps, order)
  let windows = 0
  const paced = (/** @type {number} */ rate, /** @type {number} */ length) =>
    rig.paced({ rate, seconds: length, seed: (order.seed + ++windows) % 2 ** 32 })
  /** @type {Outcome[]} */
  const sentTrials = []
  const trial = async (/** @type {number} */ rate) => {
    const last = sentTrials.at(-1)
    // Above the permitted rate nothing is sent. The capacity is then a lower bound.
    if (rate > caps.mostRps && last) return { ...last, rate, holds: false, isGeneratorLimited: true }
    note(`${name}: ${Math.round(rate)} requests a second, ${rig.sent()} of at most ${caps.mostRequests} sent`)
    const outcome = judgeTrial(await paced(rate, seconds.trial), { rate, p99Ms })
    sentTrials.push(outcome)
    return outcome
  }
  /** @type {{ first: Deployed['capacity'] | null }} */
  const earlier = { first: null }
  const found = await searchCapacity({
    trial,
    peak: START * caps.mostRps / START_OF_PEAK,
    quick,
    isEnough: () => interrupted() ||
      rig.sent() + largest.search.requests + largest.curve.requests > caps.mostRequests ||
      rig.elapsed() + largest.search.seconds + largest.curve.seconds > caps.seconds,
    onFirst: ({ trials, ...capacity }) => { earlier.first = capacity }
  }).catch(error => {
    // A later search was interrupted, or took longer than expected.
    if (earlier.first && isHopbenchError(error, 'load-cap')) return earlier.first
    throw error
  })
  if (found.rate === 0) {
    const why = printSizingWhy(sentTrials.at(-1)?.why) ?? 'no trial was made'
    throw new HopbenchError('goal-out-of-reach', { name, p99Ms, why, floorMs: findFastest(sentTrials) })
  }
  const [rate, low, high] = [found.rate, found.low, found.high].map(value => Math.min(value, caps.mostRps))
  const { searches, atLeast } = found
  const capacity = lowerToConfidence({ rate, low, high, searches, atLeast }, sentTrials, order.confidence)
  const { points, samples } = await measureCurve({
    shares: getShares(quick),
    capacity: capacity.rate,
    trial: (rate, share) => {
      note(`${name}: latency at ${Math.round(share * 100)} % of its capacity`)
      return paced(rate, seconds.curve)
    },
    interrupted: () => interrupted() || !rig.fits({ rate: capacity.rate, seconds: seconds.curve })
  })
  return {
    capacity,
    trials: sentTrials.map(({ rate, holds, why, sample: { latencyMs, lagMs } }) =>
      ({ rate, holds, p99Ms: latencyMs?.p99 ?? null, lagMs: lagMs?.p99 ?? null, why })),
    curve: points.map(({ share, rate, latencyMs, invalid }) => ({
      share, rate, p50Ms: invalid ? null : latencyMs?.p50 ?? null, p99Ms: invalid ? null : latencyMs?.p99 ?? null
    })),
    samples
  }
}

/** Returns the shortest p99 of all trials, in ms. @param {Outcome[]} trials */
const findFastest = trials => Math.min(...trials.map(({ sample }) => sample.latencyMs?.p99 ?? Infinity))

/** Estimates capacity under a CPU quota from the CPU time per request measured at several rates (pure). */
import { computeSquares } from '../../../judge/drift.js'
import { sum } from '../../../shared/group-by.js'
import { LAG_LIMIT_SHARE } from '../../../shared/thresholds.js'
import { randomFrom } from '../../../shared/random.js'
import { PERIOD_SECONDS } from './bursts.js'

/** @import { ByRole, CurvePoint, Sample } from '../../../types.js' */
/** @import { Uneven, Usage } from '../types.js' */

/** The cost of a request beyond all measured rates is the mean cost from this share of the highest rate on. */
const TOP_SHARE = 0.8

/**
 * Returns whether a trial is invalid only because the generator was late. Its latency is in doubt then, its CPU time is
 * not.
 *
 * @param {Pick<Sample, 'invalid'>} sample
 */
export const isBehind = ({ invalid }) => invalid?.code === 'behind-schedule'

/**
 * Returns whether the send lag of the generator is too large a part of a percentile that is reported.
 *
 * @param {Pick<Sample, 'lagMs' | 'latencyMs'>} sample
 */
export const isLagging = ({ lagMs, latencyMs }) => Boolean(lagMs && latencyMs) &&
  (/** @type {const} */ (['p50', 'p99'])).some(name =>
    Number(lagMs?.[name]) > LAG_LIMIT_SHARE * Number(latencyMs?.[name]))

/** Returns whether the CPU time of a point is valid. @param {CurvePoint} point */
export const isUsable = point => point.invalid === null || isBehind(point)

/**
 * @param {Sample} sample
 * @returns {Usage}
 */
export const toUsage = ({ rps, seconds, cpuSeconds: { proxy, server } }) => ({
  rate: rps,
  cores: (proxy + server) / seconds
})

/**
 * Returns the CPU time per request in µs.
 *
 * @param {Sample} sample
 * @returns {ByRole}
 */
export function toMicros ({ requests, cpuSeconds: { load, proxy, server } }) {
  const micros = (/** @type {number} */ seconds) => seconds / requests * 1e6
  return { load: micros(load), proxy: micros(proxy), server: micros(server) }
}

/**
 * Estimates the capacity under a quota: the rate that uses up the quota, or the share of it that the goal permits.
 * Between measured rates the CPU usage is interpolated linearly, from 0 at rate 0. Requests at a low rate cost more,
 * because fewer are served in a batch. Requests that waited for a new period are served in a batch, too, and cost as
 * much as at the highest measured rates.
 *
 * @param {number} cpu quota, cores
 * @param {Usage[]} usages measured without a quota, up to the capacity without it
 * @param {number} capacity without a quota, requests per second
 * @param {Uneven | null} [uneven] dispersion of the CPU time; null: the quota is usable as a whole
 * @returns {{ rate: number, quota: boolean, usable: number }} quota: the quota limits the rate; usable: usable share of
 * the quota
 */
export function capacityUnder (cpu, usages, capacity, uneven = null) {
  const costs = toFallingCosts(usages)
  const fallingUsages = [{ rate: 0, cores: 0 }, ...costs.map(({ rate, cost }) => ({ rate, cores: rate * cost }))]
  const usedUp = findRateUsing(cpu, toRisingUsages(fallingUsages))
  // A quota of at least all cores does not limit the rate.
  const isLimit = uneven !== null && cpu < uneven.cores
  const batch = usedUp.costBeyond * usedUp.rate / cpu
  const share = isLimit ? usableShare({ ...uneven, cpu, costs, cost: cpu / usedUp.rate, batch }) : 1
  const usable = Math.min(1, share)
  const rate = usable < 1 || !usedUp.isBeyond ? share * usedUp.rate : capacity
  return rate < capacity ? { rate, quota: true, usable } : { rate: capacity, quota: false, usable }
}

/**
 * Finds the rate that uses a number of cores.
 *
 * @param {number} cpu cores
 * @param {Usage[]} usages in order of rate, the first at rate 0
 * @returns {{ rate: number, isBeyond: boolean, costBeyond: number }} isBeyond: the rate is extrapolated, because fewer
 * cores were used at all measured rates; costBeyond: seconds per request at the highest rates
 */
function findRateUsing (cpu, usages) {
  const last = usages[usages.length - 1]
  const top = usages.filter(({ rate }) => rate >= TOP_SHARE * last.rate)
  const costBeyond = sum(top.map(({ cores }) => cores)) / sum(top.map(({ rate }) => rate))
  const i = usages.findIndex(({ cores }) => cores >= cpu)
  if (i < 1) return { rate: cpu / costBeyond, isBeyond: true, costBeyond }
  const [from, to] = [usages[i - 1], usages[i]]
  const rate = from.rate + (to.rate - from.rate) * (cpu - from.cores) / (to.cores - from.cores)
  return { rate, isBeyond: false, costBeyond }
}

/**
 * Returns the cost of a request by rate, smoothed so that it never rises with the rate.
 *
 * @param {Usage[]} usages
 * @returns {{ rate: number, cost: number }[]} in order of rate; cost: seconds
 */
function toFallingCosts (usages) {
  const byRate = usages.filter(({ rate }) => rate > 0).sort((a, b) => a.rate - b.rate)
  const costs = toRising(byRate.map(({ rate, cores }) => -cores / rate))
  return byRate.map(({ rate }, i) => ({ rate, cost: -costs[i] }))
}

/** Smooths usages so that more requests never use fewer cores, as one outlier may suggest. @param {Usage[]} usages */
function toRisingUsages (usages) {
  const cores = toRising(usages.map(usage => usage.cores))
  return usages.map(({ rate }, i) => ({ rate, cores: cores[i] }))
}

/**
 * Replaces adjacent values that fall by their mean, until no value falls: isotonic regression by pooling adjacent
 * violators (Ayer et al. 1955).
 *
 * @param {number[]} values
 */
function toRising (values) {
  /** @type {{ mean: number, n: number }[]} */
  const pools = []
  for (const mean of values) {
    pools.push({ mean, n: 1 })
    for (let [below, above] = pools.slice(-2); above && below.mean > above.mean; [below, above] = pools.slice(-2)) {
      const n = below.n + above.n
      pools.splice(-2, 2, { mean: (below.n * below.mean + above.n * above.mean) / n, n })
    }
  }
  return pools.flatMap(({ mean, n }) => new Array(n).fill(mean))
}

/**
 * Fits a straight line through costs by least squares.
 *
 * @param {{ x: number, micros: number }[]} points x: size or number of connections, with at least two different values
 * @returns {number} slope, µs per unit of x
 */
export function fitSlope (points) {
  const { xx, xy } = computeSquares(points.map(({ x, micros }) => ({ x, y: micros })))
  return xy / xx
}

/** Estimates how much of a CPU quota is usable at a latency goal, by simulating a server under the quota.
 * Requests arrive at random. Some of them trigger a garbage collection, which uses several cores at once. Work beyond
 * the quota of a period waits for the next period (Documentation/scheduler/sched-bwc.rst of the Linux kernel). */

/** Requests per simulation: enough for at least 100 collections, some of them close together. */
const REQUESTS = 100_000
/** Late responses that a p99 goal permits. */
const LATE_REQUESTS = 0.01 * REQUESTS
/** The same for each rate, so that rates are compared on the same requests. */
const SEED = 1
/** Bisection steps, which leave an error of 0.5 % of the share. */
const HALVINGS = 8
/** Threads of V8 beside the main thread: the default of node --v8-pool-size, on all offerings. */
const V8_THREADS = 4
/** Waiting time in seconds after which a request is served in a batch with others. */
const BATCH_SECONDS = 0.003
/** Requests that find cold caches after a period without CPU time, and the CPU time in seconds that they lose together.
 * Measured per period: Express with JSON lost 2.4, 1.9 and 0.5 ms at quotas of 0.06, 0.13 and 0.25 cores; with files
 * 2.2 and 2.1 ms at 0.06 and 0.13 cores. */
const COLD = { requests: 13, seconds: 0.002 }
/** Lower bound for the cost of a request in a batch, as a share of its cost alone, because one low outlier among the
 * measured costs must not raise the estimate further. */
const MIN_BATCH = 0.3
/** Upper bound for the share of CPU time spent on garbage collection, as in an app that allocates much. */
const MAX_COLLECTING = 0.7
/** CPU time of a garbage collection in seconds, where it was not measured. */
const DEFAULT_PAUSE = 0.02
/** CPU time in seconds that counts as zero, because sums of floating-point numbers are inexact. */
const EPSILON = 1e-9

/** @type {Map<string, number>} */
const cachedShares = new Map()

/**
 * Returns the highest rate at which at most one response in a hundred is late, as a share of the rate at which requests
 * that are served one by one use up the quota. Results are cached, because the price table is computed after every
 * topology and offerings share few quotas.
 *
 * @param {Uneven & { cpu: number }} quota
 * @returns {number} from 0; above 1 where requests that have waited cost less in a batch
 */
export function usableShare (quota) {
  const key = JSON.stringify(quota)
  const share = cachedShares.get(key) ?? computeUsableShare(quota)
  cachedShares.set(key, share)
  return share
}

/** @param {Uneven & { cpu: number }} quota */
function computeUsableShare (quota) {
  if (!(quota.delay > 0)) return 0
  const server = modelServer(quota)
  if (server.meanCost === 0) return 1
  const isLate = (/** @type {number} */ share) => server.isLate(share * quota.cpu / server.meanCost, quota.delay)
  const most = 1 / server.batchShare
  if (!isLate(most)) return most
  let holds = 0
  let late = most
  for (let i = 0; i < HALVINGS; i++) {
    const share = (holds + late) / 2
    if (isLate(share)) late = share
    else holds = share
  }
  return holds
}

/**
 * Models a server whose CPU time is dispersed as it was measured, under a quota. Times in seconds.
 *
 * Derives how often collections occur from the index of dispersion I: requests that cost c each, and collections of P
 * once in n requests, have P²/n = c(I − c). A share of P/3T of the collections spans two periods T of the measurement
 * and adds less to the dispersion.
 *
 * @param {Uneven & { cpu: number }} quota
 */
function modelServer ({ cpu, cores, burst, costs, ...quota }) {
  const { cost = burst / 2, batch = 1, period = PERIOD_SECONDS } = quota
  // Below this bound collections would take more than MAX_COLLECTING of the CPU time.
  const pause = Math.max(quota.pause ?? DEFAULT_PAUSE, (burst - cost) / MAX_COLLECTING)
  const dispersion = cost * (burst - cost) / Math.max(0.5, 1 - pause / (3 * PERIOD_SECONDS))
  const requestsPerPause = dispersion > 0 && pause > 0 ? Math.max(1, pause ** 2 / dispersion) : Infinity
  const pauseCores = Math.max(1, Math.min(cores, V8_THREADS + 1))
  const collectingCost = pause / requestsPerPause
  const costAlone = Math.max(0, cost - collectingCost)
  const batchShare = Math.min(1, Math.max(MIN_BATCH, batch))
  /**
   * Simulates requests at a rate, until more responses are late than a p99 goal permits.
   *
   * @param {number} rate requests per second
   * @param {number} delay seconds after which a response is late
   */
  const isLate = (rate, delay) => {
    const random = randomFrom(SEED, 'quota')
    const clock = createClock(cpu * period, period)
    const soloCost = costs ? Math.max(0, interpolateCost(costs, rate) - collectingCost) : costAlone
    const batchCost = Math.min(soloCost, batchShare * costAlone)
    const coldCost = Math.min(COLD.seconds / COLD.requests, (1 - batchShare) * costAlone)
    let arrival = 0
    let late = 0
    for (let i = 0; i < REQUESTS; i++) {
      arrival -= Math.log(1 - random()) / rate
      const start = Math.max(clock.now, arrival)
      clock.now = start
      if (random() < 1 / requestsPerPause) clock.use(pause, pauseCores)
      const isBatched = start - arrival > BATCH_SECONDS
      // The first requests after a period without CPU time find cold caches.
      const isCold = isBatched && clock.coldRequests > 0
      if (isCold) clock.coldRequests--
      const ownCost = !isBatched ? soloCost : isCold ? batchCost + coldCost : batchCost
      clock.use(ownCost, 1)
      // The goal without the delay contains the CPU time of the request itself.
      if (clock.now - arrival - ownCost > delay) late++
      if (late > LATE_REQUESTS) return true
    }
    return false
  }
  return { meanCost: cost, batchShare, isLate }
}

/**
 * Creates a clock that work advances. It skips the rest of a period once the quota of the period is used up.
 *
 * @param {number} quota CPU time per period
 * @param {number} period length
 */
function createClock (quota, period) {
  let index = 0
  let left = quota
  const clock = {
    now: 0,
    /** Further batched requests that find cold caches. */
    coldRequests: 0,

    /**
     * @param {number} seconds of CPU time
     * @param {number} cores that are used at once
     */
    use (seconds, cores) {
      for (let todo = seconds; todo > EPSILON;) {
        const current = Math.floor(clock.now / period + EPSILON)
        if (current > index) {
          index = current
          left = quota
        }
        const periodEnd = (index + 1) * period
        const done = Math.min(todo, left, (periodEnd - clock.now) * cores)
        todo -= done
        left -= done
        const isUsedUp = left < EPSILON && todo > EPSILON
        if (isUsedUp) {
          clock.now = periodEnd
          clock.coldRequests = COLD.requests
        } else clock.now += done / cores
      }
    }
  }
  return clock
}

/**
 * Interpolates the cost of a request between measured rates, by the logarithm of the rate.
 *
 * @param {{ rate: number, cost: number }[]} costs in order of rate
 * @param {number} rate
 */
function interpolateCost (costs, rate) {
  const i = costs.findIndex(measured => measured.rate >= rate)
  // Outside the measured rates the cost of the closest one applies; at(-1) is the last.
  if (i <= 0) return costs.at(i)?.cost ?? 0
  const [from, to] = [costs[i - 1], costs[i]]
  if (to.rate === from.rate) return to.cost
  return from.cost + (to.cost - from.cost) * Math.log(rate / from.rate) / Math.log(to.rate / from.rate)
}

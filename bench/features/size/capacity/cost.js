/** Estimates capacity under a CPU quota from the CPU time per request measured at several rates (pure). */
import { sum } from '../../../shared/sum.js'
import { usableShare } from './quota.js'

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
  const meanX = sum(points.map(({ x }) => x)) / points.length
  const meanY = sum(points.map(({ micros }) => micros)) / points.length
  const spread = sum(points.map(({ x }) => (x - meanX) ** 2))
  return sum(points.map(({ x, micros }) => (x - meanX) * (micros - meanY))) / spread
}

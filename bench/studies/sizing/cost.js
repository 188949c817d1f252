/** What CPU time says about capacity (pure): the time that each request costs is measured at several rates, and a
 * plan's share of a core allows so many. @import { ByRole, Sample } from '../../types.js'
 * @import { Usage } from './types.js' */
import { usableShare } from './quota.js'

/** @import { Uneven } from './types.js' */

/** What a request costs at the highest rates is the mean of those from this share of the highest on. */
const TOP_SHARE = 0.8

/** @param {number[]} values */
const sum = values => values.reduce((a, b) => a + b, 0)

/** @param {Sample} sample @returns {Usage} */
export const usageOf = ({ rps, seconds, cpuSeconds: { proxy, server } }) => ({
  rate: rps,
  cores: (proxy + server) / seconds
})

/** @param {Sample} sample @returns {ByRole} µs */
export function microsOf ({ requests, cpuSeconds: { load, proxy, server } }) {
  const micros = (/** @type {number} */ seconds) => seconds / requests * 1e6
  return { load: micros(load), proxy: micros(proxy), server: micros(server) }
}

/** The rate at which a quota is used up, or what of it the goal allows. Between the rates measured usage is a straight
 * line, from nothing at none. A request at a low rate costs more: less is done at once. What has waited for a period to
 * begin is done at once, too, and costs what a request costs at the highest rates measured.
 * @param {number} cpu cores
 * @param {Usage[]} usages measured without a quota, up to the capacity there
 * @param {number} capacity without a quota, requests per second
 * @param {Uneven | null} [uneven] what keeps a quota from being used to its end; left out: nothing does
 * @returns {{ rate: number, quota: boolean, usable: number }} quota: it is the quota that limits, and not what limits
 * without one; usable: share of it that can be used */
export function capacityUnder (cpu, usages, capacity, uneven = null) {
  const costs = fallingCosts(usages)
  const usedUp = rateUsing(cpu, monotone([{ rate: 0, cores: 0 }, ...costs.map(({ rate, cost }) =>
    ({ rate, cores: rate * cost }))]))
  // A share of all the cores there are is no limit.
  const share = uneven && cpu < uneven.cores
    ? usableShare({ ...uneven, cpu, costs, cost: cpu / usedUp.rate, batch: usedUp.costBeyond * usedUp.rate / cpu })
    : 1
  const usable = Math.min(1, share)
  const rate = usable < 1 || !usedUp.beyond ? share * usedUp.rate : capacity
  return rate < capacity ? { rate, quota: true, usable } : { rate: capacity, quota: false, usable }
}

/** @param {number} cpu @param {Usage[]} usages by rate, the first at none
 * @returns {{ rate: number, beyond: boolean, costBeyond: number }} beyond: so much was not used at any rate measured,
 * and a request is taken to cost as much as at the highest rates; costBeyond: what a request costs there, seconds */
function rateUsing (cpu, usages) {
  const last = usages[usages.length - 1]
  const top = usages.filter(({ rate }) => rate >= TOP_SHARE * last.rate)
  const costBeyond = sum(top.map(({ cores }) => cores)) / sum(top.map(({ rate }) => rate))
  const i = usages.findIndex(({ cores }) => cores >= cpu)
  if (i < 1) return { rate: cpu / costBeyond, beyond: true, costBeyond }
  const [from, to] = [usages[i - 1], usages[i]]
  const rate = from.rate + (to.rate - from.rate) * (cpu - from.cores) / (to.cores - from.cores)
  return { rate, beyond: false, costBeyond }
}

/** What a request costs, by rate: no more at a higher one. @param {Usage[]} usages
 * @returns {{ rate: number, cost: number }[]} by rate; cost: seconds */
function fallingCosts (usages) {
  const byRate = usages.filter(({ rate }) => rate > 0).sort((a, b) => a.rate - b.rate)
  const costs = rising(byRate.map(({ rate, cores }) => -cores / rate))
  return byRate.map(({ rate }, i) => ({ rate, cost: -costs[i] }))
}

/** A trial that was lucky must not say that more requests cost less altogether. @param {Usage[]} usages by rate */
function monotone (usages) {
  const cores = rising(usages.map(({ cores }) => cores))
  return usages.map(({ rate }, i) => ({ rate, cores: cores[i] }))
}

/** Values that never fall: neighbours that do are taken for one, at their mean (isotonic regression by pooling adjacent
 * violators: Ayer et al. 1955). @param {number[]} values */
function rising (values) {
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

/** How the cost of a request grows with what it carries or how many come at once: a straight line through measured
 * points, by least squares. @param {{ x: number, micros: number }[]} points at two different x at least
 * @returns {{ base: number, slope: number }} µs, and µs for each unit of x */
export function growthOf (points) {
  const n = points.length
  const [meanX, meanY] = [points.reduce((sum, { x }) => sum + x, 0) / n,
    points.reduce((sum, { micros }) => sum + micros, 0) / n]
  const spread = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0)
  const slope = points.reduce((sum, { x, micros }) => sum + (x - meanX) * (micros - meanY), 0) / spread
  return { base: meanY - slope * meanX, slope }
}

/**
 * What CPU time says about capacity (pure): the time that each request costs is measured at several rates, and a plan's
 * share of a core allows so many.
 * @import { ByRole, Sample } from '../types.js'
 */

/** @typedef {{ rate: number, cores: number }} Usage what the served side uses at a rate: CPU seconds per second */

/** @param {Sample} sample @returns {Usage} */
export const usageOf = ({ rps, seconds, cpuSeconds: { proxy, server } }) => ({ rate: rps, cores: (proxy + server) / seconds })

/** @param {Sample} sample @returns {ByRole} µs */
export function microsOf ({ requests, cpuSeconds: { load, proxy, server } }) {
  const micros = (/** @type {number} */ seconds) => seconds / requests * 1e6
  return { load: micros(load), proxy: micros(proxy), server: micros(server) }
}

/**
 * The rate at which a quota is used up. Between the rates measured usage is a straight line, from nothing at none. A
 * request at a low rate costs more: less is done at once. What comes while the CPU time of a period has run out is done at once
 * when the next one begins, and costs less; that is left out, so that a plan does rather more than is reckoned.
 * @param {number} cpu cores
 * @param {Usage[]} usages measured without a quota, up to the capacity there
 * @param {number} capacity without a quota, requests per second
 * @returns {{ rate: number, quota: boolean }} quota: it is the quota that limits, and not what limits without one
 */
export function capacityUnder (cpu, usages, capacity) {
  const rising = monotone([{ rate: 0, cores: 0 }, ...usages].sort((a, b) => a.rate - b.rate))
  for (let i = 1; i < rising.length; i++) {
    const [from, to] = [rising[i - 1], rising[i]]
    if (to.cores < cpu) continue
    const rate = from.rate + (to.rate - from.rate) * (cpu - from.cores) / (to.cores - from.cores)
    return rate < capacity ? { rate, quota: true } : { rate: capacity, quota: false }
  }
  return { rate: capacity, quota: false }
}

/** A trial that was lucky must not say that more requests cost less altogether. @param {Usage[]} usages by rate @returns {Usage[]} */
function monotone (usages) {
  let most = 0
  return usages.map(({ rate, cores }, i) => {
    most = Math.max(cores, i === 0 ? 0 : most)
    return { rate, cores: most }
  })
}

/**
 * How the cost of a request grows with what it carries or how many come at once: a straight line through measured points,
 * by least squares.
 * @param {{ x: number, micros: number }[]} points at two different x at least
 * @returns {{ base: number, slope: number }} µs, and µs for each unit of x
 */
export function growthOf (points) {
  const n = points.length
  const [meanX, meanY] = [points.reduce((sum, { x }) => sum + x, 0) / n, points.reduce((sum, { micros }) => sum + micros, 0) / n]
  const spread = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0)
  const slope = points.reduce((sum, { x, micros }) => sum + (x - meanX) * (micros - meanY), 0) / spread
  return { base: meanY - slope * meanX, slope }
}

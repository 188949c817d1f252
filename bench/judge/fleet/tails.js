/** Response times behind a balancer, by its policy and by what happens to one instance. */
import { offeringName } from '../offering-choice.js'
import { simulateFleet } from './simulate.js'

/** @import { FleetTails, PriceRow, SizedTopology } from '../../types.js' */
/** @import { Policy } from './simulate.js' */
/** @import { Random } from '../../shared/random.js' */

/** CPU time of a burst in seconds, where it was not measured: that of a garbage collection. */
const DEFAULT_PAUSE = 0.02
/** Upper bound for the share of CPU time spent in bursts, as in an app that allocates much. */
const MOST_IN_BURSTS = 0.7
/** @type {{ policy: Policy, name: string }[]} */
const POLICIES = [
  { policy: 'round-robin', name: 'round robin' },
  { policy: 'random', name: 'random' },
  { policy: 'least-connections', name: 'least connections' }
]
/** Instances of a simulation. A larger fleet is simulated by these, each at the same load. */
const MOST_INSTANCES = 16
/** Requests of a simulation, so that 360 responses lie beyond the p99. */
const REQUESTS = 40_000
/** Shares of the CPU time in use, for the chart. */
const LOADS = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
/** Factor of the service times of a slow instance, such as one with a busy neighbour. */
export const SLOW = 1.5
/** Share of the requests after which an instance is lost: with the end of the warm-up, so that all are counted. */
const LOST_AT = 0.1

/**
 * Simulates the instances of a row of the price table behind a balancer.
 *
 * @param {PriceRow & { perInstance: number }} row
 * @param {SizedTopology} topology
 * @param {{ rate: number, instances: number }} load
 * @returns {FleetTails | null} null: not two instances, or no CPU time was measured
 */
export function computeTails (row, topology, { rate, instances }) {
  const measured = toServiceTimes(row, topology)
  if (instances < 2 || measured === null) return null
  const n = Math.min(MOST_INSTANCES, instances)
  const use = rate / instances * measured.mean
  const service = toService(measured)
  const simulate = (/** @type {Policy} */ policy, load = use, fault = {}) => simulateFleet({
    instances: n, rate: load * n / measured.mean, policy, service, requests: REQUESTS, ...fault
  })
  return {
    offering: offeringName(row.offering),
    instances: n,
    use,
    rows: POLICIES.map(({ policy, name }) => {
      const usual = simulate(policy)
      const slow = simulate(policy, use, { slow: { instance: 0, factor: SLOW } })
      const lost = simulate(policy, use, { lost: { instance: 0, at: LOST_AT } })
      return {
        name,
        p50Ms: usual.p50 * 1000,
        p99Ms: usual.p99 * 1000,
        slowP99Ms: slow.p99 * 1000,
        lostP99Ms: lost.p99 * 1000,
        failed: lost.failed
      }
    }),
    lines: POLICIES.map(({ policy, name }) => ({
      name,
      points: LOADS.map(load => ({ x: load * 100, y: simulate(policy, load).p99 * 1000 }))
    }))
  }
}

/**
 * Returns the service times of an instance: the measured CPU time, stretched by a share of a core.
 *
 * @param {PriceRow & { perInstance: number }} row
 * @param {SizedTopology} topology
 */
function toServiceTimes ({ perInstance, offering: { vcpu, assumed } }, { curve, burstMs, pauseMs }) {
  const busiest = curve.findLast(({ invalid }) => invalid === null)
  if (!busiest) return null
  const share = Math.min(1, vcpu ?? assumed?.low ?? 1)
  const toWallClock = (/** @type {number | null | undefined} */ ms) => ms ? ms / 1000 / share : null
  return {
    mean: Math.min(busiest.cores / busiest.rate / share, 1 / perInstance),
    dispersion: toWallClock(burstMs),
    pause: toWallClock(pauseMs)
  }
}

/**
 * Returns a function that draws service times. Most requests cost the same; one in n also waits for a burst P, such as
 * a garbage collection. The index of dispersion I gives n: P²/n = c(I − c), where c is the mean.
 *
 * @param {{ mean: number, dispersion?: number | null, pause?: number | null }} measured seconds
 * @returns {(random: Random) => number}
 */
export function toService ({ mean, dispersion, pause }) {
  const burst = pause || DEFAULT_PAUSE
  const excess = dispersion ? Math.max(0, mean * (dispersion - mean)) : 0
  const probability = Math.min(excess / burst ** 2, MOST_IN_BURSTS * mean / burst)
  const usual = mean - probability * burst
  return random => random() < probability ? usual + burst : usual
}

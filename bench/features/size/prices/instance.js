/** Estimates what one instance of an offering serves, and how many processes to start in it (pure). */
import { capacityUnder, isUsable } from '../capacity/cost.js'
import { getCores } from './offerings.js'
import { estimateCapacity } from '../capacity/scaling.js'
import { isOwn } from '../../../plan/spec.js'
import { BUSY_SHARE, EXAMPLE_EXTRA_MIB } from '../../../shared/thresholds.js'
import { hasTls } from '../../../plan/predicates.js'
import { computeScore } from '../../../judge/machines.js'
import { isUncertain } from './offering-choice.js'
import { withSpeed } from './portability.js'

/** @import { Environment, Offering, PriceRow, SizedTopology } from '../../../types.js' */
/** @import { Measured, Range } from '../types.js' */

/** Share of the memory kept free for uncollected garbage and for the platform. */
export const MEMORY_HEADROOM = 0.25
/** Factor that 95 % of the pairs of sizings of one app kept, on an idle machine and with a quarter of a core or more
 * (docs/sizing-method.md). The speed of the machine, which changes from hour to hour, is in portability.js. */
const BETWEEN_SIZINGS = 1.24
/** Largest share of the cores that other programs are taken to use: with more of them the scheduler shares equally. */
const MAX_OTHER_SHARE = 0.5
/** Factor by which estimates under a quota were wrong: at most in four of five cells, and at worst, which was at a
 * sixteenth of a core, but for one cell of 1.59 (docs/sizing-method.md, test/perf/quotas.js). */
export const MODEL = { usual: 1.15, worst: 1.56 }
/** Factor by which an estimate at an eighth of a core or less is lowered, so that each fitted cell is estimated at most
 * 1.27 times too high. */
const CAUTION = MODEL.worst / 1.25
/** MiB per process in the rule of thumb of the Node build pack of a large platform, independent of the CPU
 * (heroku-buildpack-nodejs, 2026-08-20). */
const RULE_MIB = 512

/**
 * Advises how many processes to start in an instance, by what was measured and by the platforms' rule of thumb.
 *
 * @param {Pick<Offering, 'memoryMiB'>} offering
 * @param {number} cores to calculate with
 * @param {Pick<Measured, 'memoryMiB' | 'processMiB' | 'processes'>} topology
 * @returns {NonNullable<PriceRow['workers']>}
 */
export function adviseFor ({ memoryMiB }, cores, topology) {
  const fitting = Math.floor((memoryMiB * (1 - MEMORY_HEADROOM) - getBesideMiB(topology)) / topology.processMiB)
  // More processes than cores only take turns. Below one core there is still one process.
  const useful = Math.max(1, Math.floor(cores))
  return {
    workers: Math.max(0, Math.min(fitting, useful)),
    limit: fitting < useful ? 'memory' : 'cpu',
    rule: Math.max(1, Math.floor(memoryMiB / RULE_MIB))
  }
}

/**
 * Returns the memory of all processes but those of the server.
 *
 * @param {Parameters<typeof adviseFor>[2]} topology
 */
const getBesideMiB = ({ memoryMiB, processMiB, processes = 1 }) => Math.max(0, memoryMiB - processMiB * processes)

/**
 * Returns the memory that an instance uses under load, in MiB.
 *
 * @param {Measured} topology
 * @param {number} workers processes of the server
 */
export const computeMemory = (topology, workers) => getBesideMiB(topology) + workers * topology.processMiB

/**
 * Estimates the rate that an instance serves at the goal. A quota lowers the measured rate, more processes raise it.
 *
 * @param {Offering} offering
 * @param {{ cores: number, workers: number }} size cores to calculate with, and processes to start
 * @param {Measured} topology
 * @param {'rate' | 'low' | 'high'} [end] of the estimate for several processes
 * @returns {ReturnType<typeof capacityUnder> & Pick<ReturnType<typeof estimateCapacity>, 'by' | 'atLeast'>}
 */
export function estimateInstance (offering, { cores, workers }, topology, end = 'rate') {
  const { burst: rules } = offering
  const several = estimateCapacity(topology, Math.min(workers, Math.max(1, Math.floor(cores))))
  const { burst, delay, pause } = topology
  const uneven = burst === null
    ? null
    : { cores: topology.cores, burst, delay, pause, ...rules?.periodMs && { period: rules.periodMs / 1000 } }
  const under = capacityUnder(cores, topology.usages, several[end], uneven)
  const rate = under.quota && end === 'rate' && isUncertain({ offering }) ? under.rate / CAUTION : under.rate
  return { ...under, rate, by: several.by, atLeast: !under.quota && (topology.atLeast || several.atLeast) }
}

/**
 * Estimates the range of rates that an instance serves at the goal, from the search, the dispersion of CPU time, the
 * assumed CPU, the number of processes, the speed of the cores, and the error of the model.
 *
 * @param {Offering} offering
 * @param {Measured} topology at the speed in the middle
 * @param {Range & { middle: number }} [speed] of the offering's cores
 * @returns {{ low: number, high: number } | null} low: 0: an instance may serve nothing at the goal; null: the
 * range of the search is unknown
 */
export function estimateRange (offering, topology, speed = { low: 1, middle: 1, high: 1 }) {
  const { range, otherShare } = topology
  const between = factorBetweenSizings(otherShare)
  const lowest = getCores(offering)
  if (!range || lowest === null) return null
  /** @type {(cores: number, measured: Partial<Measured>, end?: 'low' | 'high') =>
   * ReturnType<typeof estimateInstance>} */
  const estimate = (cores, measured, end) => {
    const workers = Math.max(1, adviseFor(offering, cores, topology).workers)
    const scaled = withSpeed({ ...topology, ...measured }, end ? speed[end] / speed.middle : 1)
    return estimateInstance(offering, { cores, workers }, scaled, end)
  }
  const { burst, pause } = range
  const worst = estimate(lowest, {
    capacity: range.low / between, burst: burst?.high ?? topology.burst, pause: pause?.high ?? topology.pause
  }, 'low')
  const best = estimate(offering.vcpu ?? offering.assumed?.high ?? lowest, {
    capacity: range.high * between, burst: burst?.low ?? topology.burst, pause: pause?.low ?? topology.pause
  }, 'high')
  const error = isUncertain({ offering }) ? MODEL.worst : MODEL.usual
  // With a confidence above half the estimate itself may lie at an end, and another sizing on either side of it.
  const own = estimate(lowest, {})
  const apart = own.quota ? between * MODEL.usual : between / BETWEEN_SIZINGS
  return {
    low: Math.min(worst.rate / (worst.quota ? error : 1), own.rate / apart),
    high: Math.max(best.rate * (best.quota ? error : 1), own.rate * apart)
  }
}

/**
 * Returns the factor by which sizings of one app differ. Other programs take their CPU time from the served core in one
 * sizing, and from the load's in another.
 *
 * @param {number | null} [otherShare] share of the cores that other programs used
 */
export const factorBetweenSizings = otherShare => otherShare && otherShare > BUSY_SHARE
  ? BETWEEN_SIZINGS / (1 - Math.min(otherShare, MAX_OTHER_SHARE))
  : BETWEEN_SIZINGS

/**
 * Adds the CPU time of TLS to the measurements of a topology, for an offering whose instances end TLS.
 *
 * @param {Measured} topology
 * @param {number} share of requests on a new connection
 * @returns {Measured}
 */
export function withTlsCost (topology, share) {
  const { tls, usages, capacity, range, more } = topology
  const top = usages.at(-1)
  if (!tls || !top) return topology
  const extra = (tls.requestMicros + share * tls.handshakeMicros) / 1e6
  const cost = top.cores / top.rate
  const slow = cost / (cost + extra)
  return {
    ...topology,
    usages: usages.map(({ rate, cores }) => ({ rate, cores: cores + rate * extra })),
    capacity: slow * capacity,
    ...range && { range: { ...range, low: slow * range.low, high: slow * range.high } },
    ...more && {
      more: more.map(({ processes, rate, low = rate, high = rate }) =>
        ({ processes, rate: slow * rate, low: slow * low, high: slow * high }))
    }
  }
}

/**
 * Returns whether the instances of an offering end TLS: a balancer ends it in front of as many instances as it is paid
 * for.
 *
 * @param {Offering} offering
 * @param {number | null} instances
 */
export function isTlsAtInstance (offering, instances) {
  const { tlsEnds = offering.class === 'vm' ? 'instance' : 'router', plusMonthly } = offering
  if (tlsEnds !== 'balancer') return tlsEnds === 'instance'
  return instances !== null && instances < (plusMonthly?.from ?? 1)
}

/**
 * Returns the rate at which an instance has as many requests in flight as its provider permits, by Little's law.
 *
 * @param {Offering} offering
 * @param {Measured} topology
 */
export const computeMostBy = ({ mostConcurrency }, { busySeconds }) =>
  busySeconds ? (mostConcurrency ?? Infinity) / busySeconds : Infinity

/**
 * Returns the time that the goal leaves for waiting, in seconds.
 *
 * @param {Pick<SizedTopology['floor'], 'p50Ms'>} unloaded latency without load
 * @param {number} p99Ms the goal
 */
export const computeDelay = ({ p50Ms }, p99Ms) => Math.max(0, p99Ms - p50Ms) / 1000

/**
 * Converts a stored topology to seconds.
 *
 * @param {SizedTopology} topology
 * @param {number} p99Ms the goal
 * @param {number | null} [extraMiB] added to each process; default: 128 for examples
 * @param {{ otherShare?: number | null, score?: number | null }} [machine] otherShare: share of the cores that other
 *   programs used; score: of this machine
 * @returns {Measured}
 */
export function toMeasured (topology, p99Ms, extraMiB = null, { otherShare = null, score = null } = {}) {
  const { capacity, curve, burstMs, pauseMs, spread, floor: unloaded, ...rest } = topology
  const instances = rest.topology.server?.instances
  const extra = getExtraMiB(topology, extraMiB)
  const busy = curve.findLast(point => isUsable(point) && point.latencyMs)?.latencyMs?.p90
  return {
    ...rest,
    otherShare,
    score,
    memoryMiB: rest.memoryMiB + extra * (typeof instances === 'number' ? instances : 1),
    processMiB: rest.processMiB + extra,
    range: { low: capacity.low, high: capacity.high, ...spread && toBurstSeconds(spread) },
    // The goal holds at the capacity, so a longer response time there is of a disturbed window.
    ...typeof busy === 'number' && { busySeconds: Math.min(busy, p99Ms) / 1000 },
    responseMs: unloaded.p50Ms,
    capacity: capacity.rate,
    atLeast: capacity.atLeast,
    processes: typeof instances === 'number' ? instances : 1,
    usages: curve.filter(isUsable),
    burst: burstMs === null ? null : burstMs / 1000,
    ...typeof pauseMs === 'number' && { pause: pauseMs / 1000 },
    delay: computeDelay(unloaded, p99Ms),
    goalSeconds: p99Ms / 1000,
    endsTls: hasTls(topology.topology)
  }
}

/**
 * Returns the facts of a machine on which an estimate depends.
 *
 * @param {Pick<Environment, 'busy' | 'calibration'>} environment
 */
export const toMachine = ({ busy, calibration }) =>
  ({ otherShare: busy.busyShare, score: computeScore(calibration) })

/**
 * Returns the memory that is added to each process of a server.
 *
 * @param {Pick<SizedTopology, 'topology'>} sized
 * @param {number | null} typed null: 128 MiB for examples, 0 for apps of the user's own
 */
export function getExtraMiB ({ topology: { server } }, typed) {
  if (!server) return 0
  return typed ?? (isOwn(server) ? 0 : EXAMPLE_EXTRA_MIB)
}

/** @param {NonNullable<SizedTopology['spread']>} spread */
const toBurstSeconds = ({ burstMs, pauseMs }) => ({
  burst: { low: burstMs.low / 1000, high: burstMs.high / 1000 },
  pause: { low: pauseMs.low / 1000, high: pauseMs.high / 1000 }
})

/** Estimates what one instance of an offering serves, and how many processes to start in it (pure). */
import { capacityUnder, isUsable } from '../capacity/cost.js'
import { getCores } from './offerings.js'
import { estimateCapacity } from '../capacity/scaling.js'
import { isOwn } from '../../../plan/spec.js'
import { BUSY_SHARE, EXAMPLE_EXTRA_MIB } from '../../../shared/thresholds.js'
import { hasTls } from '../../../plan/predicates.js'
import { isUncertain } from './offering-choice.js'

/** @import { Offering, PriceRow, SizedTopology } from '../../../types.js' */
/** @import { Measured } from '../types.js' */

/** Share of the memory kept free for uncollected garbage and for the platform. */
export const MEMORY_HEADROOM = 0.25
/** Factor by which two sizings of one app differed in the middle (docs/sizing-method.md). */
const BETWEEN_SIZINGS = 1.072
/** Largest share of the cores that other programs are taken to use: with more of them the scheduler shares equally. */
const MAX_OTHER_SHARE = 0.5
/** Factor by which estimates under a quota were wrong: at most in four of five cells, and at worst too high, which was
 * at a sixteenth of a core (docs/sizing-method.md, test/perf/quotas.js). */
export const MODEL = { usual: 1.15, worst: 1.56 }
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
 * @returns {ReturnType<typeof capacityUnder> & { atLeast: boolean }}
 */
export function estimateInstance ({ burst: rules }, { cores, workers }, topology) {
  const several = estimateCapacity(topology, Math.min(workers, Math.max(1, Math.floor(cores))))
  const { burst, delay, pause } = topology
  const uneven = burst === null
    ? null
    : { cores: topology.cores, burst, delay, pause, ...rules?.periodMs && { period: rules.periodMs / 1000 } }
  const under = capacityUnder(cores, topology.usages, several.rate, uneven)
  // Without a quota the rate of more cores than this machine has was not measured, so the rate is a lower bound.
  return { ...under, atLeast: !under.quota && (topology.atLeast || several.atLeast) }
}

/**
 * Estimates the range of rates that an instance serves at the goal, from the search, the dispersion of CPU time, the
 * assumed CPU and the error of the model.
 *
 * @param {Offering} offering
 * @param {Measured} topology
 * @returns {{ low: number, high: number } | null} low: 0: an instance may serve nothing at the goal; null: the
 * range of the search is unknown
 */
export function estimateRange (offering, topology) {
  const { range, otherShare } = topology
  const between = factorBetweenSizings(otherShare)
  const lowest = getCores(offering)
  if (!range || lowest === null) return null
  const estimate = (/** @type {number} */ cores, /** @type {Partial<Measured>} */ measured) => {
    const workers = Math.max(1, adviseFor(offering, cores, topology).workers)
    return estimateInstance(offering, { cores, workers }, { ...topology, ...measured })
  }
  const { burst, pause } = range
  const worst = estimate(lowest, {
    capacity: range.low / between, burst: burst?.high ?? topology.burst, pause: pause?.high ?? topology.pause
  })
  const best = estimate(offering.vcpu ?? offering.assumed?.high ?? lowest, {
    capacity: range.high * between, burst: burst?.low ?? topology.burst, pause: pause?.low ?? topology.pause
  })
  const error = isUncertain({ offering }) ? MODEL.worst : MODEL.usual
  // With a confidence above half the estimate itself may lie at an end, and another sizing on either side of it.
  const own = estimate(lowest, {})
  const apart = own.quota ? between * MODEL.usual : between / BETWEEN_SIZINGS
  return {
    low: Math.min(worst.rate / (worst.quota ? error : 1), own.rate / apart),
    high: Math.max(best.rate * (best.quota ? MODEL.usual : 1), own.rate * apart)
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
    ...more && { more: more.map(({ processes, rate }) => ({ processes, rate: slow * rate })) }
  }
}

/**
 * Returns whether estimates for an offering lack the CPU time of TLS: a virtual machine ends TLS itself, and the cost
 * of TLS was not measured.
 *
 * @param {Offering} offering
 * @param {Measured} topology
 */
export const isWithoutTls = (offering, { tls, endsTls }) => offering.class === 'vm' && !tls && !endsTls

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
 * @param {number | null} [otherShare] share of the cores that other programs used
 * @returns {Measured}
 */
export function toMeasured (topology, p99Ms, extraMiB = null, otherShare = null) {
  const { capacity, curve, burstMs, pauseMs, spread, floor: unloaded, ...rest } = topology
  const instances = rest.topology.server?.instances
  const extra = getExtraMiB(topology, extraMiB)
  const busy = curve.findLast(point => isUsable(point) && point.latencyMs)?.latencyMs?.p90
  return {
    ...rest,
    otherShare,
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

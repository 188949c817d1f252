/** Estimates what one instance of an offering serves, and how many processes to start in it (pure). */
import { capacityUnder, isUsable } from './cost.js'
import { estimateCapacity } from './scaling.js'

/** @import { Offering, PriceRow, SizedTopology } from '../../types.js' */
/** @import { Measured } from './types.js' */

/** Share of the memory kept free for uncollected garbage and for the platform. */
export const MEMORY_HEADROOM = 0.25
/** MiB per process in the rule of thumb of the Node build pack of a large platform, independent of the CPU
 * (heroku-buildpack-nodejs, 2026-08-20). */
const RULE_MIB = 512

/**
 * Advises how many processes to start in an instance, by what was measured and by the platforms' rule of thumb.
 *
 * @param {{ vcpu: number, memoryMiB: number }} offering
 * @param {{ processMiB: number, besideMiB: number }} measured memory of one server process under load, and of all other
 * processes
 * @returns {NonNullable<PriceRow['workers']>}
 */
export function adviseWorkers ({ vcpu, memoryMiB }, { processMiB, besideMiB }) {
  const fitting = Math.floor((memoryMiB * (1 - MEMORY_HEADROOM) - besideMiB) / processMiB)
  // More processes than cores only take turns. Below one core there is still one process.
  const useful = Math.max(1, Math.floor(vcpu))
  return {
    workers: Math.max(0, Math.min(fitting, useful)),
    limit: fitting < useful ? 'memory' : 'cpu',
    rule: Math.max(1, Math.floor(memoryMiB / RULE_MIB))
  }
}

/**
 * @param {Offering} offering
 * @param {number} cores to calculate with
 * @param {Measured} topology
 */
export const adviseFor = ({ memoryMiB }, cores, topology) => adviseWorkers({ vcpu: cores, memoryMiB }, {
  processMiB: topology.processMiB,
  besideMiB: Math.max(0, topology.memoryMiB - topology.processMiB * (topology.processes ?? 1))
})

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
 * Returns the time that the goal leaves for waiting, in seconds.
 *
 * @param {Pick<SizedTopology['floor'], 'p50Ms'>} floor
 * @param {number} p99Ms the goal
 */
export const computeDelay = ({ p50Ms }, p99Ms) => Math.max(0, p99Ms - p50Ms) / 1000

/**
 * Converts a stored topology to seconds.
 *
 * @param {SizedTopology} topology
 * @param {number} p99Ms the goal
 * @returns {Measured}
 */
export function toMeasured (topology, p99Ms) {
  const { capacity, curve, burstMs, pauseMs, floor, ...rest } = topology
  const instances = rest.topology.server?.instances
  return {
    ...rest,
    capacity: capacity.rate,
    atLeast: capacity.atLeast,
    processes: typeof instances === 'number' ? instances : 1,
    usages: curve.filter(isUsable),
    burst: burstMs === null ? null : burstMs / 1000,
    ...typeof pauseMs === 'number' && { pause: pauseMs / 1000 },
    delay: computeDelay(floor, p99Ms)
  }
}

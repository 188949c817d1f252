/** Plans the second part of a run with --rate: every arm at the same offered rate, in an open loop (pure). */
import { badOption } from '../errors.js'
import { getProfile } from './plan.js'

/** @import { Arm, OpenLoopPlan, Plan } from '../types.js' */
/** @import { PlanOptions } from './plan.js' */

/** Connections at once, at least. A request that finds none free waits, and the wait is a part of its latency. */
const CONNECTIONS = 400
/** Length of a window, in seconds, and number of blocks. Each arm is started anew in each block. */
const LENGTHS = {
  full: { windowSeconds: 6, blocks: 3 },
  quick: { windowSeconds: 4, blocks: 1 },
  smoke: { windowSeconds: 1, blocks: 1 }
}
/** Wall time of an arm in a block, in seconds: its start, its warm-up and its window. */
const SECONDS_BY_ARM = { full: 20, quick: 11, smoke: 6 }
/**
 * Returns the most wall time of the open loop, in seconds: windows that are invalid are repeated for as long again.
 * @param {OpenLoopPlan} openLoop
 */
export const computeMaxSeconds = ({ seconds }) => 2 * seconds

/** Share of a typed budget that the throughput run keeps at least. */
const MIN_SHARE = 0.4

/**
 * Adds the open loop to a plan. A typed budget is for both parts; the default budget is extended.
 *
 * @param {Plan} plan
 * @param {number} rate requests per second of each arm
 * @param {Pick<PlanOptions, 'budgetSeconds'>} typed
 * @returns {Plan}
 * @throws {HopbenchError} bad-option
 */
export function addOpenLoop (plan, rate, { budgetSeconds }) {
  const why = findObstacle(plan)
  if (why !== null) {
    throw badOption('--rate', rate, why, 'Leave out --rate, or measure these arms as topologies of their own.')
  }
  const profile = getProfile(plan)
  const { blocks, windowSeconds } = LENGTHS[profile]
  const arms = listArms(plan)
  const seconds = arms.length * blocks * SECONDS_BY_ARM[profile]
  const openLoop = { rate, blocks, windowSeconds, seconds }
  if (budgetSeconds === undefined) return { ...plan, openLoop }
  const least = Math.ceil(seconds / (1 - MIN_SHARE))
  if (budgetSeconds < least) {
    throw badOption('--budget', `${budgetSeconds}s`,
      `--rate takes about ${seconds} s of it for ${arms.length} arms`, `Give it ${least}s or more, or add --quick.`)
  }
  return { ...plan, openLoop, targets: { ...plan.targets, budgetSeconds: budgetSeconds - seconds } }
}

/**
 * Returns why a plan has no open loop at one rate.
 *
 * @param {Plan} plan
 * @returns {string | null} null: it can have one
 */
function findObstacle ({ arms, result, unit, errorsAreResults }) {
  const loads = arms.map(({ load }) => load)
  if (result === 'latency' || loads.some(({ rate, share }) => rate !== undefined || share !== undefined)) {
    return 'this experiment has offered rates of its own'
  }
  if (result === 'first-errors') return 'this experiment raises its connections step by step'
  if (loads.some(load => load.perUserPerSecond !== undefined || load.spawnPerSecond !== undefined)) {
    return 'this experiment has users, who wait between their requests'
  }
  if (unit !== 'requests' && unit !== 'pages') return `this experiment counts ${unit}, not requests`
  if (errorsAreResults || loads.some(({ cold }) => cold)) {
    return 'this experiment is about errors or an empty cache, not about response times'
  }
  return null
}

/** Returns the arms of the open loop: all but the twin. @param {Plan} plan */
const listArms = ({ arms }) => arms.filter(({ twinOf }) => twinOf === null)

/**
 * Returns the second part as a plan of its own.
 *
 * @param {Plan & { openLoop: OpenLoopPlan }} plan
 * @returns {Plan}
 */
export function toOpenLoopPlan (plan) {
  const { openLoop: { rate, blocks, windowSeconds, seconds }, ...whole } = plan
  const arms = listArms(plan).map(arm => toArmAtRate(arm, rate, plan.seed))
  return {
    ...whole,
    protocol: 'rates',
    result: 'latency',
    // The rate is one of requests.
    unit: 'requests',
    arms,
    contrasts: [],
    twin: null,
    claims: [],
    windowSeconds,
    startBlocks: undefined,
    targets: { ...plan.targets, minBlocks: blocks, maxBlocks: blocks, budgetSeconds: seconds }
  }
}

/**
 * Returns an arm that gets requests at a rate.
 *
 * @param {Arm} arm
 * @param {number} rate requests per second
 * @param {number} seed
 * @returns {Arm}
 */
export const toArmAtRate = (arm, rate, seed) => ({
  ...arm,
  load: { ...arm.load, engine: 'paced', connections: Math.max(CONNECTIONS, arm.load.connections), rate, seed }
})

/** Computes the stop conditions of a run and its number of starts (pure). */
import { badOption } from '../errors.js'
import { halfWidthFor, getContrastLevel, smallestSampleFor } from './sample-size.js'

/** @import { HopbenchError } from '../errors.js' */
/** @import { Experiment, Plan, ProtocolAbout, Targets, WarmUpPlan } from '../types.js' */
/** @import { PlanOptions } from './plan.js' */

/** Length of a slice, in seconds. A longer slice gains little, because its noise is not white. */
export const SLICE_SECONDS = 0.5
/**
 * Shortest turns of an arm, in seconds. Arms share more of the noise in shorter turns, and each turn begins with cold
 * caches. Where load and served side share cores, the kernel also places the processes anew: the ratio of a cluster to
 * one process was 11 % larger with turns of 0.05 s than with 0.5 s, and 3 % with 0.1 s; with 0.25 s no bias was shown
 * (docs/method.md).
 */
const TURN_SECONDS = { split: 0.1, shared: 0.25 }
/** Steps in which a turn is lengthened, in seconds. */
const TURN_STEP_SECONDS = 0.05
/** Largest share of a turn that may be lost by cold caches, so that ratios of cheap and dear requests are right. */
const MAX_TURN_LOSS = 0.02

/**
 * Computes the length of a turn from the time that each turn loses on this machine.
 * @param {number | null | undefined} lossMs null or undefined: unknown
 * @param {'split' | 'shared'} cores of load and served side
 * @returns {number} in seconds: a multiple of TURN_STEP_SECONDS, at most a slice
 */
export function computeTurnSeconds (lossMs, cores) {
  const steps = Math.ceil((lossMs ?? 0) / 1000 / MAX_TURN_LOSS / TURN_STEP_SECONDS)
  return Math.min(SLICE_SECONDS, Math.max(TURN_SECONDS[cores], steps * TURN_STEP_SECONDS))
}

/** Half-width at which a run ends: 2 %, so that a difference of 5 % is detected and one of 3 % is within the margin. */
export const PRECISION = 0.02
const MIN_BLOCKS = 12 // Fewer blocks estimate the variance of the noise too poorly (docs/statistics.md).
/**
 * Default budget. Two quiet cores reach the precision within four minutes; the report states the precision that others
 * reached.
 */
export const BUDGET_SECONDS = 290
/** Least default budget for each arm of two starts: on a slow core a warm-up takes 20 s, and eight blocks 5 s. */
const SECONDS_PER_ARM = 55
/** Default budget with --detect: the longest time that a user may want to wait. */
const DETECT_SECONDS = 1200
/** Blocks of --quick: the fewest that have a 95 % interval. */
const QUICK_BLOCKS = 6
/** Returns the budget of --quick: set-up, each arm's warm-up and slices, and blocks that replace invalid ones. */
const quickBudget = (/** @type {number} */ arms) => Math.min(200, Math.max(45, 10 + 20 * arms))
/**
 * Seconds that a window of --quick takes beyond its own length: starting the generator, opening connections, warming
 * up. Under other load on 2 cores a window of 1.5 s took 3.8 s in all.
 */
const SECONDS_BESIDE_WINDOW = 2.5
/** Blocks of --quick with paused arms. A block costs no more than its slices, so there are more and shorter ones. */
const QUICK_GANG = { blocks: 12, seconds: 0.3 }
/**
 * A start costs 14 to 22 seconds an arm, most of which is its warm-up, and a block half of one. Of 4 to 20 blocks the
 * calculated intervals of five arms were narrowest with 6 to 8, on a quiet machine (sd of a block 2 %, of a start
 * 1.2 %) and on a noisy one (8.7 and 3.5 %) alike.
 */
const BLOCKS_PER_START = 8
/** Blocks of a run at given rates, which reports the median of percentiles and has no interval to narrow. */
const RATE_BLOCKS = { full: 3, quick: 1 }

/**
 * Computes the stop conditions of a run.
 * @param {Experiment} experiment
 * @param {{ protocol: ProtocolAbout, contrasts: [string, string][], arms: number }} plan arms: their number
 * @param {PlanOptions} options
 * @returns {Targets}
 * @throws {HopbenchError} bad-option
 */
export function computeTargets (experiment, { protocol, contrasts, arms }, options) {
  const { quick = false, detect, margin, precision = PRECISION } = options
  const budgetSeconds = options.budgetSeconds ?? computeBudget(experiment, { arms, protocol }, options)
  const maxBlocks = mostBlocks(experiment, protocol, options)
  rejectUnlessPositive(precision, budgetSeconds)
  rejectDetect(protocol, options)
  /** @type {Targets} */
  const targets = {
    precision,
    budgetSeconds,
    minBlocks: quick ? QUICK_BLOCKS : MIN_BLOCKS,
    maxBlocks,
    adjusted: !quick,
    ...(options.precision ?? detect) !== undefined && { fixed: true, requested: true },
    // A requested precision takes precedence.
    ...margin !== undefined && (options.precision ?? detect) === undefined && { margin }
  }
  if (detect !== undefined) targets.precision = halfWidthFor(detect, getContrastLevel(contrasts, targets))
  // With many contrasts, twelve blocks have no interval of the adjusted level.
  const needed = contrasts.length > 0 ? smallestSampleFor(getContrastLevel(contrasts, targets)) : 1
  if (maxBlocks !== null && !options.smoke && !(maxBlocks >= needed)) {
    throw badOption('The number of blocks of the experiment', maxBlocks,
      `${contrasts.length} contrasts need at least ${needed} blocks`)
  }
  return { ...targets, minBlocks: Math.min(Math.max(targets.minBlocks, needed), maxBlocks ?? Infinity) }
}

/**
 * @param {number} precision
 * @param {number} budgetSeconds
 */
function rejectUnlessPositive (precision, budgetSeconds) {
  if (!(precision > 0 && precision < 1)) {
    throw badOption('--precision', precision, 'it is a share between 0 and 1, as 2 %')
  }
  if (!(budgetSeconds > 0)) throw badOption('--budget', budgetSeconds, 'it is a time above 0, as 90s')
}

/**
 * @param {Experiment} experiment
 * @param {{ arms: number, protocol: ProtocolAbout }} plan arms: their number
 * @param {PlanOptions} options
 */
function computeBudget ({ budgetSeconds }, { arms, protocol }, { quick, detect }) {
  const own = typeof budgetSeconds === 'object' ? budgetSeconds[quick ? 'quick' : 'full'] : budgetSeconds
  if (detect) return Math.max(own ?? 0, DETECT_SECONDS)
  if (own !== undefined && (!quick || typeof budgetSeconds === 'object')) return own
  if (!quick) return Math.max(BUDGET_SECONDS, protocol.paused ? SECONDS_PER_ARM * arms : 0)
  const { windowSeconds, warm, steps } = protocol
  // Arms in windows of their own run one after the other. Six blocks do not fit into the budget of paused arms.
  if (windowSeconds === null || !warm || steps !== null) return quickBudget(arms)
  return Math.max(quickBudget(arms), 9 + arms * QUICK_BLOCKS * (windowSeconds.quick + SECONDS_BESIDE_WINDOW))
}

/**
 * Returns the number of blocks after which the run ends, or null where it ends by its precision.
 * @param {Experiment} experiment
 * @param {ProtocolAbout} protocol
 * @param {PlanOptions} options
 */
function mostBlocks ({ shares, blocks = shares && RATE_BLOCKS }, { starts }, { quick, maxBlocks }) {
  if (maxBlocks !== undefined) return maxBlocks
  if (blocks) return blocks[quick ? 'quick' : 'full']
  if (!quick) return null
  return starts ? QUICK_GANG.blocks : QUICK_BLOCKS
}

/**
 * Longest warm-up of an arm, in seconds. In 90 s a cluster of four on one core is compiled, at up to 180 µs a
 * request. A quick run waits for one process that serves 8,000 requests a second.
 */
export const WARM_UP_SECONDS = { full: 90, quick: 15 }

/** Share of the budget that the warm-ups of one start may take, so that blocks are measured with any budget. */
const WARM_UP_SHARE = 0.7

/**
 * Returns how long an arm may be warmed up.
 * @param {{ quick?: boolean, warmUpSeconds?: number }} [options] warmUpSeconds: typed, for any budget
 * @param {{ budgetSeconds: number, arms: number }} [run] left out: without a budget. arms: their number
 * @returns {WarmUpPlan}
 */
export function computeWarmUp ({ quick = false, warmUpSeconds } = {}, { budgetSeconds, arms } = NO_BUDGET) {
  const usual = Math.min(WARM_UP_SECONDS[quick ? 'quick' : 'full'], WARM_UP_SHARE * budgetSeconds / arms)
  return { limitSeconds: warmUpSeconds ?? usual }
}
const NO_BUDGET = { budgetSeconds: Infinity, arms: 1 }

/**
 * Returns the number of blocks per start. A quick run has one start.
 * @param {ProtocolAbout} protocol
 * @param {PlanOptions} options
 * @returns {Pick<Plan, 'startBlocks' | 'windowSeconds'>}
 */
export function computeStarts ({ starts }, { quick }) {
  if (!starts) return {}
  return quick ? { startBlocks: null, windowSeconds: QUICK_GANG.seconds } : { startBlocks: BLOCKS_PER_START }
}

/**
 * Rejects --detect where a run does not end by a precision that follows from it.
 * @param {ProtocolAbout} protocol
 * @param {PlanOptions} options
 * @throws {HopbenchError} bad-option
 */
function rejectDetect ({ windowSeconds }, { detect, quick, precision }) {
  if (detect === undefined) return
  const reject = (/** @type {string} */ why, /** @type {string} */ remedy) =>
    badOption('--detect', `${detect * 100}%`, why, remedy)
  if (windowSeconds !== null) {
    throw reject(
      'this experiment restarts everything for each of its windows, whose length is fixed',
      'Give it more time with --budget, or --precision.'
    )
  }
  if (quick) throw reject('it and --quick are mutually exclusive', 'Use one of the two.')
  if (precision !== undefined) throw reject('it and --precision are mutually exclusive', 'Use one of the two.')
}

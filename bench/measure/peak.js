/** Measures the peak of arms, their throughput in a closed loop, of which offered rates are shares. */
import { getErrorMessage } from '../errors.js'
import { findClosedLoop } from './closed-loop.js'
import { endsRun } from './rigs/rig.js'
import { measureUndisturbed } from './undisturbed.js'
import { getProfile } from '../plan/plan.js'
import { computeWarmUp } from '../plan/targets.js'
import { ensureWarm } from './warm-up.js'

/** @import { Engines, FoundEngine } from '../load/types.js' */
/** @import { Arm, Plan, Sample } from '../types.js' */
/** @import { HeldStages } from './rigs/isolated-rig.js' */
/** @import { RigOptions, WindowOptions } from './types.js' */

const SECONDS = 2
/** Windows of a peak, because single windows vary (docs/method.md). */
const WINDOWS = { full: { count: 3, seconds: 2 }, quick: { count: 3, seconds: 1 }, smoke: { count: 1, seconds: 1 } }
/** A block number of its own, so that the processes of a peak are used for nothing else. */
const PEAK_BLOCK = -2

/**
 * Measures one window in a closed loop.
 * @param {Arm} arm
 * @param {Pick<WindowOptions, 'staged' | 'cores' | 'tag'> & Partial<Pick<WindowOptions, 'seconds'>> &
 * { engines?: Engines, engine?: string, connections?: number, path?: string }} order engines: omitted: the load is made
 * on this machine; engine: omitted: the fastest one that can make the load
 * @returns {Promise<{ sample: Sample, engine: FoundEngine, arm: Arm }>} arm: as it was loaded
 */
export async function measurePeak (arm, order) {
  const { staged, cores, seconds = SECONDS, path = arm.load.path } = order
  const { engine, load } = await findClosedLoop(arm, staged, order)
  const loaded = { ...arm, load }
  // The gate has not requested another path, so its body is not known.
  const target = path === arm.load.path ? staged.target : { ...staged.target, expectBody: null }
  const sample = await measureUndisturbed({
    arm: loaded,
    staged: { ...staged, target },
    engine,
    cores,
    seconds,
    tag: order.tag ?? 'peak'
  })
  return { sample, engine, arm: loaded }
}

/** Returns the median, or the lower one of two in the middle (pure). @param {number[]} peaks */
const findMiddlePeak = peaks => [...peaks].sort((a, b) => a - b)[Math.floor((peaks.length - 1) / 2)]

/**
 * Finds the lowest peak of all arms before the first trial, so that shares of it are the same rates for each arm.
 * @param {Pick<Plan, 'arms' | 'quick' | 'smoke' | 'warmUp'>} plan
 * @param {Pick<HeldStages, 'begin' | 'end' | 'addTool'>} stages
 * @param {Pick<RigOptions, 'cores' | 'engines' | 'printProgress' | 'interrupted'> & { measure?: typeof measurePeak,
 *   warm?:
 * typeof ensureWarm }} options measure, warm: replaced in tests
 * @returns {Promise<number>} requests per second
 */
export async function findLowestPeak (plan, stages, options) {
  /** @type {number[]} */
  const peaks = []
  for (const arm of plan.arms.filter(({ ladder }) => !ladder?.step)) {
    try {
      const peak = await findPeak(arm, stages, plan, options)
      // The trials of an arm without a peak show why it has none.
      if (peak > 0) peaks.push(peak)
    } catch (error) {
      if (endsRun(error)) throw error
      options.printProgress(`the peak of ${arm.name} could not be found: ${getErrorMessage(error)}`)
    } finally {
      await stages.end()
    }
  }
  if (peaks.length === 0) throw new Error('no arm has shown a peak')
  return Math.min(...peaks)
}

/**
 * @param {Arm} arm
 * @param {Pick<HeldStages, 'begin' | 'addTool'>} stages
 * @param {Parameters<typeof findLowestPeak>[0]} plan
 * @param {Parameters<typeof findLowestPeak>[2]} options
 * @returns {Promise<number>} 0: all windows were invalid, or the gate has refused the arm
 */
async function findPeak (arm, stages, plan, options) {
  const { cores, engines, printProgress, interrupted, measure = measurePeak, warm = ensureWarm } = options
  const held = await stages.begin(arm, PEAK_BLOCK)
  if (!held) return 0
  const { staged } = held
  printProgress(`finding the peak of ${held.of}`)
  const { limitSeconds } = plan.warmUp ?? computeWarmUp(plan)
  await warm(arm, { staged, cores, engines, printProgress, interrupted, limitSeconds, smoke: plan.smoke })
  const { count, seconds } = WINDOWS[getProfile(plan)]
  // A schedule under overload uses all connections, and a request costs more then (docs/method.md).
  const { connections } = arm.load
  const measured = []
  for (let i = 0; i < count; i++) {
    const { sample, engine } = await measure(arm, { staged, cores, engines, connections, seconds, tag: `peak-${i}` })
    stages.addTool(engine)
    if (!sample.invalid) measured.push(sample.rps)
  }
  return measured.length > 0 ? findMiddlePeak(measured) : 0
}

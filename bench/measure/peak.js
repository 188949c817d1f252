/** Measures the peak of arms, their throughput in a closed loop, of which offered rates are shares. */
import { getErrorMessage, isHopbenchError } from '../errors.js'
import { DEFAULT, localEngines } from '../load/find-engine.js'
import { getTargetFacts, findRefusal } from '../load/capabilities.js'
import { measureUndisturbed } from './undisturbed.js'
import { getProfile } from '../plan/plan.js'

/** @import { Engines, FoundEngine } from '../load/shapes.js' */
/** @import { Arm, Plan, Sample } from '../types.js' */
/** @import { HeldStages } from './held-stages.js' */
/** @import { RigOptions, WindowOrder } from './shapes.js' */

const CONNECTIONS = 100 // Enough to saturate an arm, and few enough for any engine.
const SECONDS = 2
/** Windows of a peak: code is compiled in the first one, and single windows vary (docs/method.md). */
export const SETTLED = {
  full: { warmSeconds: 4, windows: 3, seconds: 2 },
  quick: { warmSeconds: 1.5, windows: 3, seconds: 1 },
  smoke: { warmSeconds: 1, windows: 1, seconds: 1 }
}
/** A block number of its own, so that the processes of a peak are used for nothing else. */
const PEAK_BLOCK = -2

/**
 * Measures one window in a closed loop.
 * @param {Arm} arm
 * @param {Pick<WindowOrder, 'staged' | 'cores' | 'tag'> & Partial<Pick<WindowOrder, 'seconds'>> &
 * { engines?: Engines, engine?: string, connections?: number, path?: string }} order engines: omitted: the load is made
 * on this machine; engine: omitted: the fastest one that can make the load
 * @returns {Promise<{ sample: Sample, engine: FoundEngine, arm: Arm }>} arm: as it was loaded
 */
export async function measurePeak (arm, order) {
  const { staged, engines = localEngines, seconds = SECONDS, connections = CONNECTIONS, path = arm.load.path } = order
  const { rate, share, arrivals, seed, ...load } = arm.load
  const facts = { ...getTargetFacts(arm.topology), unix: staged.target.socketPath !== null }
  const faster = order.engine ? null : await engines.findFaster()
  const isAble = faster && findRefusal(faster.plugin.about, { load, facts, protocol: {} }) === null
  const engine = isAble ? faster : await engines.find(order.engine ?? DEFAULT)
  const loaded = { ...arm, load: { ...load, engine: engine.name, connections, path } }
  // The gate has not requested another path, so its body is not known.
  const target = path === arm.load.path ? staged.target : { ...staged.target, expectBody: null }
  const sample = await measureUndisturbed({
    arm: loaded,
    staged: { ...staged, target },
    engine,
    cores: order.cores,
    kind: { warm: true },
    seconds,
    tag: order.tag ?? 'peak'
  })
  return { sample, engine, arm: loaded }
}

/** Returns the median, or the lower one of two in the middle (pure). @param {number[]} peaks */
export const findMiddlePeak = peaks => [...peaks].sort((a, b) => a - b)[Math.floor((peaks.length - 1) / 2)]

/**
 * Finds the lowest peak of all arms before the first trial, so that shares of it are the same rates for each arm.
 * @param {Pick<Plan, 'arms' | 'quick' | 'smoke'>} plan
 * @param {Pick<HeldStages, 'begin' | 'end' | 'addTool'>} stages
 * @param {Pick<RigOptions, 'cores' | 'engines' | 'note'> & { measure?: typeof measurePeak }} options measure: replaced
 * in tests
 * @returns {Promise<number>} requests per second
 */
export async function findLowestPeak (plan, stages, options) {
  /** @type {number[]} */
  const peaks = []
  for (const arm of plan.arms.filter(({ ladder }) => !ladder?.step)) {
    try {
      const peak = await findPeak(arm, stages, { ...options, ...SETTLED[getProfile(plan)] })
      // The trials of an arm without a peak show why it has none.
      if (peak > 0) peaks.push(peak)
    } catch (error) {
      if (isHopbenchError(error, 'gate-refused')) throw error
      options.note(`the peak of ${arm.name} could not be found: ${getErrorMessage(error)}`)
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
 * @param {Parameters<typeof findLowestPeak>[2] & { warmSeconds: number, windows: number, seconds: number }} options
 * @returns {Promise<number>} 0: all windows were invalid, or the gate has refused the arm
 */
async function findPeak (arm, stages, { cores, engines, note, measure = measurePeak, ...settled }) {
  const held = await stages.begin(arm, PEAK_BLOCK)
  if (!held) return 0
  note(`finding the peak of ${held.of}`)
  const measured = []
  const lengths = [settled.warmSeconds, ...Array(settled.windows).fill(settled.seconds)]
  for (const [i, seconds] of lengths.entries()) {
    const { sample, engine } = await measure(arm, { staged: held.staged, cores, engines, seconds, tag: `peak-${i}` })
    stages.addTool(engine)
    if (i > 0 && !sample.invalid) measured.push(sample.rps)
  }
  return measured.length > 0 ? findMiddlePeak(measured) : 0
}

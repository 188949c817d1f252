/** What arms do in a closed loop, as fast as they answer: the measure of rates that are shares of it. */
import { getErrorMessage } from '../errors.js'
import { DEFAULT, localEngines } from '../load/find-engine.js'
import { factsOf, refusal } from '../load/capabilities.js'
import { measureUndisturbed } from './undisturbed.js'
import { profileOf } from '../plan/plan.js'

/** @import { Engines, FoundEngine } from '../load/shapes.js' @import { Arm, Plan, Sample } from '../types.js'
 * @import { HeldStages } from './held-stages.js' @import { RigOptions, WindowOrder } from './shapes.js' */

const CONNECTIONS = 100 // Enough to keep everything busy, and no more than any engine takes.
const SECONDS = 2
/** Code is compiled over seconds of CPU time, as in a sizing; one window says little of the next (docs/method.md). */
export const SETTLED = {
  full: { warmSeconds: 4, windows: 3, seconds: 2 },
  quick: { warmSeconds: 1.5, windows: 3, seconds: 1 },
  smoke: { warmSeconds: 1, windows: 1, seconds: 1 }
}
/** No block: what is up for its peak is used for nothing else. */
const PEAK_BLOCK = -2

/** @typedef {Pick<WindowOrder, 'staged' | 'cores' | 'tag'> & Partial<Pick<WindowOrder, 'seconds'>> & { engines?:
 * Engines, connections?: number, path?: string }} PeakOrder engines: where the load is made; left out: here */

/** @param {Arm} arm @param {PeakOrder} order
 * @returns {Promise<{ sample: Sample, engine: FoundEngine, arm: Arm }>} arm: as it was loaded */
export async function measurePeak (arm, order) {
  const { staged, engines = localEngines, seconds = SECONDS, connections = CONNECTIONS, path = arm.load.path } = order
  const { rate, share, arrivals, seed, ...load } = arm.load
  const facts = { ...factsOf(arm.topology), unix: staged.target.socketPath !== null }
  const faster = await engines.findFaster()
  const isAble = faster && refusal(faster.plugin.about, { load, facts, protocol: {} }) === null
  const engine = isAble ? faster : await engines.find(DEFAULT)
  const loaded = { ...arm, load: { ...load, engine: engine.name, connections, path } }
  // Another path has another body, which nobody has asked for at the gate.
  const target = path === arm.load.path ? staged.target : { ...staged.target, expectBody: null }
  const sample = await measureUndisturbed({
    arm: loaded,
    block: 0,
    startedAt: new Date().toISOString(),
    staged: { ...staged, target },
    engine,
    cores: order.cores,
    kind: { warm: true, series: false },
    seconds,
    unit: 'requests',
    tag: order.tag ?? 'peak'
  })
  return { sample, engine, arm: loaded }
}

/** The middle one, of two the lower (pure). @param {number[]} peaks */
export const middlePeak = peaks => [...peaks].sort((a, b) => a - b)[Math.floor((peaks.length - 1) / 2)]

/** Finds, before the first trial, what all arms are loaded by shares of: the lowest of their peaks, so that each is
 * offered the same rates. @param {Pick<Plan, 'arms' | 'quick' | 'smoke'>} plan
 * @param {Pick<HeldStages, 'begin' | 'end' | 'tools'>} stages
 * @param {Pick<RigOptions, 'cores' | 'engines' | 'note'>} how @param {typeof measurePeak} [measure]
 * @returns {{ find: () => Promise<number> }} requests per second */
export function lowestPeak (plan, stages, { cores, engines, note }, measure = measurePeak) {
  const { warmSeconds, windows, seconds } = SETTLED[profileOf(plan)]
  const arms = plan.arms.filter(({ ladder }) => !ladder?.step)
  /** @type {Promise<number> | null} */
  let found = null
  const peakOf = async (/** @type {Arm} */ arm) => {
    const held = await stages.begin(arm, PEAK_BLOCK)
    if (!held) return []
    note(`finding the peak of ${held.of}`)
    const measured = []
    for (const [i, length] of [warmSeconds, ...Array(windows).fill(seconds)].entries()) {
      const order = { staged: held.staged, cores, engines, seconds: length, tag: `peak-${i}` }
      const { sample, engine } = await measure(arm, order)
      stages.tools[engine.name] = engine.version
      if (i > 0 && !sample.invalid) measured.push(sample.rps)
    }
    const peak = measured.length > 0 ? middlePeak(measured) : 0
    // What is invalid, or answers nothing, has no peak: its trials will say why.
    return peak > 0 ? [peak] : []
  }
  const findAll = async () => {
    const peaks = []
    for (const arm of arms) {
      try {
        peaks.push(...await peakOf(arm))
      } catch (error) {
        if (/** @type {{ code?: string }} */ (error).code === 'gate-refused') throw error
        note(`the peak of ${arm.name} could not be found: ${getErrorMessage(error)}`)
      } finally {
        await stages.end()
      }
    }
    if (peaks.length === 0) throw new Error('no arm has shown a peak')
    return Math.min(...peaks)
  }
  return { find: () => (found ??= findAll()) }
}

/** The measuring rig of a run: topologies up and proven, generators warm and frozen, slices to cut. */
import { HopbenchError } from './errors.js'
import { openLoad } from './load.js'
import { createSlicer } from './protocols/slices.js'
import { openStage } from './stage.js'

/** @typedef {import('./types.d.ts').Reason} Reason */
/** @typedef {import('./types.d.ts').Plan} Plan */

/**
 * @typedef {object} Rig
 * @property {import('./protocols/slices.js').Slicer} slicer to which refused arms are lost from the start
 * @property {Map<string, Reason>} refused arms that the gate has refused
 * @property {string} engine the engine that makes the load
 * @property {{ arm: string, share: number } | null} switchedFor why it is not the default one
 * @property {Record<string, string>} tools version by program
 * @property {() => Promise<Map<string, Reason>>} finish ends the load; arms whose counts disagree
 * @property {() => Promise<void>} close ends everything; may be called at any time
 */

/**
 * @typedef {object} RigOptions
 * @property {string} temp
 * @property {string} keepIn folder that takes the configurations and logs in the end
 * @property {boolean} lab
 * @property {import('./cores.js').CoreSplit} cores
 * @property {string} engine
 * @property {boolean} mayswitch
 * @property {string} cwd
 * @property {number} maxSeconds
 * @property {(text: string) => void} note
 */

/**
 * @param {Plan} plan
 * @param {RigOptions} options
 * @returns {Promise<Rig>}
 */
export async function openRig (plan, { temp, keepIn, lab, cores, engine, mayswitch, cwd, maxSeconds, note }) {
  note(`starting ${plan.arms.length} topologies`)
  const stage = await openStage(plan.arms, { temp, keepIn, lab, cores: cores.split ? cores.served : null, cwd, root: plan.root })
  try {
    refuseNothingLeft(plan, stage.refused)
    const load = await openLoad([...stage.arms.values()], { quick: plan.quick, engine, mayswitch, cores: cores.split ? cores.load : null, maxSeconds, note })
    const slicer = createSlicer(load.arms, cores)
    return {
      slicer: { ...slicer, lost: () => new Set([...stage.refused.keys(), ...slicer.lost()]) },
      refused: stage.refused,
      engine: load.engine,
      switchedFor: load.switchedFor,
      tools: { ...stage.tools, [load.engine]: load.version },
      finish: () => compareCounts(load.arms, slicer.lost()),
      // Whatever goes wrong with the load, the topologies end.
      close: () => load.close().finally(() => stage.close()).finally(() => slicer.close())
    }
  } catch (error) {
    await stage.close()
    throw error
  }
}

/**
 * With the arms that the gate has let pass there must be something to compare.
 * @param {Pick<Plan, 'arms' | 'contrasts'>} plan
 * @param {Map<string, Reason>} refused
 * @throws {HopbenchError} gate-refused
 */
export function refuseNothingLeft ({ arms, contrasts }, refused) {
  const pairs = contrasts.length > 0 ? contrasts : [[arms[0].name]]
  if (pairs.some(pair => !pair.some(name => refused.has(name)))) return
  const [name, { text }] = [...refused][0]
  throw new HopbenchError('gate-refused', { name, why: text })
}

/**
 * Ends every generator and compares what it says it sent with what the served side says it got.
 * @param {Map<string, import('./load.js').LoadedArm>} arms
 * @param {Set<string>} lost arms of which a process has ended: nothing to compare
 * @returns {Promise<Map<string, Reason>>}
 */
async function compareCounts (arms, lost) {
  /** @type {Map<string, Reason>} */
  const problems = new Map()
  await Promise.all([...arms].filter(([name]) => !lost.has(name)).map(async ([name, { staged, generator, frontBefore }]) => {
    try {
      const report = await generator.end()
      if (!report) return
      const served = (await staged.running.front()).requests - frontBefore
      const why = disagreement({ ...report, served, connections: staged.arm.load.connections })
      if (why) problems.set(name, { code: 'counts-disagree', text: why })
    } catch (error) {
      // One arm whose counts are lost is no reason to lose the others' samples.
      problems.set(name, { code: 'no-report', text: `its counts could not be compared: ${/** @type {Error} */ (error).message}` })
    }
  }))
  return problems
}

/**
 * Client and server count the same requests, but for those in flight when the generator ended and
 * those whose answer got lost (pure).
 * @param {{ measurement: import('./types.d.ts').Measurement, sampled: number, served: number, connections: number }} counts
 * @returns {string | null}
 */
export function disagreement ({ measurement, sampled, served, connections }) {
  const { requests, errors } = measurement
  const client = requests + sampled
  const lost = errors.timeouts + errors.resets
  // One more for the sampler, whose last request may be in flight too.
  const most = client + connections + lost + 1
  if (served >= client && served <= most) return null
  return `the generator counted ${client} answers and the served side ${served} requests (at most ${connections} in flight)`
}

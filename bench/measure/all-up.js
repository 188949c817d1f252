/** The rig in which all arms are up at once, each with a generator that is frozen between its trials. */
import { localEngines } from '../load/find-engine.js'
import { profileOf } from '../plan/plan.js'
import { disagreement } from './disagreement.js'
import { openLoad } from './load.js'
import { refuseNothingLeft } from './rig.js'
import { createSlicer } from './slicer.js'
import { openStage } from './stage.js'
import { showsErrors } from '../plan/trial-errors.js'

/** @import { Measurement, Plan, Reason, Rig } from '../types.js'
 * @import { LoadedArm, RigOptions, Stage } from './shapes.js' */

/** @typedef {{ stage: Stage, load: Awaited<ReturnType<typeof openLoad>>, close: () => Promise<void> }} Up */

/** @param {Plan} plan @param {RigOptions} options @returns {Promise<Rig>} */
export async function openAllUp (plan, options) {
  const up = await bringUp(plan, options)
  const { stage, load } = up
  const slicer = createSlicer(load.arms, plan.unit)
  return {
    ...factsOf(up),
    trial: slicer.trial,
    lost: () => new Set([...stage.refused.keys(), ...slicer.lost()]),
    refused: () => stage.refused,
    finish: () => compareCounts(load.arms, slicer.lost()),
    close: () => up.close().finally(() => slicer.close())
  }
}

/** Starts all arms and their load, warm and frozen.
 * @param {Pick<Plan, 'arms' | 'contrasts' | 'root'> & Partial<Plan>} plan
 * @param {RigOptions & { certificates?: string }} options @returns {Promise<Up>} */
export async function bringUp (plan, options) {
  const { cores, note } = options
  note(`starting ${plan.arms.length} topologies`)
  const stage = await openStage(plan.arms, {
    ...options,
    cores: cores.split ? cores.served : null,
    root: plan.root
  })
  try {
    refuseNothingLeft(plan, stage.refused)
    const load = await openLoad([...stage.arms.values()], {
      ...options,
      engines: options.engines ?? localEngines,
      profile: profileOf(plan)
    })
    // Whatever goes wrong with the load, the topologies end.
    return { stage, load, close: () => load.close().finally(() => stage.close()) }
  } catch (error) {
    await stage.close()
    throw error
  }
}

/** What a rig tells of its engine and its programs. @param {Up} up */
export const factsOf = ({ stage, load: { engine, switchedFor, instead } }) => ({
  engine: engine.name,
  switchedFor,
  instead,
  tools: () => ({ ...stage.tools, [engine.name]: engine.version })
})

/** Ends every generator and compares what it says it sent with what the served side says it got.
 * @param {Map<string, LoadedArm>} arms @param {Set<string>} lost arms of which a process has ended: nothing to compare
 * @returns {Promise<Map<string, Reason>>} */
export async function compareCounts (arms, lost) {
  /** @type {Map<string, Reason>} */
  const problems = new Map()
  await Promise.all([...arms].filter(([name]) => !lost.has(name)).map(async ([name, arm]) => {
    // One arm whose counts are lost is no reason to lose the others' samples.
    const problem = await problemOf(arm).catch((/** @type {Error} */ { message }) => (
      { code: 'no-report', text: `its counts could not be compared: ${message}` }))
    if (problem) problems.set(name, problem)
  }))
  return problems
}

/** @param {LoadedArm} arm @returns {Promise<Reason | null>} */
async function problemOf ({ staged: { arm, running }, generator, frontBefore }) {
  const report = await generator.end()
  if (!report) return null
  const broken = brokenOff(report.measurement)
  if (broken) return broken
  const served = (await running.front()).requests - frontBefore
  const why = disagreement(report, { served, connections: arm.load.connections, countsLate: running.countsLate })
  return why ? { code: 'counts-disagree', text: why } : null
}

/** Answers that were not whole, or none, in an engine's own count: most tell of them at their end only. Its timeouts
 * are those of the pauses. @param {Pick<Measurement, 'requests' | 'errors'>} measurement @returns {Reason | null} */
export function brokenOff ({ requests, errors: { resets } }) {
  if (!showsErrors({ requests, errors: { non2xx: 0, timeouts: 0, mismatches: 0, resets } })) return null
  return { code: 'errors', text: `the generator counted ${resets} answers that broke off, and ${requests} whole ones` }
}

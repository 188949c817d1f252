/** The rig in which all arms are up at once, each with a generator that is frozen between its trials. */
import { localEngines } from '../load/find-engine.js'
import { profileOf } from '../plan/plan.js'
import { DIED, showsErrors } from '../shared/trial.js'
import { disagreement } from './disagreement.js'
import { openLoad } from './load.js'
import { refuseNothingLeft } from './rig.js'
import { createSlicer } from './slicer.js'
import { openStage } from './stage.js'

/** @import { Measurement, Plan, Reason, Rig } from '../types.js'
 * @import { LoadedArm, RigOptions, Stage } from './shapes.js' */

const LAST_LOOK_MS = 10 // How far the last count of a generator's requests may lie before its end.
/** Measured: some dozens while a generator in Node starts, then less than one in a hundred. */
const SPARE_CALLS = 100
const SPARE_SHARE = 0.01

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

/** A rig's engine and programs. @param {Up} up */
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
    const problem = await problemOf(arm).catch((/** @type {Error} */ { message }) => {
      // Clients that leave are what some servers die of.
      const died = arm.staged.running.failure()
      return died
        ? { code: DIED, text: died.message }
        : { code: 'no-report', text: `its counts could not be compared: ${message}` }
    })
    if (problem) problems.set(name, problem)
  }))
  return problems
}

/** @param {LoadedArm} arm @returns {Promise<Reason | null>} */
async function problemOf ({ staged: { arm, running, target }, generator, frontBefore }) {
  // The kernel forgets with the generator what it has sent.
  const watch = running.loadedBy && setInterval(() => running.front().catch(() => {}), LAST_LOOK_MS)
  const report = await generator.end().finally(() => clearInterval(watch))
  if (!report) return null
  const broken = brokenOff(report.measurement, target.tellStatuses)
  if (broken) return broken
  const served = (await running.front()).requests - frontBefore
  const { requests } = report.measurement
  // Where the kernel counts a generator's calls, a few of them are no requests: its threads wake each other.
  const spare = running.loadedBy && !running.proxied ? SPARE_CALLS + SPARE_SHARE * requests : 0
  const { connections } = arm.load
  const why = disagreement(report, { served, connections, countsLate: running.countsLate, spare })
  return why ? { code: 'counts-disagree', text: why } : null
}

/** Answers that were not whole, or none, in an engine's own count: most report them at their end only. Its timeouts
 * are those of the pauses. @param {Pick<Measurement, 'requests' | 'errors'>} measurement
 * @param {boolean} [tellsStatuses] nobody else counts answers that are errors @returns {Reason | null} */
export function brokenOff ({ requests, errors }, tellsStatuses = false) {
  const { resets } = errors
  const non2xx = tellsStatuses ? errors.non2xx : 0
  if (!showsErrors({ requests, errors: { non2xx, timeouts: 0, mismatches: 0, resets } })) return null
  const wrong = non2xx > 0 ? `, ${non2xx} that were errors` : ''
  return {
    code: 'errors', text: `the generator counted ${resets} answers that broke off${wrong}, and ${requests} whole ones`
  }
}

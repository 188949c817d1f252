/** Starts all arms with their load, and compares the counts of both sides when the load ends. */
import { localEngines } from '../../load/find-engine.js'
import { readCountAtRest } from '../../load/request-counts.js'
import { computeWarmUp } from '../../plan/targets.js'
import { DIED, showsErrors } from '../../shared/trial.js'
import { findDisagreement } from '../disagreement.js'
import { findFileChange } from '../gate/file-list.js'
import { CALLS_AT_START, openLoad } from '../load.js'
import { rejectNothingLeft } from './rig.js'
import { openStage } from '../stage.js'

/** @import { Generator, Report } from '../../load/types.js' */
/** @import { Measurement, Plan, Reason } from '../../types.js' */
/** @import { LoadedArm, RigOptions, Stage } from '../types.js' */

/**
 * Starts all arms and their load, warm and paused.
 * @param {Pick<Plan, 'arms' | 'contrasts' | 'root'> & Partial<Plan>} plan
 * @param {RigOptions & { certificates?: string, order?: string[] }} options order: of the warm-up; default: of the plan
 * @returns {Promise<{ stage: Stage, load: Awaited<ReturnType<typeof openLoad>>, close: () => Promise<void> }>}
 */
export async function bringUp (plan, options) {
  const { cores, printProgress, order = plan.arms.map(({ name }) => name) } = options
  printProgress(`starting ${plan.arms.length} topologies`)
  const stage = await openStage(plan.arms, {
    ...options,
    cores: cores.split ? cores.served : null,
    root: plan.root,
    contrasts: plan.allowsDifferent ? [] : plan.contrasts
  })
  try {
    rejectNothingLeft(plan, stage.refused)
    const load = await openLoad(order.flatMap(name => stage.arms.get(name) ?? []), {
      ...options,
      engines: options.engines ?? localEngines,
      limitSeconds: (plan.warmUp ?? computeWarmUp(plan)).limitSeconds,
      smoke: plan.smoke ?? false
    })
    // The topologies end even if the load cannot be ended.
    return { stage, load, close: () => load.close().finally(() => stage.close()) }
  } catch (error) {
    await stage.close()
    throw error
  }
}

/**
 * Ends every generator, and compares the responses that it counted with the requests that the served side counted.
 * @param {Map<string, LoadedArm>} arms
 * @param {Set<string>} lost arms of which a process has ended, and which are not compared
 * @returns {Promise<Map<string, Reason>>}
 */
export async function compareCounts (arms, lost) {
  /** @type {Map<string, Reason>} */
  const problems = new Map()
  await Promise.all([...arms].filter(([name]) => !lost.has(name)).map(async ([name, arm]) => {
    // The samples of the other arms stay valid if the counts of one arm are lost.
    const problem = await findProblem(arm).catch((/** @type {Error} */ error) => {
      // Some servers exit when clients disconnect.
      const died = arm.staged.running.failure()
      if (died) return /** @type {const} */ ({ code: DIED, params: { message: died.message } })
      return /** @type {const} */ ({ code: 'no-report', params: { message: describeError(error) } })
    })
    const reason = findFileChange(arm.staged) ?? problem
    if (reason) problems.set(name, reason)
  }))
  return problems
}

/** Returns the messages of an error and its cause. @param {Error} error */
const describeError = ({ message, cause }) =>
  cause instanceof Error ? `${message.replace(/\.$/, '')}: ${cause.message}` : message

/**
 * @param {LoadedArm} loaded
 * @returns {Promise<Reason | null>}
 */
async function findProblem (loaded) {
  const { staged: { arm, running, target }, generator, frontBefore } = loaded
  const isCountedByLoad = Boolean(running.setLoadCounter) && !running.proxied
  const { last, report } = isCountedByLoad ? await endPaused(loaded) : { last: null, report: await generator.end() }
  if (!report) return null
  // An app of your own closes connections that are idle while other arms start: one reset of each is no error.
  const closed = arm.topology.server?.command && !running.proxied ? arm.load.connections : 0
  const broken = findBrokenResponses(report.measurement, target.countsErrorResponses, closed)
  if (broken) return broken
  const served = last ?? (await running.front()).requests - frontBefore
  const { connections } = arm.load
  return isCountedByLoad
    ? findDisagreement({ ...report, sampled: 0 }, { served, connections, spare: CALLS_AT_START })
    : findDisagreement(report, { served, connections, countsLate: running.countsLate })
}

/**
 * Ends a generator that counts for its arm, and reads its count after its last request. The served side is paused
 * meanwhile: a closed loop then sends at most one more request on each connection and has to wait.
 * @param {LoadedArm} arm
 * @returns {Promise<{ last: number, report: Report | null }>} last: requests by the count
 * @throws {Error} if the count never becomes constant
 */
async function endPaused ({ staged: { running }, generator }) {
  running.pause()
  try {
    await generator.resume()
    return { last: await readCountAtRest(generator), report: await generator.end() }
  } finally {
    running.resume()
  }
}

/**
 * Finds too many broken responses in an engine's own count, because most engines report them only at the end. Timeouts
 * are ignored, because they expire during pauses.
 * @param {Pick<Measurement, 'requests' | 'errors'>} measurement
 * @param {boolean} [tellsStatuses] only the engine counts error responses
 * @param {number} [closed] connections that may have been closed while they were idle
 * @returns {Reason | null}
 */
function findBrokenResponses ({ requests, errors }, tellsStatuses = false, closed = 0) {
  const resets = Math.max(0, errors.resets - closed)
  const non2xx = tellsStatuses ? errors.non2xx : 0
  const broken = { non2xx, timeouts: 0, mismatches: 0, resets }
  if (!showsErrors({ requests, errors: broken })) return null
  return { code: 'errors', params: { errors: broken, requests, countedBy: 'generator' } }
}

/** Runs a plan on real machines, with the real clock and store. */
import { findWarnings } from '../judge/warnings.js'
import { HopbenchError } from '../errors.js'
import { readCpuTicks } from '../machine/cpu-ticks.js'
import { openRig } from '../measure/rigs/rig.js'
import { measure } from './pipeline.js'
import { toResumeWords } from '../plan/stored-plan.js'
import { knownServers } from './known-servers.js'
import { resolveLocation } from './location.js'
import { checkLimits } from '../request/plan-checks.js'
import { hasOpenLoop, measureOpenLoop } from './open-loop.js'
import { storedEngine, refuseOtherPrograms } from '../request/resume.js'
import { openStore } from './run-store.js'
import { lastSelftest } from './last-selftest.js'
import { now } from '../machine/clocks.js'
import { openWorkspace, utc } from './session.js'

/** @import { OpenRun, Plan, RunRecord, StoredRun } from '../types.js' */
/** @import { World } from './pipeline.js' */
/** @import { RunFlags } from '../request/types.js' */
/** @import { RunLocation, Workspace } from './types.js' */

/** Time after the budget at which a generator ends by itself, in seconds, in case hopbench was killed. */
const SPARE_SECONDS = 600

/**
 * Measures a plan and stores its record.
 *
 * @param {Plan} plan with secrets
 * @param {RunFlags} options
 * @param {object} world
 * @param {() => boolean} world.interrupted
 * @param {import('./session.js').Feed} [world.feed]
 * @param {World['isResolved']} [world.isResolved] whether the comparison of a run with a margin is resolved
 * @param {typeof addOpenLoop} [world.extend] measures the part after the throughput, and stores it with the record
 * @returns {Promise<{ dir: string, record: RunRecord, lost: HopbenchError | null, succeeded: boolean }>} dir: the run's
 *   folder; lost: error of a machine that became unreachable, which makes the run fail although its record is stored
 * @throws {HopbenchError} disk-full, and errors of opening the store and the rig
 */
export async function runPlan (plan, options, { feed, interrupted, isResolved, extend = addOpenLoop }) {
  const workspace = openWorkspace(feed)
  /** @type {{ close: () => unknown }[]} */
  const opened = [workspace]
  try {
    const location = await resolveLocation(plan, options, workspace)
    const { environment } = location
    const startedSeconds = startOfWallTime()
    checkLimits(plan, environment.limits.openFiles)
    // Opens the store first, so that an unusable results folder always causes the same error.
    const run = await openStore(plan, options, environment)
    opened.push(run)
    const selftestResolution = await lastSelftest(environment, options.results)
    const serverFacts = await knownServers(plan.arms, options.results)
    // The record gets the plan of the store, which is without secrets. The rig needs the plan with secrets.
    const throughput = await measure(run.plan, {
      openRig: () => openRunRig(plan, options, location, run, { ...workspace, interrupted }),
      run,
      resumed: run.record,
      earlier: run.samples,
      now,
      utc,
      interrupted,
      isResolved,
      progress: workspace.progress,
      serverFacts,
      environment,
      readCpuTicks,
      selftestResolution,
      startedSeconds,
      startedAt: run.startedAt
    }).catch(error => { throw isDiskFull(error) ? createDiskFullError(error, run, workspace.temp) : error })
    const record = await extend(throughput, plan, { options, location, workspace, run, interrupted })
    const lost = location.findLostHost()
    return { dir: run.dir, record, lost, succeeded: lost === null && isSuccess(record) }
  } finally {
    await closeAll(opened)
  }
}

/**
 * @typedef {object} OpenLoopWorld the side effects and facts of the part after the throughput
 * @property {RunFlags} options
 * @property {RunLocation} location
 * @property {Workspace} workspace
 * @property {Pick<OpenRun, 'writeRecord' | 'writeFile' | 'dir'>} run
 * @property {() => boolean} interrupted
 */

/**
 * Measures the open loop of a run with --rate after its throughput, and stores its results with the record.
 *
 * @param {RunRecord} record of the throughput
 * @param {Plan} plan with secrets
 * @param {OpenLoopWorld} world
 * @returns {Promise<RunRecord>}
 */
async function addOpenLoop (record, plan, { options, location, workspace, run, interrupted }) {
  if (!hasOpenLoop(plan) || !record.complete || record.ended === 'failed') return record
  const { progress, folder, cwd, note } = workspace
  const { cores } = location.environment
  const temp = folder('o')
  const openLoop = await measureOpenLoop(plan, {
    openRig: part => openRig(part, {
      temp,
      // Discards these configurations with the temporary folder. The run folder already holds those of the throughput
      // part, which differ only in the number of connections.
      keepIn: temp,
      engine: part.arms[0].load.engine,
      mayswitch: false,
      cwd,
      maxSeconds: Math.ceil(part.targets.budgetSeconds + SPARE_SECONDS),
      note,
      interrupted,
      ...location.machine
    }),
    progress,
    interrupted,
    servedCores: cores.served.length
  })
  const measured = { ...record, openLoop, endedAt: utc() }
  const whole = { ...measured, warnings: findWarnings(measured) }
  await run.writeRecord(whole)
  return whole
}

/**
 * Opens the rig of a run. A resumed run continues with the engine of its earlier part, and only with the same versions
 * of the programs.
 *
 * @param {Plan} plan with secrets
 * @param {RunFlags} options
 * @param {RunLocation} location
 * @param {Pick<StoredRun, 'dir' | 'run' | 'record' | 'samples'>} run
 * @param {Workspace & { interrupted: () => boolean }} workspace
 * @throws {HopbenchError} other-machine, and errors of starting the arms
 */
async function openRunRig (plan, options, { machine }, run, { temp, cwd, note, interrupted }) {
  const resumedEngine = run.samples.length > 0 ? storedEngine(run.record) : undefined
  const rig = await openRig(plan, {
    temp,
    keepIn: run.dir,
    // A rig has one engine for all arms.
    engine: resumedEngine ?? plan.arms[0].load.engine,
    mayswitch: options.engine === undefined && resumedEngine === undefined,
    cwd,
    maxSeconds: Math.ceil(plan.targets.budgetSeconds + SPARE_SECONDS),
    note,
    interrupted,
    ...machine
  })
  try {
    refuseOtherPrograms(run, rig)
    return rig
  } catch (error) {
    await rig.close()
    throw error
  }
}

/**
 * Returns the start of the run's wall time, in seconds of `now()`, which includes the start of this process.
 */
function startOfWallTime () {
  // The process that started this one in a PID namespace passes the time by CLOCK_MONOTONIC, which both share.
  const started = Number(process.env.HOPBENCH_STARTED ?? NaN)
  if (!Number.isFinite(started)) return now()
  return now() - Math.max(0, Number(process.hrtime.bigint()) / 1e9 - started)
}

/**
 * Returns whether a disk is full or its quota is exhausted.
 *
 * @type {(error: unknown) => error is NodeJS.ErrnoException}
 */
const isDiskFull = error =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')

/**
 * Creates the error for a full disk.
 *
 * @param {NodeJS.ErrnoException} error its path is missing if a file in the temporary folder could not be written
 * @param {{ dir: string, plan: Plan }} run its folder, and its plan without secrets
 * @param {string} temp the temporary folder
 */
const createDiskFullError = (error, { dir, plan }, temp) => new HopbenchError('disk-full', {
  file: error.path ?? `a file in ${temp}`, resume: `run --resume ${toResumeWords(dir, plan)}`
}, { cause: error })

/**
 * Returns whether a run succeeded: the run was neither interrupted nor ended for lack of valid arms, has a valid trial,
 * and has only valid contrasts. Accepts invalid contrasts if the experiment measures errors.
 *
 * @param {RunRecord} record
 */
const isSuccess = ({ complete, ended, contrasts, plan, arms }) =>
  complete && ended !== 'failed' && arms.some(({ trials, invalidTrials }) => trials > invalidTrials.length) &&
  (plan.errorsAreResults || contrasts.every(({ verdict }) => verdict !== 'invalid'))

/**
 * Closes resources in reverse order. Each is closed even if another one fails to close.
 *
 * @param {{ close: () => unknown }[]} resources in the order in which they were opened
 */
async function closeAll ([first, ...later]) {
  if (!first) return
  try {
    await closeAll(later)
  } finally {
    await first.close()
  }
}

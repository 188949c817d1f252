/** Carries a plan out in the real world: the machine, the clock, the store, the terminal. */
import { acquireRunLock } from '../machine/machine-lock.js'
import { explain, HopbenchError } from '../errors.js'
import { locateRig } from './remote/rig-location.js'
import { measure } from '../pipeline.js'
import { withoutSecrets, withSecrets } from '../plan/stored-plan.js'
import { openRun, readRun, reopenRun } from '../store/store.js'
import { checkLimits } from './plan-checks.js'
import { engineOf, refuseOtherMachine, refuseOtherPrograms } from './resume.js'
import { knownServers } from './known-servers.js'
import { lastSelftest } from './selftest/last.js'
import { now, openDesk, utc } from './session.js'
import { showPage, showRecord } from './show-record.js'

/** @import { Plan, RunRecord } from '../types.js' @import { RigLocation } from './remote/types.js' */
/** @import { Begun, Desk, Request, RunOptions } from './types.js' */

const SPARE_SECONDS = 600 // A generator that nobody ends stops by itself after the budget and this much more.

/** @param {Request} request
 * @param {{ json: boolean, interrupted: () => boolean, feed?: boolean }} terminal feed: progress as JSON, for a program
 * that follows @returns {Promise<{ dir: string, succeeded: boolean }>} dir: the run's folder */
export async function runPlan (request, { json, interrupted, feed = false }) {
  const desk = openDesk({ feed })
  try {
    const location = await locateRig(request.plan, request.options, desk)
    try {
      return await runAt(location, request, { json, interrupted, desk })
    } finally {
      await location.close()
    }
  } finally {
    desk.close()
  }
}

/** @param {RigLocation} location @param {Request} request
 * @param {{ json: boolean, interrupted: () => boolean, desk: Desk }} terminal */
async function runAt (location, { plan: whole, options }, { json, interrupted, desk }) {
  const plan = withoutSecrets(whole)
  const { environment } = location
  // Putting the project on another machine is no part of a run's wall time, starting this process is.
  const startedSeconds = environment.hosts ? now() : now() - secondsSinceStart()
  const startedAt = utc()
  checkLimits(plan, environment.limits.openFiles)
  const run = await openOrReopen(plan, options, { startedAt, environment })
  try {
    const record = await measure(plan, {
      openRig: plan => rigFor(withSecrets(plan, whole), { location, options, desk, run }),
      run,
      resumed: run.record,
      earlier: run.samples,
      now,
      utc,
      interrupted,
      progress: desk.progress,
      known: await knownServers(plan.arms, options.results),
      environment,
      resolves: await lastSelftest(environment, options.results),
      startedSeconds,
      startedAt: run.record?.startedAt ?? startedAt
    })
    showRecord(record, { json, dir: run.dir })
    const samples = async () => (await readRun(run.dir)).samples
    await showPage({ record, samples, dir: run.dir, resultsDir: options.results }, { json })
    const lost = await location.lost()
    if (lost) process.stderr.write(`${explain(lost).text}\n`)
    return { dir: run.dir, succeeded: !lost && succeeded(record) }
  } catch (error) {
    if (!isFullDisk(error)) throw error
    const facts = { file: error.path ?? `a file in ${desk.temp}`, resume: `run --resume ${run.dir}` }
    throw new HopbenchError('disk-full', facts, { cause: error })
  } finally {
    await run.close()
  }
}

/** The rig of a plan; of one that goes on, with the engine and the programs that it began with. @param {Plan} plan
 * @param {{ location: RigLocation, options: RunOptions, desk: Desk, run: Begun }} how */
async function rigFor (plan, { location, options, desk, run }) {
  const began = run.samples.length > 0 ? engineOf(run.record) : undefined
  const rig = await location.openRig(plan, {
    temp: desk.temp,
    keepIn: run.dir,
    engine: began ?? plan.arms[0].load.engine,
    mayswitch: options.engine === undefined && began === undefined,
    cwd: desk.cwd,
    maxSeconds: Math.ceil(plan.targets.budgetSeconds + SPARE_SECONDS),
    note: desk.note
  })
  try {
    refuseOtherPrograms(run, rig)
    return rig
  } catch (error) {
    await rig.close()
    throw error
  }
}

/** The suite itself began with the outer process; the clock of both is the same, and nobody sets it (CLOCK_MONOTONIC).
 * @returns {number} 0 where nobody said */
function secondsSinceStart () {
  const started = Number(process.env.HOPBENCH_STARTED ?? NaN)
  return Number.isFinite(started) ? Math.max(0, Number(process.hrtime.bigint()) / 1e9 - started) : 0
}

/** The folder of the run, which is this process's alone from now on. @param {Plan} plan @param {RunOptions} options
 * @param {Pick<RunRecord, 'startedAt' | 'environment'>} now */
async function openOrReopen (plan, { resume, results }, { startedAt, environment }) {
  if (resume === undefined) {
    const run = await openRun({ resultsDir: results, experiment: plan.experiment, startedAt, plan })
    await acquireRunLock(run.dir)
    return { ...run, samples: [], record: null }
  }
  // Before anything of it is read: who writes it now may add to it.
  await acquireRunLock((await readRun(resume, results)).dir)
  refuseOtherMachine(await readRun(resume, results), environment)
  return reopenRun(resume, results)
}

/** The temporary folder may be on a disk of its own. @type {(error: unknown) => error is NodeJS.ErrnoException} */
const isFullDisk = error =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')

/** Where errors are what an experiment is about, an arm with errors, or one that was not measured beyond them, is a
 * result; not one trial that counts is none. @param {RunRecord} record */
const succeeded = ({ complete, ended, contrasts, plan, arms }) =>
  complete && ended !== 'failed' && arms.some(({ trials, invalidTrials }) => trials > invalidTrials.length) &&
  (plan.errorsAreResults || contrasts.every(({ verdict }) => verdict !== 'invalid'))

/** Carries a plan out in the real world: the machine, the clock, the store, the terminal. */
import { holdRun } from './alone.js'
import { checkFailures } from './check/failures.js'
import { explain, HopbenchError } from './errors.js'
import { placeOf } from './hosts/place.js'
import { measure } from './pipeline.js'
import { createProgress } from './report/progress.js'
import { createFeed } from './report/progress-feed.js'
import { renderText } from './report/text.js'
import { checkLimits, whereTyped } from './request.js'
import { openRun, readRun, reopenRun } from './store.js'
import { lastCheck } from './store/check.js'
import { storedRun } from './stored-run.js'
import { lastSelftest } from './selftest/last.js'
import { tellComparison } from './tell-comparison.js'
import { makeTempRoot } from './temp.js'

/** @typedef {import('./types.d.ts').RunRecord} RunRecord */
/** @typedef {import('./tell-comparison.js').ComparisonOptions & { run: import('./compare.js').Run }} Baseline an earlier run, and what counts as slower */

/** A generator that nobody ends stops by itself after the budget and this much more. */
const SPARE_SECONDS = 600
const now = () => performance.now() / 1000
const utc = () => new Date().toISOString()

/**
 * @param {import('./request.js').Request} request
 * @param {{ json: boolean, interrupted: () => boolean, baseline?: Baseline, feed?: boolean }} terminal
 *   feed: progress as JSON, for a program that follows
 * @returns {Promise<number>} exit code
 */
export async function runPlan ({ plan, options }, { json, interrupted, baseline, feed = false }) {
  const temp = makeTempRoot()
  const progress = feed ? createFeed(process.stderr) : createProgress({ stream: process.stderr, isTTY: process.stderr.isTTY })
  const place = await placeOf(plan, options, { temp: temp.path, note: text => progress.stage(text) })
  try {
    return await runAt(place, { plan, options }, { json, interrupted, baseline, progress, temp: temp.path })
  } finally {
    await place.close()
    temp.remove()
  }
}

/**
 * @param {import('./hosts/place.js').Place} place
 * @param {import('./request.js').Request} request
 * @param {{ json: boolean, interrupted: () => boolean, baseline?: Baseline, progress: import('./report/progress.js').Progress, temp: string }} terminal
 * @returns {Promise<number>} exit code
 */
async function runAt (place, { plan, options }, { json, interrupted, baseline, progress, temp }) {
  const { environment } = place
  // Putting the project on another machine is no part of a run's wall time, starting this process is.
  const startedSeconds = environment.hosts ? now() : now() - secondsSinceStart()
  const startedAt = utc()
  checkLimits(plan, environment.limits.openFiles)
  const run = await openOrReopen(plan, options, startedAt)
  const checked = await lastCheck(options.results)
  try {
    const record = await measure(plan, {
      openRig: plan => place.openRig(plan, {
        temp,
        keepIn: run.dir,
        engine: plan.arms[0].load.engine,
        mayswitch: options.engine === undefined,
        cwd: whereTyped(),
        maxSeconds: Math.ceil(plan.targets.budgetSeconds + SPARE_SECONDS),
        note: text => progress.stage(text)
      }),
      run,
      earlier: run.samples,
      now,
      utc,
      interrupted,
      progress,
      bytesFrom: name => checked?.servers.find(server => server.name === name)?.about?.bytesFrom ?? null,
      checked: (server, proxy) => checkFailures(checked, server, proxy),
      environment,
      resolves: await lastSelftest(environment, options.results),
      startedSeconds,
      startedAt: run.record?.startedAt ?? startedAt
    })
    process.stdout.write(json
      ? `${JSON.stringify(record, null, 2)}\n`
      : renderText(record, { columns: process.stdout.columns ?? 80, color: process.stdout.isTTY && !process.env.NO_COLOR, dir: run.dir }))
    const page = await keepReport(record, run.dir, options.results)
    if (page && !json) process.stdout.write(`Charts: ${page}\n`)
    const lost = await place.lost()
    if (lost) process.stderr.write(`${explain(lost).text}\n`)
    if (lost || !succeeded(record)) return 1
    return baseline ? againstBaseline(baseline, await storedRun(run.dir), json) : 0
  } catch (error) {
    throw isFullDisk(error) ? new HopbenchError('disk-full', { file: error.path ?? `a file in ${temp}`, resume: `run --resume ${run.dir}` }, { cause: error }) : error
  } finally {
    await run.close()
  }
}

/**
 * The suite itself began with the outer process; the clock of both is the same, and nobody sets it (CLOCK_MONOTONIC).
 * @returns {number} 0 where nobody told
 */
function secondsSinceStart () {
  const started = Number(process.env.HOPBENCH_STARTED ?? NaN)
  return Number.isFinite(started) ? Math.max(0, Number(process.hrtime.bigint()) / 1e9 - started) : 0
}

/**
 * The folder of the run, which is this process's alone from now on.
 * @param {import('./types.d.ts').Plan} plan
 * @param {import('./request.js').RunOptions} options
 * @param {string} startedAt
 */
async function openOrReopen (plan, { resume, results }, startedAt) {
  if (resume === undefined) {
    const run = await openRun({ resultsDir: results, experiment: plan.experiment, startedAt, plan })
    await holdRun(run.dir)
    return { ...run, samples: [], record: null }
  }
  // Before anything of it is read: who writes it now may add to it.
  await holdRun((await readRun(resume, results)).dir)
  return reopenRun(resume, results)
}

/** The temporary folder may be on a disk of its own. @type {(error: unknown) => error is NodeJS.ErrnoException} */
const isFullDisk = error => error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')

/**
 * Where errors are what an experiment is about, an arm with errors, or one that was not measured
 * beyond them, is a result; not one trial that counts is none.
 * @param {RunRecord} record
 */
const succeeded = ({ complete, ended, contrasts, plan, arms }) =>
  complete && ended !== 'failed' && arms.some(({ trials, invalidTrials }) => trials > invalidTrials.length) && (plan.errorsAreResults || contrasts.every(({ verdict }) => verdict !== 'invalid'))

/**
 * The page beside the record. What was measured is stored: a page that cannot be drawn or written
 * loses none of it.
 * @param {RunRecord} record
 * @param {string} dir
 * @param {string} [resultsDir]
 * @returns {Promise<string | null>} the file; null: there is none
 */
async function keepReport (record, dir, resultsDir) {
  try {
    // Loaded when nothing is measured any more.
    const { writeReport } = await import('./report-file.js')
    return await writeReport({ record, samples: (await readRun(dir)).samples, dir, resultsDir })
  } catch (error) {
    process.stderr.write(`The report page was not written: ${explain(error).text}\n`)
    return null
  }
}

/**
 * @param {Baseline} baseline
 * @param {import('./compare.js').Run} stored
 * @param {boolean} json the record is on stdout
 * @returns {number} exit code
 */
function againstBaseline ({ run, ...options }, stored, json) {
  const stream = json ? process.stderr : process.stdout
  stream.write('\n')
  return tellComparison(run, stored, { ...options, stream })
}

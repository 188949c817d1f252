/** Every experiment with the stored run that speaks for it. */
import { loadPlugin, pluginNames } from '../../plugins.js'
import { recordFromSamples } from '../../pipeline.js'
import { listRuns, readRun } from '../../store/store.js'

/** @import { HopbenchError } from '../../errors.js' */
/** @import { PublishedExperiment } from '../../report/claims-page.js' */
/** @import { RunRecord } from '../../types.js' */

/**
 * @param {string} resultsDir may be missing: then nothing has been run
 * @returns {Promise<PublishedExperiment[]>} all experiments, by name
 * @throws {HopbenchError} bad-run-file, newer-run
 */
export async function publishedExperiments (resultsDir) {
  const runs = await listRuns(resultsDir)
  return Promise.all(pluginNames('experiment').map(async name => {
    const { default: experiment } = await loadPlugin('experiment', name)
    return { name, experiment, record: await bestRecord(name, runs, resultsDir) }
  }))
}

/**
 * The best there is.
 *
 * @param {string} experiment
 * @param {Awaited<ReturnType<typeof listRuns>>} runs the oldest first
 * @param {string} resultsDir
 * @returns {Promise<RunRecord | null>}
 */
export const bestRecord = async (experiment, runs, resultsDir) =>
  (await recordsByLine(experiment, runs, resultsDir))[0] ?? null

/**
 * The best run under each line of Node, the newest line first, as what its users have or will have: one that was
 * neither quick nor cut off before one that was, and of equals the last.
 *
 * @param {string} experiment
 * @param {Awaited<ReturnType<typeof listRuns>>} runs the oldest first
 * @param {string} resultsDir
 * @returns {Promise<RunRecord[]>}
 */
export async function recordsByLine (experiment, runs, resultsDir) {
  const candidates = []
  for (const { dir } of runs.filter(run => run.experiment === experiment)) {
    const stored = await readRun(dir, resultsDir)
    if (stored.plan?.smoke) continue
    if (stored.record?.complete) candidates.push(stored.record)
    // Cut off before its first block it has no result.
    else if (stored.record && stored.samples.length > 0) candidates.push(recordFromSamples(stored))
  }
  const worth = (/** @type {RunRecord} */ { complete, plan }) => (complete ? 2 : 0) + (plan.quick ? 0 : 1)
  const line = (/** @type {RunRecord} */ { environment }) => Number.parseInt(environment.node)
  const best = candidates.reverse().sort((a, b) => worth(b) - worth(a) || line(b) - line(a))
  return best.filter((record, i) => best.findIndex(other => line(other) === line(record)) === i)
}

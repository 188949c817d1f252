/** Every experiment with the stored run that speaks for it. */
import { loadPlugin, pluginNames } from '../../plugins.js'
import { recordFromSamples } from '../../pipeline.js'
import { listRuns, readRun } from '../../store/store.js'

/** @import { HopbenchError } from '../../errors.js' */
/** @import { PublishedExperiment } from '../../report/claims-page.js' @import { RunRecord } from '../../types.js' */

/** @param {string} resultsDir may be missing: then nothing has been run
 * @returns {Promise<PublishedExperiment[]>} all experiments, by name @throws {HopbenchError} bad-run-file, newer-run */
export async function publishedExperiments (resultsDir) {
  const runs = await listRuns(resultsDir)
  return Promise.all(pluginNames('experiment').map(async name => {
    const { default: experiment } = await loadPlugin('experiment', name)
    return { name, experiment, record: await bestRecord(name, runs, resultsDir) }
  }))
}

/** The best there is: a run that was neither quick nor cut off before one that was, and of equals the last.
 * @param {string} experiment @param {Awaited<ReturnType<typeof listRuns>>} runs the oldest first
 * @param {string} resultsDir @returns {Promise<RunRecord | null>} */
export async function bestRecord (experiment, runs, resultsDir) {
  const candidates = []
  for (const { dir } of runs.filter(run => run.experiment === experiment)) {
    const stored = await readRun(dir, resultsDir)
    if (stored.plan?.smoke) continue
    if (stored.record?.complete) candidates.push(stored.record)
    // Cut off before its first block it has nothing to tell.
    else if (stored.record && stored.samples.length > 0) candidates.push(recordFromSamples(stored))
  }
  const rank = (/** @type {RunRecord} */ { complete, plan }) => (complete ? 2 : 0) + (plan.quick ? 0 : 1)
  return candidates.reduce((best, record) => best && rank(best) > rank(record) ? best : record,
    /** @type {RunRecord | null} */ (null))
}

/** Reads the stored runs of one experiment, for its history. */
import { computeHistory } from '../judge/history.js'
import { HopbenchError } from '../errors.js'
import { nearest } from '../shared/nearest.js'
import { DEFAULT_RESULTS_DIR, latestRun, listRuns, readRun } from '../store/store.js'

/** @import { History } from '../judge/history.js' */

/** Most runs of a history, because reading a record takes about a tenth of a second. */
const MOST_RUNS = 200

/**
 * Returns the history of an experiment. Leaves out runs that are incomplete or cannot be read.
 *
 * @param {string | undefined} experiment undefined: that of the last run
 * @param {string} [resultsDir]
 * @returns {Promise<History & { unreadable: number }>} unreadable: number of runs that are left out
 * @throws {HopbenchError} no-runs, unknown-run
 */
export async function readHistory (experiment, resultsDir = DEFAULT_RESULTS_DIR) {
  const wanted = experiment ?? (await latestRun(resultsDir))?.experiment
  if (wanted === undefined) throw new HopbenchError('no-runs', { dir: resultsDir })
  const runs = await listRuns(resultsDir)
  const same = runs.filter(run => run.experiment === wanted).slice(-MOST_RUNS)
  // Reads the runs in sequence, because a record can take 100 MB.
  const records = []
  for (const { dir } of same) {
    const { record } = await readRun(dir, resultsDir).catch(() => ({ record: null }))
    if (record?.complete && !record.plan.smoke) records.push(record)
  }
  if (records.length === 0) {
    const other = nearest(wanted, runs.map(run => run.experiment))
    throw new HopbenchError('unknown-run', { name: wanted, dir: resultsDir, nearest: other })
  }
  return { ...computeHistory(records), unreadable: same.length - records.length }
}

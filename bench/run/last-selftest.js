/** Finds the last selftest on this machine, which reports quote. */
import { haveOneSpeed } from '../judge/machines.js'
import { latestRun, readRun } from '../store/store.js'

/** @import { Environment, RunRecord } from '../types.js' */

/** Name of a selftest in place of an experiment. */
export const SELFTEST = 'selftest'
const MINUTES = 5 // Wall time of a default run.

/**
 * @param {Environment} environment of the run that quotes it
 * @param {string} [resultsDir]
 * @returns {Promise<RunRecord['resolves']>} undefined: no selftest of this machine
 */
export async function lastSelftest (environment, resultsDir) {
  const entry = await latestRun(resultsDir, SELFTEST)
  // Ignores a damaged selftest, which does not concern the run.
  const { record = null } = entry ? await readRun(entry.dir).catch(() => ({ record: null })) : {}
  const row = record?.selftest?.resolution.table.find(({ minutes }) => minutes === MINUTES)
  if (!record || !row || !Number.isFinite(row.difference)) return undefined
  return haveOneSpeed(record.environment, environment)
    ? { run: record.run, minutes: row.minutes, difference: row.difference }
    : undefined
}

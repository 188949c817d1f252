/** What the last selftest on this machine says of it, for later reports to quote. */
import { latestRun, readRun } from '../../store/store.js'
import { SELFTEST } from './name.js'

/** @import { Environment, RunRecord } from '../../types.js' */

/** The wall time of a default run. */
const MINUTES = 5

/**
 * @param {Environment} environment of the run that quotes it
 * @param {string} [resultsDir]
 * @returns {Promise<RunRecord['resolves']>} undefined where there is none, or none of this machine
 */
export async function lastSelftest ({ cpu }, resultsDir) {
  const entry = await latestRun(resultsDir, SELFTEST)
  // A damaged one is nobody's fault here.
  const { record = null } = entry ? await readRun(entry.dir).catch(() => ({ record: null })) : {}
  const row = record?.selftest?.resolution.table.find(({ minutes }) => minutes === MINUTES)
  if (!record || !row || !Number.isFinite(row.difference)) return undefined
  const same = record.environment.cpu.model === cpu.model && record.environment.cpu.cores === cpu.cores
  return same ? { run: record.run, minutes: row.minutes, difference: row.difference } : undefined
}

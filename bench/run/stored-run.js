/** Finds stored runs by name. */
import { HopbenchError } from '../errors.js'
import { isFolder } from '../machine/files/system-files.js'
import { isForeign, stateCode } from '../plan/foreign.js'
import { recordFromSamples } from './pipeline.js'
import { latestRun, readConfigs, readRun } from '../store/store.js'
import { withAnswerWords } from './answer-words.js'

/** @import { RunRecord } from '../types.js' */

/**
 * configs: rendered configurations, see bench/store/configs.js
 * @typedef {import('../types.js').StoredRun & { record: RunRecord, configs: Record<string, string> }} StoredRun
 */

/**
 * Reads a stored run. The record of an incomplete run is computed from its samples.
 *
 * @param {string} name a run's folder or name; or an experiment or a folder of runs, for its last run
 * @param {string} [resultsDir]
 * @returns {Promise<StoredRun>}
 * @throws {HopbenchError} unknown-run, bad-run-file, other-format
 */
export async function storedRun (name, resultsDir) {
  const latest = await latestRun(resultsDir, name) ?? (isFolder(name) ? await latestRun(name) : null)
  const stored = await readRun(latest?.dir ?? name, resultsDir)
  return { ...stored, record: await withAnswerWords(completeRecord(stored)), configs: await readConfigs(stored.dir) }
}

/**
 * Reads a stored run whose values become part of files.
 *
 * @param {string} name as in storedRun()
 * @param {{ results?: string, trustRun?: boolean }} options trustRun: permits a run that this account has not made here
 * @returns {Promise<StoredRun>}
 * @throws {HopbenchError} unknown-run, bad-run-file, other-format, untrusted-run
 */
export async function trustedRun (name, { results, trustRun = false }) {
  const stored = await storedRun(name, results)
  const { arms, root } = stored.record.plan
  if (trustRun || !isForeign(stored.record.plan)) return stored
  throw new HopbenchError('untrusted-run', { run: name, what: stateCode(arms, root) })
}

/**
 * Returns the record of a run. That of an incomplete one keeps what its samples do not contain.
 * @param {import('../types.js').StoredRun} stored
 * @returns {RunRecord}
 */
function completeRecord (stored) {
  if (stored.record?.complete) return stored.record
  const record = recordFromSamples(stored)
  const { diff, rollout } = stored.record ?? {}
  return { ...record, ...diff && { diff }, ...rollout && { rollout } }
}

/** A stored run, found by the name that a person typed. */
import { recordFromSamples } from '../pipeline.js'
import { statSync } from 'node:fs'
import { latestRun, readConfigs, readRun } from '../store/store.js'

/** @import { HopbenchError } from '../errors.js' */
/** @import { RunRecord } from '../types.js' */

/** @typedef {import('../types.js').StoredRun & { record: RunRecord, configs: Record<string, string> }} StoredRun
 * configs: as in store/configs.js */

/**
 * @param {string} name a run's folder or name, a folder of runs, or an experiment: then the last run
 * @param {string} [resultsDir]
 * @returns {Promise<StoredRun>} of one that was cut off, with the record that its samples make
 * @throws {HopbenchError} unknown-run, bad-run-file, newer-run
 */
export async function storedRun (name, resultsDir) {
  const latest = await latestRun(resultsDir, name) ?? (isFolder(name) ? await latestRun(name) : null)
  const stored = await readRun(latest?.dir ?? name, resultsDir)
  return {
    ...stored,
    record: stored.record?.complete ? stored.record : recordFromSamples(stored),
    configs: await readConfigs(stored.dir)
  }
}

/** @param {string} path */
const isFolder = path => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** Names of runs, and the list of stored runs. */
import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { HopbenchError } from '../errors.js'
import { describeFileError } from '../machine/files/file-failures.js'
import { DEFAULT_RESULTS_DIR } from './layout.js'

/** 2024-05-06T07-08-09Z-uds, with .2, .3 … for further runs that started in the same second. */
export const RUN_NAME = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z-([\w-]{1,60})(?:\.(\d{1,6}))?$/

/** Folder of reference runs of one kind of machine, named by toFingerprint() of bench/judge/machines.js. */
export const SET_NAME = /^[a-z0-9][a-z0-9.-]*-\d+-cores?-[a-z0-9.-]+$/

/**
 * Name of a suite's folder in place of an experiment's name. Such a folder is not a run (bench/store/suite-record.js).
 */
export const SUITE_NAME = 'all'
/** Name of the folder of an advice, which is not a run either (bench/store/advice-record.js). */
export const ADVICE_NAME = 'advise'

/**
 * @typedef {object} RunEntry
 * @property {string} run
 * @property {string | null} set folder of its kind of machine, in the folder of results; null: the run is in none
 * @property {string} dir
 * @property {string} experiment
 * @property {string} startedAt
 */

/** Returns the name of a new run. @type {(experiment: string, startedAt: string) => string} */
export const runName = (experiment, startedAt) =>
  `${new Date(startedAt).toISOString().slice(0, 19).replaceAll(':', '-')}Z-${safeName(experiment)}`

/** Replaces the slashes and other characters in the name of an experiment that was typed as topologies. */
const safeName = (/** @type {string} */ experiment) =>
  experiment.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60) || 'run'

/**
 * Lists all runs, the oldest first.
 * @param {string} [resultsDir]
 * @returns {Promise<RunEntry[]>} empty where the folder does not exist
 */
export const listRuns = async (resultsDir = DEFAULT_RESULTS_DIR) =>
  (await listEntries(resultsDir)).filter(({ experiment }) => ![SUITE_NAME, ADVICE_NAME].includes(experiment))

/**
 * Lists the names of all suites, or of all advices, the oldest first.
 * @param {string} resultsDir
 * @param {typeof SUITE_NAME | typeof ADVICE_NAME} kind
 */
export const listFoldersOf = async (resultsDir, kind) =>
  (await listEntries(resultsDir)).filter(({ experiment }) => experiment === kind).map(({ run }) => run)

/**
 * Lists the folders whose names are those of runs or suites, the oldest first.
 * @param {string} resultsDir
 * @returns {Promise<RunEntry[]>} runs and suites
 */
async function listEntries (resultsDir) {
  const names = await listFolders(resultsDir)
  const sets = names.filter(name => SET_NAME.test(name))
  const filed = await Promise.all(sets.map(async set =>
    (await listFolders(join(resultsDir, set))).map(name => ({ name, set }))))
  return [...names.map(name => ({ name, set: null })), ...filed.flat()].flatMap(({ name, set }) => {
    const [, date, hours, minutes, seconds, experiment] = RUN_NAME.exec(name) ?? []
    if (experiment === undefined) return []
    const startedAt = `${date}T${hours}:${minutes}:${seconds}Z`
    return { run: name, set, dir: resolve(resultsDir, set ?? '', name), experiment, startedAt }
  }).sort((a, b) => a.startedAt.localeCompare(b.startedAt) || a.run.localeCompare(b.run, 'en', { numeric: true }))
}

/**
 * @param {string} dir
 * @returns {Promise<string[]>} names; empty where the folder does not exist
 */
async function listFolders (dir) {
  const entries = await readdir(dir, { withFileTypes: true }).catch(error => {
    if (error.code === 'ENOENT') return []
    throw new HopbenchError('bad-run-file', { file: dir, why: describeFileError(error) }, { cause: error })
  })
  return entries.filter(entry => entry.isDirectory()).map(({ name }) => name)
}

/**
 * Returns the run that started last.
 * @param {string} [resultsDir]
 * @param {string} [experiment] left out: of all experiments
 * @returns {Promise<RunEntry | null>}
 */
export async function latestRun (resultsDir = DEFAULT_RESULTS_DIR, experiment) {
  const runs = await listRuns(resultsDir)
  return runs.findLast(run => experiment === undefined || run.experiment === safeName(experiment)) ?? null
}

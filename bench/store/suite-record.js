/**
 * Stores a suite, a series of runs: results/<UTC time>-all/suite.json lists its experiments, those that ended and those
 * that are missing. The runs themselves are stored like any other.
 * @import { SuiteEntry, SuiteRecord } from '../types.js'
 */
import { basename, join, resolve } from 'node:path'
import { HopbenchError, shellWord } from '../errors.js'
import { nearest } from '../shared/nearest.js'
import { replaceFile } from '../machine/atomic-write.js'
import { storing } from '../machine/file-failures.js'
import { DEFAULT_RESULTS_DIR } from './layout.js'
import { SUITE_NAME, isRunName, listSuites, runName } from './names.js'
import { refuseForeignFiles } from './run-files.js'
import { parseStored, readIfThere } from './stored-json.js'
import { makeResultsDir, makeRunDir } from './write.js'

const SUITE_SCHEMA = 1
const FILE = 'suite.json'

/** @typedef {{ dir: string, record: SuiteRecord, save: (record: SuiteRecord) => Promise<void> }} OpenSuite
 * record: as it was opened */

/**
 * Creates the folder of a new suite.
 * @param {{ resultsDir?: string, startedAt: string, quick: boolean, experiments: string[] }} options startedAt: UTC,
 * ISO 8601
 * @returns {Promise<OpenSuite>}
 * @throws {HopbenchError} results-not-writable, disk-full
 */
export async function openSuite ({ resultsDir = DEFAULT_RESULTS_DIR, startedAt, quick, experiments }) {
  const dir = await storing(resultsDir, async () => {
    await makeResultsDir(resolve(resultsDir))
    return makeRunDir(resolve(resultsDir), runName(SUITE_NAME, startedAt))
  })
  /** @type {SuiteEntry[]} */
  const entries = experiments.map(experiment =>
    ({ experiment, status: 'waiting', run: null, seconds: null, verdicts: {}, claims: {}, error: null }))
  const suite = keeper(dir, { schema: SUITE_SCHEMA, suite: basename(dir), startedAt, endedAt: null, quick, entries })
  await suite.save(suite.record)
  return suite
}

/**
 * Opens a suite that was interrupted.
 * @param {string | null} dirOrName null: the last suite
 * @param {string} [resultsDir]
 * @returns {Promise<OpenSuite>}
 * @throws {HopbenchError} unknown-suite, bad-run-file, other-format
 */
export async function reopenSuite (dirOrName, resultsDir = DEFAULT_RESULTS_DIR) {
  const names = (await listSuites(resultsDir)).map(({ run }) => run)
  const name = dirOrName ?? undefined
  // A suite that was cut off before it was stored is a folder without a record.
  const dirs = name === undefined
    ? names.toReversed().map(last => join(resultsDir, last))
    : [join(resultsDir, name), name]
  for (const dir of dirs) {
    const bytes = await readIfThere(join(dir, FILE))
    if (!bytes) continue
    const record = parseSuite(bytes.toString(), join(dir, FILE))
    await refuseForeignFiles(resolve(dir))
    return keeper(resolve(dir), record)
  }
  const others = names.filter(other => other !== name)
  throw new HopbenchError('unknown-suite', { name, dir: resultsDir, nearest: name && nearest(name, others) })
}

/**
 * Returns an open suite, whose save() replaces the stored record.
 * @param {string} dir absolute
 * @param {SuiteRecord} record
 * @returns {OpenSuite}
 */
const keeper = (dir, record) => ({
  dir,
  record,
  save: changed => storing(dir, () => replaceFile(join(dir, FILE), `${JSON.stringify(changed, null, 2)}\n`),
    { file: FILE, resume: `all --resume ${shellWord(dir)}` })
})

/**
 * Returns whether a value is a valid entry. Rejects names that are paths, because the name of an experiment or a run
 * becomes a file name and an argument, and a path would be a module to execute.
 * @param {any} entry
 * @returns {entry is SuiteEntry}
 */
const isEntry = entry => typeof entry?.experiment === 'string' && /^[a-z][a-z0-9-]*$/.test(entry.experiment) &&
  ['waiting', 'running', 'done', 'failed', 'interrupted'].includes(entry.status) &&
  (entry.run === null || isRunName(entry.run)) && (entry.seconds === null || Number.isFinite(entry.seconds)) &&
  (entry.error === null || typeof entry.error === 'string') && isTally(entry.verdicts) && isTally(entry.claims)

/**
 * Returns whether a value holds counts by verdict or status, which are printed.
 * @param {unknown} value
 */
const isTally = value => value !== null && typeof value === 'object' && Object.entries(value).every(([spec, count]) =>
  /^[a-z-]+$/.test(spec) && Number.isInteger(count) && count >= 0)

/** Returns the fault of a stored suite, or null. @param {any} record */
function findSuiteFault (record) {
  if (!Array.isArray(record?.entries) || !record.entries.every(isEntry)) return 'it is no suite'
  return isRunName(record.suite) ? null : 'its name is not the name of a suite'
}

/**
 * Parses and validates the text of a suite.
 * @param {string} text
 * @param {string} file path, for errors
 * @returns {SuiteRecord}
 */
const parseSuite = (text, file) => parseStored(text, {
  file,
  schema: SUITE_SCHEMA,
  findFault: findSuiteFault
})

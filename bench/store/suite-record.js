/**
 * Stores a suite, a series of runs: results/<UTC time>-all/suite.json lists its experiments, those that ended and those
 * that are missing. The runs themselves are stored like any other.
 * @import { SuiteEntry, SuiteRecord } from '../types.js'
 */
import { basename, join, resolve } from 'node:path'
import { HopbenchError, shellWord } from '../errors.js'
import { nearest } from '../shared/nearest.js'
import { replaceFile } from '../machine/files/atomic-write.js'
import { storing } from '../machine/files/file-failures.js'
import { DEFAULT_RESULTS_DIR } from './layout.js'
import { SUITE_NAME, listFoldersOf } from './names.js'
import { rejectForeignFiles } from './run-files.js'
import { parseStored, readIfThere } from './stored-json.js'
import { makeRunFolder } from './write.js'

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
  const dir = await makeRunFolder(resultsDir, SUITE_NAME, startedAt)
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
  const names = await listFoldersOf(resultsDir, SUITE_NAME)
  const name = dirOrName ?? undefined
  // A suite that was cut off before it was stored is a folder without a record.
  const dirs = name === undefined
    ? names.toReversed().map(last => join(resultsDir, last))
    : [join(resultsDir, name), name]
  for (const dir of dirs) {
    const bytes = readIfThere(join(dir, FILE))
    if (!bytes) continue
    const file = join(dir, FILE)
    const record = parseStored(bytes.toString(), { file, schema: SUITE_SCHEMA, kind: 'suite' })
    await rejectForeignFiles(resolve(dir))
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

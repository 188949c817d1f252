/**
 * A suite is many runs: results/<UTC time>-all/suite.json says which experiments there are, which
 * have ended, and which are still missing. The runs themselves are stored like any others.
 * @import { Verdict, ClaimResult } from '../types.js'
 */
import { mkdir, readdir } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { HopbenchError } from '../errors.js'
import { nearest } from '../nearest.js'
import { replaceFile } from './atomic.js'
import { inWords, storing } from './failures.js'
import { DEFAULT_RESULTS_DIR } from './layout.js'
import { RUN_NAME, SUITE_NAME, runName } from './names.js'
import { readIfThere } from './read.js'
import { makeRunDir } from './write.js'

export const SUITE_SCHEMA = 1
const FILE = 'suite.json'

/**
 * @typedef {object} SuiteEntry one experiment
 * @property {string} experiment
 * @property {'waiting' | 'running' | 'done' | 'failed' | 'interrupted'} status
 * @property {string | null} run name of its folder in the results; null: none was made, or it is not known
 * @property {number | null} seconds wall time
 * @property {Partial<Record<Verdict, number>>} verdicts how many contrasts have each
 * @property {Partial<Record<ClaimResult['status'], number>>} claims how many claims have each
 * @property {string | null} error one sentence
 */
/**
 * @typedef {object} SuiteRecord
 * @property {number} schema
 * @property {string} suite name of its folder
 * @property {string} startedAt UTC
 * @property {string | null} endedAt null while experiments are missing
 * @property {boolean} quick
 * @property {SuiteEntry[]} entries in the order in which they are run
 */
/** @typedef {{ dir: string, record: SuiteRecord, save: () => Promise<void> }} OpenSuite */

/**
 * Makes the folder of a new suite.
 * @param {{ resultsDir?: string, startedAt: string, quick: boolean, experiments: string[] }} options startedAt: UTC, ISO 8601
 * @returns {Promise<OpenSuite>}
 * @throws {HopbenchError} results-not-writable, disk-full
 */
export async function openSuite ({ resultsDir = DEFAULT_RESULTS_DIR, startedAt, quick, experiments }) {
  const dir = await storing(resultsDir, async () => {
    await mkdir(resultsDir, { recursive: true })
    return makeRunDir(resolve(resultsDir), runName(SUITE_NAME, startedAt))
  })
  /** @type {SuiteEntry[]} */
  const entries = experiments.map(experiment => ({ experiment, status: 'waiting', run: null, seconds: null, verdicts: {}, claims: {}, error: null }))
  const suite = keeper(dir, { schema: SUITE_SCHEMA, suite: basename(dir), startedAt, endedAt: null, quick, entries })
  await suite.save()
  return suite
}

/**
 * Opens a suite that was cut off.
 * @param {string | null} dirOrName null: the last one
 * @param {string} [resultsDir]
 * @returns {Promise<OpenSuite>}
 * @throws {HopbenchError} unknown-suite, bad-run-file, newer-run
 */
export async function reopenSuite (dirOrName, resultsDir = DEFAULT_RESULTS_DIR) {
  const names = await suiteNames(resultsDir)
  const name = dirOrName ?? names.at(-1)
  const dirs = name === undefined ? [] : [join(resultsDir, name), name]
  for (const dir of dirs) {
    const bytes = await readIfThere(join(dir, FILE))
    if (bytes) return keeper(resolve(dir), parsed(bytes.toString(), join(dir, FILE)))
  }
  throw new HopbenchError('unknown-suite', { name, dir: resultsDir, nearest: name && nearest(name, names) })
}

/** @param {string} resultsDir @returns {Promise<string[]>} the oldest first */
async function suiteNames (resultsDir) {
  const names = await readdir(resultsDir).catch(error => {
    if (error.code === 'ENOENT') return []
    throw new HopbenchError('bad-run-file', { file: resultsDir, why: inWords(error) }, { cause: error })
  })
  return names.filter(name => RUN_NAME.exec(name)?.[5] === SUITE_NAME).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
}

/**
 * @param {string} dir
 * @param {SuiteRecord} record
 * @returns {OpenSuite}
 */
const keeper = (dir, record) => ({
  dir,
  record,
  save: () => storing(dir, () => replaceFile(join(dir, FILE), `${JSON.stringify(record, null, 2)}\n`), { file: FILE, resume: `all --resume ${dir}` })
})

/**
 * @param {string} text
 * @param {string} file
 * @returns {SuiteRecord}
 */
function parsed (text, file) {
  const bad = (/** @type {string} */ why) => new HopbenchError('bad-run-file', { file, why })
  let record
  try {
    record = JSON.parse(text)
  } catch {
    throw bad('it is not JSON')
  }
  if (record?.schema > SUITE_SCHEMA) throw new HopbenchError('newer-run', { file, schema: record.schema, known: SUITE_SCHEMA })
  if (!Array.isArray(record?.entries) || !record.entries.every((/** @type {any} */ entry) => typeof entry?.experiment === 'string')) throw bad('it is no suite')
  return record
}

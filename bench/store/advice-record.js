/** Stores an advice: results/<UTC time>-advise/advice.json. Its runs are stored like any other. */
import { basename, join, resolve } from 'node:path'
import { HopbenchError } from '../errors.js'
import { replaceFile } from '../machine/files/atomic-write.js'
import { storing } from '../machine/files/file-failures.js'
import { nearest } from '../shared/nearest.js'
import { DEFAULT_RESULTS_DIR } from './layout.js'
import { ADVICE_NAME, listFoldersOf } from './names.js'
import { rejectForeignFiles } from './run-files.js'
import { parseStored, readIfThere } from './stored-json.js'
import { makeRunFolder } from './write.js'

/** @import { AdviceRecord, StoredAdvice } from '../types.js' */

const SCHEMA = 1
const FILE = 'advice.json'

/** @typedef {{ dir: string, name: string, stored: StoredAdvice | null, save: (record: AdviceRecord) => Promise<void> }}
 * OpenAdvice stored: null: it is new */

/**
 * Creates the folder of a new advice.
 * @param {{ resultsDir?: string, startedAt: string }} options startedAt: UTC, ISO 8601
 * @returns {Promise<OpenAdvice>}
 * @throws {HopbenchError} results-not-writable, disk-full
 */
export async function openAdvice ({ resultsDir = DEFAULT_RESULTS_DIR, startedAt }) {
  return keeper(await makeRunFolder(resultsDir, ADVICE_NAME, startedAt), null)
}

/**
 * Opens an advice that was interrupted.
 * @param {string | null} name null: the last one
 * @param {string} [resultsDir]
 * @returns {Promise<OpenAdvice & { stored: StoredAdvice }>}
 * @throws {HopbenchError} unknown-run, bad-run-file, other-format
 */
export async function reopenAdvice (name, resultsDir = DEFAULT_RESULTS_DIR) {
  const names = await listFoldersOf(resultsDir, ADVICE_NAME)
  const wanted = name ?? names.at(-1) ?? ADVICE_NAME
  const dir = join(resolve(resultsDir), basename(wanted))
  const file = join(dir, FILE)
  const bytes = readIfThere(file)
  if (!bytes) throw new HopbenchError('unknown-run', { name: wanted, dir: resultsDir, nearest: nearest(wanted, names) })
  const stored = parseStored(bytes.toString(), { file, schema: SCHEMA, kind: 'advice' })
  await rejectForeignFiles(dir)
  return { ...keeper(dir, stored), stored }
}

/**
 * @param {string} dir absolute
 * @param {StoredAdvice | null} stored
 * @returns {OpenAdvice}
 */
const keeper = (dir, stored) => ({
  dir,
  name: basename(dir),
  stored,
  save: record =>
    storing(dir, () => replaceFile(join(dir, FILE), `${JSON.stringify(record, null, 1)}\n`), { file: FILE })
})

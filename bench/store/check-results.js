/** The last check of each server: results/check.json. */
import { once } from 'node:events'
import { realpathSync } from 'node:fs'
import { access, constants, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { HopbenchError } from '../errors.js'
import { replaceFile } from '../machine/atomic-write.js'
import { storing } from '../machine/file-failures.js'
import { hold } from '../machine/hold.js'
import { DEFAULT_RESULTS_DIR, REFERENCE_DIR } from './layout.js'

/** @import { CheckRecord } from '../types.js' */

const FILE = 'check.json'
const SCHEMA = 1
const LOCK_MS = 30_000 // Writing it takes milliseconds.

/** Asks before two minutes are spent whether what they bring can be kept. @param {string} [resultsDir]
 * @throws {HopbenchError} results-not-writable */
export async function prepareCheck (resultsDir = DEFAULT_RESULTS_DIR) {
  await storing(resultsDir, async () => {
    await mkdir(resultsDir, { recursive: true })
    await access(resultsDir, constants.W_OK)
  }, { file: FILE })
}

/** Keeps a check; servers that were not part of it keep what is known of them. @param {CheckRecord} record
 * @param {string} [resultsDir] @returns {Promise<string>} the file
 * @throws {HopbenchError} results-not-writable, disk-full */
export async function writeCheck (record, resultsDir = DEFAULT_RESULTS_DIR) {
  const file = join(resultsDir, FILE)
  await prepareCheck(resultsDir)
  const release = await lockCheck(resultsDir)
  try {
    const before = await readCheck(resultsDir).catch(() => null)
    const names = new Set(record.servers.map(({ name }) => name))
    const others = before?.servers.filter(({ name }) => !names.has(name)) ?? []
    const servers = [...others, ...record.servers].sort((a, b) => a.name < b.name ? -1 : 1)
    await storing(resultsDir, () => replaceFile(file, `${JSON.stringify({ ...record, servers })}\n`), { file: FILE })
    return file
  } finally {
    release()
  }
}

/** Two checks that end at once would each lose what the other found. @param {string} dir
 * @returns {Promise<() => void>} lets go of it @throws {HopbenchError} results-not-writable */
async function lockCheck (dir) {
  for (const deadline = AbortSignal.timeout(LOCK_MS); ;) {
    const got = await hold(`check, ${realpathSync(dir)}`, { pid: process.pid, since: new Date().toISOString() })
    if (!('holder' in got)) return got.release
    const late = once(deadline, 'abort').then(() => true)
    if (!deadline.aborted && !await Promise.race([late, got.holder.gone.then(() => false)])) continue
    got.holder.leave()
    const why = `another hopbench has been writing ${FILE} for ${LOCK_MS / 1000} s`
    throw new HopbenchError('results-not-writable', { dir, why })
  }
}

/** @param {string} [resultsDir] @returns {Promise<CheckRecord | null>} null: nothing has been checked yet
 * @throws {HopbenchError} bad-run-file, newer-run */
export async function readCheck (resultsDir = DEFAULT_RESULTS_DIR) {
  const file = join(resultsDir, FILE)
  const text = await readFile(file, 'utf8').catch(error => {
    if (error.code === 'ENOENT') return null
    throw new HopbenchError('bad-run-file', { file, why: error.message }, { cause: error })
  })
  if (text === null) return null
  const record = parsed(text, file)
  if (record.schema > SCHEMA) throw new HopbenchError('newer-run', { file, schema: record.schema, known: SCHEMA })
  return record
}

/** @param {string} text @param {string} file */
function parsed (text, file) {
  try {
    const record = JSON.parse(text)
    if (Array.isArray(record.servers) && Array.isArray(record.probes)) return record
  } catch (error) {
    throw new HopbenchError('bad-run-file', { file, why: /** @type {Error} */ (error).message }, { cause: error })
  }
  throw new HopbenchError('bad-run-file', { file, why: 'it is not a check' })
}

/** What is known of the servers' failures: from a check on this machine, else from the one that came with the project.
 * @param {string} [resultsDir] */
export const lastCheck = async resultsDir =>
  await readCheck(resultsDir) ?? await readCheck(REFERENCE_DIR)

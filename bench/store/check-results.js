/**
 * Stores the last check of each server, of each cache and of the configurations: check.json, caches.json and
 * configs.json in the folder of results.
 */
import { once } from 'node:events'
import { realpathSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { HopbenchError, withoutControls } from '../errors.js'
import { replaceFile } from '../machine/files/atomic-write.js'
import { storing } from '../machine/files/file-failures.js'
import { makeFolder } from '../machine/files/make-folder.js'
import { hold } from '../machine/hold.js'
import { DEFAULT_RESULTS_DIR, REFERENCE_DIR } from './layout.js'
import { parseStored, readIfThere } from './stored-json.js'
import { makeResultsDir } from './write.js'

/** @import { CachesRecord, CheckedServer, CheckRecord, CheckResult, ConfigsRecord } from '../types.js' */

const FILE = 'check.json'
const CACHES = 'caches.json'
const CONFIGS = 'configs.json'
const SCHEMA = 1
const REPORTS = 'reports'
const LOCK_MS = 30_000 // Limit for another process that writes the file, which takes milliseconds.

/**
 * Checks that a check's results can be stored, because the check itself takes two minutes.
 * @param {string} [resultsDir]
 * @throws {HopbenchError} results-not-writable
 */
export async function prepareCheck (resultsDir = DEFAULT_RESULTS_DIR) {
  await storing(resultsDir, async () => {
    await makeResultsDir(resolve(resultsDir))
    await access(resultsDir, constants.W_OK)
  }, { file: FILE })
}

/**
 * Stores a check of servers. Earlier results of other servers remain.
 * @param {CheckRecord} record
 * @param {string} [resultsDir]
 * @returns {Promise<string>} the file
 * @throws {HopbenchError} results-not-writable, disk-full
 */
export const writeCheck = (record, resultsDir = DEFAULT_RESULTS_DIR) => replace(resultsDir, FILE, async () => {
  const before = await readCheck(resultsDir).catch(() => null)
  return {
    ...record,
    tools: { ...before?.tools, ...record.tools },
    servers: together(before?.servers, record.servers, ({ name }) => name).map(withoutRepeats)
  }
})

/**
 * Leaves out what a server does behind a proxy as it does alone, which is most of a check.
 * @param {CheckedServer} server
 * @returns {CheckedServer}
 */
function withoutRepeats (server) {
  const bare = findBare(server)
  const chains = server.chains.map(chain => chain.proxy === null || chain.error !== null
    ? chain
    : { ...chain, results: chain.results.filter(result => !isSame(result, bare.get(result.probe))) })
  return { ...server, chains }
}

/**
 * Adds what withoutRepeats() has left out. The evidence of a failure is that of the server alone.
 * @param {CheckedServer} server
 * @returns {CheckedServer}
 */
function withRepeats (server) {
  const bare = findBare(server)
  const chains = server.chains.map(chain => {
    if (chain.proxy === null || chain.error !== null) return chain
    const own = new Map(chain.results.map(result => [result.probe, result]))
    const repeated = [...bare].map(([probe, { evidence, ...result }]) => own.get(probe) ?? result)
    return { ...chain, results: bare.size > 0 ? repeated : chain.results }
  })
  return { ...server, chains }
}

/** Returns the results of a server alone, by probe. @param {CheckedServer} server */
const findBare = ({ chains }) => new Map(chains.find(({ proxy, error }) => proxy === null && error === null)?.results
  .map(result => [result.probe, result]))

/**
 * @param {CheckResult} result
 * @param {CheckResult} [bare]
 */
const isSame = (result, bare) => result.outcome === bare?.outcome && result.died === bare.died

/**
 * Stores a check of caches. Earlier results of other caches remain.
 * @param {CachesRecord} record
 * @param {string} [resultsDir]
 * @returns {Promise<string>} the file
 * @throws {HopbenchError} results-not-writable, disk-full
 */
export const writeCaches = (record, resultsDir = DEFAULT_RESULTS_DIR) => replace(resultsDir, CACHES, async () => {
  const before = await readRecord(resultsDir, CACHES, 'caches').catch(() => null)
  return { ...record, caches: together(before?.caches, record.caches, ({ spec }) => spec) }
})

/**
 * Stores a check of configurations in place of the one before.
 * @param {ConfigsRecord} record
 * @param {string} [resultsDir]
 * @returns {Promise<string>} the file
 * @throws {HopbenchError} results-not-writable, disk-full
 */
export const writeConfigs = (record, resultsDir = DEFAULT_RESULTS_DIR) =>
  replace(resultsDir, CONFIGS, async () => record)

/**
 * Stores pages about failures. Pages of an earlier check with the same name are replaced.
 * @param {{ file: string, text: string }[]} pages
 * @param {string} [resultsDir]
 * @returns {Promise<string>} their folder
 * @throws {HopbenchError} results-not-writable, disk-full
 */
export async function writeReports (pages, resultsDir = DEFAULT_RESULTS_DIR) {
  const dir = join(resultsDir, REPORTS)
  await writeTexts(pages.map(({ file, text }) => ({ file, text: withoutControls(text) })), dir)
  return dir
}

/**
 * Stores texts in place of earlier ones, such as the record, the page and the patch of a configuration of one's own.
 * @param {{ file: string, text: string }[]} texts
 * @param {string} dir
 * @throws {HopbenchError} results-not-writable, disk-full
 */
export async function writeTexts (texts, dir) {
  await storing(dir, async () => makeFolder(dir))
  for (const { file, text } of texts) await storing(dir, () => replaceFile(join(dir, file), text), { file })
}

/**
 * Replaces a file of results under a lock, because its new content depends on the old one.
 * @param {string} resultsDir
 * @param {string} name of the file
 * @param {() => Promise<object>} make returns the new content
 */
async function replace (resultsDir, name, make) {
  const file = join(resultsDir, name)
  await prepareCheck(resultsDir)
  const release = await lockCheck(resultsDir)
  try {
    const text = `${JSON.stringify(await make())}\n`
    await storing(resultsDir, () => replaceFile(file, text), { file: name })
    return file
  } finally {
    release()
  }
}

/**
 * Merges two lists, sorted by name. An item of `now` replaces the one of `before` with the same name.
 * @template T
 * @param {T[] | undefined} before
 * @param {T[]} now
 * @param {(item: T) => string} nameOf
 */
function together (before = [], now, nameOf) {
  const names = new Set(now.map(nameOf))
  return [...before.filter(item => !names.has(nameOf(item))), ...now].sort((a, b) => nameOf(a) < nameOf(b) ? -1 : 1)
}

/**
 * Locks the results, because two checks that end at once would each overwrite the results of the other.
 * @param {string} dir
 * @returns {Promise<() => void>} releases the lock
 * @throws {HopbenchError} results-not-writable
 */
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

/**
 * Reads the stored check of servers.
 * @param {string} [resultsDir]
 * @returns {Promise<CheckRecord | null>} null: there was no check yet
 * @throws {HopbenchError} bad-run-file, other-format
 */
export async function readCheck (resultsDir = DEFAULT_RESULTS_DIR) {
  const record = await readRecord(resultsDir, FILE, 'check')
  return record && { ...record, servers: record.servers.map(withRepeats) }
}

/**
 * Reads and validates a file of results.
 * @param {string} resultsDir
 * @param {string} name of the file
 * @param {'check' | 'caches'} kind
 */
async function readRecord (resultsDir, name, kind) {
  const file = join(resultsDir, name)
  const bytes = readIfThere(file)
  // The reference results are part of hopbench.
  const format = { file, schema: SCHEMA, kind: resultsDir === REFERENCE_DIR ? null : kind }
  return bytes && parseStored(bytes.toString(), format)
}

/**
 * Reads the last check of servers on this machine, or the one that is part of the project.
 * @param {string} [resultsDir]
 */
export const lastCheck = async resultsDir => await readCheck(resultsDir) ?? await readCheck(REFERENCE_DIR)

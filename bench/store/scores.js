/** Stores the speed of the cores of offerings: scores.json in a folder of results. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { HopbenchError } from '../errors.js'
import { replaceFile } from '../machine/files/atomic-write.js'
import { storing } from '../machine/files/file-failures.js'
import { DEFAULT_RESULTS_DIR } from './layout.js'
import { parseStored, readIfThere } from './stored-json.js'
import { makeResultsDir } from './write.js'

/** @import { OfferingScore } from '../types.js' */

const FILE = 'scores.json'
const SCHEMA = 1
/** Limits of a score. The fastest core of a public cloud has 1.4, and a core of an old phone more than a hundredth. */
const LIMITS = { low: 0.001, high: 1000 }

/**
 * Reads the stored scores.
 *
 * @param {string} [resultsDir]
 * @returns {Record<string, OfferingScore>} by the beginning of the names of offerings
 * @throws {HopbenchError} bad-run-file, other-format
 */
export function readScores (resultsDir = DEFAULT_RESULTS_DIR) {
  const file = join(resolve(resultsDir), FILE)
  // The folder of results may be missing, or be a file, which is reported before it is written.
  const bytes = existsSync(file) ? readIfThere(file) : null
  if (!bytes) return {}
  const { scores = null } = parseStored(bytes.toString(), { file, schema: SCHEMA, kind: null }) ?? {}
  if (typeof scores !== 'object' || scores === null || !Object.values(scores).every(isScore)) {
    throw new HopbenchError('bad-run-file', { file, why: 'it has no valid scores' })
  }
  return scores
}

/** @param {any} score */
function isScore (score) {
  const { value, low = value, high = value, from, read } = score ?? {}
  return [value, low, high].every(number => number >= LIMITS.low && number <= LIMITS.high) && low <= high &&
    /^[\w ./:-]{1,100}$/.test(from) && /^\d{4}-\d\d-\d\d$/.test(read)
}

/**
 * Stores a score in place of an older one.
 *
 * @param {string} name beginning of the names of offerings
 * @param {OfferingScore} score
 * @param {string} [resultsDir]
 * @returns {Promise<string>} path of the file
 * @throws {HopbenchError} bad-run-file, other-format, results-not-writable, disk-full
 */
export async function storeScore (name, score, resultsDir = DEFAULT_RESULTS_DIR) {
  const scores = { ...readScores(resultsDir), [name]: score }
  const file = join(resolve(resultsDir), FILE)
  await storing(resultsDir, async () => {
    await makeResultsDir(resolve(resultsDir))
    await replaceFile(file, `${JSON.stringify({ schema: SCHEMA, scores }, null, 2)}\n`)
  }, { file: FILE })
  return file
}

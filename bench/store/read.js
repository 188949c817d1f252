/** Reads a stored run, which may be incomplete. @import { Plan, RunRecord, StoredRun } from '../types.js' */
import { lstat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { HopbenchError } from '../errors.js'
import { nearest } from '../shared/nearest.js'
import { SCHEMA } from './record-format.js'
import { DEFAULT_RESULTS_DIR, PLAN, RECORD, SAMPLES } from './layout.js'
import { listRuns, RUN_NAME } from './names.js'
import { readSamples } from './samples.js'
import { parseStored, readIfThere } from './stored-json.js'

/**
 * Reads a run. Files that the run did not get to write are null in the result.
 * @param {string} dirOrName a run's folder, a file in it, or a run's name
 * @param {string} [resultsDir] folder in which names are looked up
 * @returns {Promise<StoredRun>}
 * @throws {HopbenchError} unknown-run, bad-run-file, other-format
 */
export async function readRun (dirOrName, resultsDir = DEFAULT_RESULTS_DIR) {
  const dir = await findRun(dirOrName, resultsDir)
  const record = /** @type {RunRecord | null} */ (await readJson(join(dir, RECORD), 'record'))
  const plan = /** @type {Plan | null} */ (await readJson(join(dir, PLAN), 'plan')) ?? record?.plan ?? null
  return { dir, run: basename(dir), record, plan, samples: await readSamples(join(dir, SAMPLES)) }
}

/**
 * Finds the folder of a run. For the name of a run, the results have precedence over a folder of the current directory;
 * for any other text, the path has precedence.
 * @param {string} dirOrName
 * @param {string} resultsDir
 * @returns {Promise<string>} absolute path
 * @throws {HopbenchError} unknown-run, bad-run-file
 */
async function findRun (dirOrName, resultsDir) {
  const isFile = [PLAN, SAMPLES, RECORD].includes(basename(dirOrName))
  const path = isFile ? dirname(dirOrName) : dirOrName
  // Looks up below the results only a text that does not lead out of them, such as "../uds". That is a path only.
  const within = resolve(resultsDir, dirOrName)
  const named = within.startsWith(resolve(resultsDir) + sep) ? [within] : []
  const candidates = RUN_NAME.test(dirOrName) ? [...named, path] : [path, ...named]
  for (const candidate of candidates) {
    if (await holdsRun(candidate)) return resolve(candidate)
  }
  const runs = await listRuns(resultsDir)
  // A folder of the list without any file of a run.
  const cutOff = runs.find(({ dir }) => candidates.some(candidate => resolve(candidate) === dir))
  if (cutOff) {
    const why = 'it was cut off before anything was measured'
    throw new HopbenchError('bad-run-file', { file: cutOff.dir, why })
  }
  const sameExperiment = runs.findLast(run => run.experiment === dirOrName)?.run
  throw new HopbenchError('unknown-run', {
    name: dirOrName,
    dir: resultsDir,
    nearest: sameExperiment ?? nearest(dirOrName, runs.flatMap(({ run, experiment }) => [run, experiment]))
  })
}

/** Returns whether a folder has a plan, samples or a record. @type {(dir: string) => Promise<boolean>} */
const holdsRun = async dir => {
  const found = await Promise.all(
    [PLAN, SAMPLES, RECORD].map(name => lstat(join(dir, name)).then(() => true, () => false))
  )
  return found.includes(true)
}

/**
 * Reads and checks a JSON file of a run.
 * @param {string} file
 * @param {'record' | 'plan'} kind
 * @returns {Promise<any>} null: there is no such file
 * @throws {HopbenchError} bad-run-file, other-format
 */
async function readJson (file, kind) {
  const bytes = readIfThere(file)
  return bytes && parseStored(bytes.toString(), { file, schema: SCHEMA, kind })
}

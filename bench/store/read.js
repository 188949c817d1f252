/** Reads a stored run, which may be incomplete. @import { Plan, RunRecord, StoredRun } from '../types.js' */
import { lstat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { HopbenchError } from '../errors.js'
import { asForeign } from '../plan/foreign.js'
import { nearest } from '../shared/nearest.js'
import { isWithin } from '../shared/paths.js'
import { SCHEMA } from './record-format.js'
import { DEFAULT_RESULTS_DIR, PLAN, RECORD, REFERENCE_DIR, SAMPLES } from './layout.js'
import { listRuns, RUN_NAME } from './names.js'
import { isSealedFile } from './run-seal.js'
import { readSamples } from './samples.js'
import { parseStored, readIfThere } from './stored-json.js'

/**
 * Reads a run. Files that the run did not get to write are null in the result. A plan that this account has not stored
 * here is marked as foreign (bench/plan/foreign.js), and so is the plan in a record that is not of this account.
 * @param {string} dirOrName a run's folder, a file in it, or a run's name
 * @param {string} [resultsDir] folder in which names are looked up
 * @returns {Promise<StoredRun>}
 * @throws {HopbenchError} unknown-run, bad-run-file, other-format
 */
export async function readRun (dirOrName, resultsDir = DEFAULT_RESULTS_DIR) {
  const dir = await findRun(dirOrName, resultsDir)
  const stored = /** @type {Stored<RunRecord> | null} */ (readJson(dir, RECORD, 'record'))
  const planned = /** @type {Stored<Plan> | null} */ (readJson(dir, PLAN, 'plan'))
  // The reference runs are part of hopbench, like its code.
  const isPart = isWithin(REFERENCE_DIR, dir)
  const isOwnPlan = isPart || planned?.isOwn === true
  const isOwnRecord = isPart || (isOwnPlan && stored?.isOwn === true)
  const record = stored && (isOwnRecord ? stored.value : { ...stored.value, plan: asForeign(stored.value.plan) })
  const plan = planned && (isOwnPlan ? planned.value : asForeign(planned.value))
  return {
    dir,
    run: basename(dir),
    record,
    plan: plan ?? record?.plan ?? null,
    samples: await readSamples(join(dir, SAMPLES))
  }
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
  const filed = runs.find(({ run, set }) => run === dirOrName && set !== null)
  if (filed && await holdsRun(filed.dir)) return filed.dir
  // A folder of the list without any file of a run.
  const cutOff = runs.find(({ dir }) => candidates.some(candidate => resolve(candidate) === dir)) ?? filed
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
 * A stored value, and whether this account has written it on this machine.
 * @template T
 * @typedef {{ value: T, isOwn: boolean }} Stored
 */

/**
 * Reads a JSON file of a run, and checks its format unless this account has written it.
 * @param {string} dir of the run
 * @param {typeof PLAN | typeof RECORD} name
 * @param {'record' | 'plan'} kind
 * @returns {Stored<any> | null} null: there is no such file
 * @throws {HopbenchError} bad-run-file, other-format
 */
function readJson (dir, name, kind) {
  const file = join(dir, name)
  const bytes = readIfThere(file)
  if (!bytes) return null
  const text = bytes.toString()
  const isOwn = isSealedFile(dir, name, text)
  return { value: parseStored(text, { file, schema: SCHEMA, kind: isOwn ? null : kind }), isOwn }
}

/** Reads a stored run, which may be incomplete. @import { Plan, RunRecord, Sample, StoredRun } from '../types.js' */
import { stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { HopbenchError } from '../errors.js'
import { attempt } from '../shared/attempt.js'
import { nearest } from '../shared/nearest.js'
import { findFault, SCHEMA } from './record-format.js'
import { DEFAULT_RESULTS_DIR, PLAN, RECORD, SAMPLES } from './layout.js'
import { listRuns, RUN_NAME } from './names.js'
import { renameOldFields } from './old-sizing.js'
import { parseStored, readIfThere } from './stored-json.js'

/**
 * Reads a run. Files that the run did not get to write are null in the result.
 * @param {string} dirOrName a run's folder, a file in it, or a run's name
 * @param {string} [resultsDir] folder in which names are looked up
 * @returns {Promise<StoredRun>}
 * @throws {HopbenchError} unknown-run, bad-run-file, newer-run
 */
export async function readRun (dirOrName, resultsDir = DEFAULT_RESULTS_DIR) {
  const dir = await findRun(dirOrName, resultsDir)
  const stored = /** @type {RunRecord | null} */ (await readJson(join(dir, RECORD), 'record'))
  const record = stored && renameOldFields(stored)
  const plan = /** @type {Plan | null} */ (await readJson(join(dir, PLAN), 'plan')) ?? record?.plan ?? null
  const bytes = await readIfThere(join(dir, SAMPLES))
  const samples = bytes ? parseSamples(bytes, join(dir, SAMPLES)) : []
  return { dir, run: basename(dir), record, plan, samples }
}

/**
 * @param {string} dirOrName
 * @param {string} resultsDir
 */
async function findRun (dirOrName, resultsDir) {
  const isFile = [PLAN, SAMPLES, RECORD].includes(basename(dirOrName))
  const path = isFile ? dirname(dirOrName) : dirOrName
  // A name is looked up below the results only. A text that leads out of them is a path as typed.
  const within = resolve(resultsDir, dirOrName)
  const named = within.startsWith(resolve(resultsDir) + sep) ? [within] : []
  const candidates = RUN_NAME.test(dirOrName) ? [...named, path] : [path, ...named]
  for (const candidate of candidates) {
    if (await holdsRun(candidate)) return resolve(candidate)
  }
  const runs = await listRuns(resultsDir)
  const sameExperiment = runs.findLast(run => run.experiment === dirOrName)?.run
  throw new HopbenchError('unknown-run', {
    name: dirOrName,
    dir: resultsDir,
    nearest: sameExperiment ?? nearest(dirOrName, runs.flatMap(({ run, experiment }) => [run, experiment]))
  })
}

/** @type {(dir: string) => Promise<boolean>} */
const holdsRun = async dir => {
  const found = await Promise.all(
    [PLAN, SAMPLES, RECORD].map(name => stat(join(dir, name)).then(it => it.isFile(), () => false))
  )
  return found.includes(true)
}

/**
 * @param {string} file
 * @param {'record' | 'plan'} kind
 */
async function readJson (file, kind) {
  const bytes = await readIfThere(file)
  return bytes && parseStored(bytes.toString(), { file, schema: SCHEMA, findFault: value => findFault(kind, value) })
}

/**
 * @param {Buffer} bytes
 * @param {string} file
 */
function parseSamples (bytes, file) {
  const lines = bytes.subarray(0, endOfLastLine(bytes)).toString().split('\n').slice(0, -1)
  return lines.map((text, index) => {
    const sample = attempt(() => JSON.parse(text), () => undefined)
    const fault = sample === undefined ? 'it is not JSON' : findFault('sample', sample)
    if (fault) throw new HopbenchError('bad-run-file', { file, line: index + 1, why: fault })
    return sample
  })
}

/** Returns the position after the last complete line. A crash can leave an incomplete line behind it. */
export const endOfLastLine = (/** @type {Buffer} */ bytes) => bytes.lastIndexOf('\n') + 1

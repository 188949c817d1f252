/**
 * Writes a run: its folder, its samples block by block, its record.
 * @import { OpenRun, Plan, RunRecord, Sample, StoredRun } from '../types.js'
 */
import { writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { HopbenchError } from '../errors.js'
import { replaceFile, syncDir } from '../machine/files/atomic-write.js'
import { isSystemError, storing } from '../machine/files/file-failures.js'
import { openToAppend } from '../machine/files/plain-files.js'
import { toResumeCommand } from '../plan/stored-plan.js'
import { DEFAULT_RESULTS_DIR, PLAN, RECORD, SAMPLES } from './layout.js'
import { runName } from './names.js'
import { readRun } from './read.js'
import { rejectForeignFiles } from './run-files.js'
import { writeSealed } from './run-seal.js'
import { removeIncompleteLine } from './samples.js'
import { makeFolder } from '../machine/files/make-folder.js'

/**
 * Creates the folder of a new run.
 * @param {{ resultsDir?: string, experiment: string, startedAt: string, plan: Plan }} options startedAt: UTC, ISO 8601
 * @returns {Promise<OpenRun>}
 * @throws {HopbenchError} results-not-writable, disk-full
 */
export async function openRun ({ resultsDir = DEFAULT_RESULTS_DIR, experiment, startedAt, plan }) {
  const dir = await makeRunFolder(resultsDir, experiment, startedAt)
  const text = json(plan)
  await storing(dir, () => writeSealed(dir, PLAN, text), { file: PLAN })
  return writer(dir, plan)
}

/**
 * Opens an interrupted run to resume it. Removes an incomplete last line.
 * @param {string} dirOrName
 * @param {string} [resultsDir]
 * @returns {Promise<OpenRun & StoredRun & { plan: Plan }>}
 * @throws {HopbenchError} unknown-run, bad-run-file, other-format, results-not-writable
 */
export async function reopenRun (dirOrName, resultsDir = DEFAULT_RESULTS_DIR) {
  const stored = await readRun(dirOrName, resultsDir)
  const { dir, plan } = stored
  if (!plan) {
    const why = 'it is missing, so the plan to resume is unknown'
    throw new HopbenchError('bad-run-file', { file: join(dir, PLAN), why })
  }
  await rejectForeignFiles(dir)
  return { ...stored, plan, ...await writer(dir, plan) }
}

/**
 * Opens the samples of a run, and returns the functions that write its files.
 * @param {string} dir absolute
 * @param {Plan} plan without secrets
 * @returns {Promise<OpenRun>}
 * @throws {HopbenchError} results-not-writable, disk-full
 */
async function writer (dir, plan) {
  const file = await storing(dir, () => openToAppend(join(dir, SAMPLES)), { file: SAMPLES })
  await storing(dir, async () => {
    await removeIncompleteLine(file)
    await syncDir(dir)
  }, { file: SAMPLES })
  let size = (await file.stat()).size
  // Names the path, because a name would be looked up in the default folder of results.
  const resume = toResumeCommand(dir, plan)

  return {
    dir,
    run: basename(dir),
    append: samples => storing(dir, async () => {
      const block = samples.map(sample => JSON.stringify(sample) + '\n').join('')
      try {
        await file.appendFile(block)
        await file.datasync()
        size += Buffer.byteLength(block)
      } catch (error) {
        // Truncates to the last complete block, because a part of a block can end in the middle of a line.
        await file.truncate(size).catch(() => {})
        throw error
      }
    }, { file: SAMPLES, resume }),
    writeRecord: record => storing(dir, () => writeSealed(dir, RECORD, json(record)), { file: RECORD, resume }),
    writeFile: (relative, text) => storing(dir, async () => {
      const path = resolve(dir, relative)
      if (!path.startsWith(dir + sep)) throw new TypeError(`${relative} is not inside the run's folder`)
      makeFolder(dirname(path))
      await replaceFile(path, text)
      return path
    }, { file: relative, resume }),
    close: () => file.close()
  }
}

/**
 * Creates the folder of results with its parents. Syncs the parent of each new folder, so that its name survives a
 * crash. Git and the images of kits leave a new folder out.
 * @param {string} resultsDir absolute
 */
export async function makeResultsDir (resultsDir) {
  const first = makeFolder(resultsDir)
  if (first === undefined) return
  writeFileSync(join(resultsDir, '.gitignore'), '*\n', { flag: 'wx' })
  for (let dir = resultsDir; dir.length >= first.length; dir = dirname(dir)) await trySyncDir(dirname(dir))
}

/**
 * Syncs a folder. Ignores failures, because a folder is opened for this, and this account may not be able to read it.
 * @param {string} dir
 */
const trySyncDir = dir => syncDir(dir).catch(() => {})

/**
 * Creates the folder of a run, a suite or an advice. If its name is taken, it gets the next free number (".2", ".3" …).
 * @param {string} resultsDir
 * @param {string} experiment
 * @param {string} startedAt UTC, ISO 8601
 * @returns {Promise<string>} absolute path of the folder
 * @throws {HopbenchError} results-not-writable, disk-full
 */
export const makeRunFolder = (resultsDir, experiment, startedAt) => storing(resultsDir, async () => {
  const parent = resolve(resultsDir)
  await makeResultsDir(parent)
  const name = runName(experiment, startedAt)
  for (let attempt = 1; ; attempt++) {
    const dir = join(parent, attempt === 1 ? name : `${name}.${attempt}`)
    try {
      await mkdir(dir)
      await trySyncDir(parent)
      return dir
    } catch (error) {
      if (!isSystemError(error) || error.code !== 'EEXIST') throw error
    }
  }
})

/** Indents by one space: most lines of a record are deep in it. @param {unknown} value */
const json = value => JSON.stringify(value, null, 1) + '\n'

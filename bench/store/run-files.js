/** Lists, reads and checks files in the folder of a run, which may come from another person. */
import { lstat, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { HopbenchError } from '../errors.js'
import { describeFileError } from '../machine/files/file-failures.js'
import { findForeignFile, isOfThisAccount, readPlainFile } from '../machine/files/plain-files.js'
import { walkFolder } from '../machine/files/walk-folder.js'
import { attempt } from '../shared/attempt.js'

/** Most files and folders that are listed in the folder of a run. Limits time and memory. Each arm has about ten. */
const MAX_ENTRIES = 10_000
/** Largest configuration that is read. The longest of the project has 4 kB. */
const MAX_CONFIG_BYTES = 2 ** 20

/** Returns a function that makes an error about a file from a reason. @param {string} file */
const toError = file => (/** @type {string} */ why) => new HopbenchError('bad-run-file', { file, why })

/**
 * Lists the entries of a folder and its subfolders. Does not follow links.
 * @param {string} dir
 * @returns {ReturnType<typeof walkFolder>} path: relative to the folder
 * @throws {HopbenchError} bad-run-file
 */
function walkRun (dir) {
  const found = attempt(() => walkFolder(dir, MAX_ENTRIES, () => true), error => {
    throw toError(dir)(describeFileError(error))
  })
  if (found.length > MAX_ENTRIES) throw toError(dir)(`it has more than ${MAX_ENTRIES} files`)
  return found
}

/**
 * Lists the plain files in a run's folder and its subfolders.
 * @param {string} dir
 * @returns {string[]} paths relative to the folder
 * @throws {HopbenchError} bad-run-file
 */
export const listPlainFiles = dir =>
  walkRun(dir).filter(({ entry }) => entry.isFile()).map(({ path }) => path)

/**
 * Reads a configuration from a run's folder.
 * @param {string} dir
 * @param {string} file relative to the folder
 * @returns {Promise<string | null>} null: there is no such file in the folder, or a part of its path is a link
 * @throws {HopbenchError} bad-run-file
 */
export async function readConfigFile (dir, file) {
  const path = join(dir, file)
  try {
    if (await realpath(path) !== join(await realpath(dir), file)) return null
    return readPlainFile(path, { maxBytes: MAX_CONFIG_BYTES }).toString()
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return null
    throw toError(path)(describeFileError(error))
  }
}

/**
 * Rejects the folder of a run or suite to resume if it contains anything but plain files and folders of this account,
 * because resuming writes files in it, and a link would redirect these writes to another file.
 * @param {string} dir absolute
 * @throws {HopbenchError} bad-run-file
 */
export async function rejectForeignFiles (dir) {
  const paths = [dir, ...walkRun(dir).map(({ path }) => join(dir, path))]
  for (const path of paths) {
    const stats = await lstat(path).catch(error => { throw toError(path)(describeFileError(error)) })
    if (stats.isSymbolicLink()) throw toError(path)('it is a symbolic link')
    if (!stats.isFile() && !stats.isDirectory()) throw toError(path)('it is not a plain file')
    if (path === dir && !stats.isDirectory()) throw toError(path)('it is not a folder')
    const fault = stats.isFile() ? findForeignFile(stats) : findForeignFolder(stats)
    if (fault !== null) throw toError(path)(fault)
  }
}

/** Returns why a folder may not be written, or null. @param {import('node:fs').Stats} stats */
const findForeignFolder = stats => isOfThisAccount(stats) ? null : 'it belongs to another account'

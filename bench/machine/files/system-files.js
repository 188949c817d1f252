/** Reads files that may be missing, such as those of /proc and /sys. Imports only node: modules and modules that do. */
import { readFileSync, readdirSync, readlinkSync, statSync } from 'node:fs'
import { getErrorCode, getErrorMessage, HopbenchError } from '../../errors.js'
import { attempt } from '../../shared/attempt.js'

/**
 * Ignores a file that cannot be read, unless the limit of open files is reached, because then all later files would be
 * missing from the result.
 * @param {unknown} error
 * @throws {HopbenchError} too-few-files
 */
export function ignoreMissing (error) {
  if (!['EMFILE', 'ENFILE'].includes(getErrorCode(error))) return
  throw new HopbenchError('too-few-files', { why: getErrorMessage(error) }, { cause: error })
}

/** @param {unknown} error */
const toEmptyText = error => {
  ignoreMissing(error)
  return ''
}

/**
 * Returns the text of a file; empty if the file cannot be read.
 * @param {string} file
 * @throws {HopbenchError} too-few-files
 */
export const readText = file => attempt(() => readFileSync(file, 'utf8'), toEmptyText)

/** Returns whether a path is a folder. @param {string} path which may be no path at all, as with a NUL in it */
export const isFolder = path => attempt(() => statSync(path).isDirectory(), () => false)

/** Returns the target of a symbolic link; empty if the link cannot be read. @param {string} link */
export const readLink = link => attempt(() => readlinkSync(link), toEmptyText)

/**
 * Returns the names in a folder; none if the folder cannot be read.
 * @param {string} folder
 * @returns {string[]}
 * @throws {HopbenchError} too-few-files
 */
export const listNames = folder => attempt(() => readdirSync(folder), error => {
  ignoreMissing(error)
  return []
})

/** Returns the numbers among the names in a folder: the PIDs of /proc, the thread IDs of a process. */
export const listNumbers = (/** @type {string} */ folder) => listNames(folder).map(Number).filter(Number.isInteger)

/**
 * Returns the fields of a stat file that follow the name of the process, which is in parentheses and may contain any
 * character (proc_pid_stat(5)): state, parent, process group …
 * @param {string} file
 * @returns {string[]} a single empty text if the process has ended
 */
export function readStat (file) {
  const text = readText(file)
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

/** Returns the JSON of a file. @returns {any} null: the file cannot be read, or is not JSON */
export const readJson = (/** @type {string} */ file) => parseJson(readText(file))

/** Parses JSON. @returns {any} null: the text is not JSON */
export const parseJson = (/** @type {string} */ text) => attempt(() => JSON.parse(text), () => null)

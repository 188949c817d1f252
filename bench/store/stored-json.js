/** Reads the JSON files of results. */
import { getErrorCode, HopbenchError } from '../errors.js'
import { describeFileError } from '../machine/files/file-failures.js'
import { readPlainFile } from '../machine/files/plain-files.js'
import { attempt } from '../shared/attempt.js'
import { isTooDeep } from '../shared/nesting.js'
import { findFault } from './record-format.js'

/** Largest file that is read at once. The largest of the project, with all checks of servers, has 1.2 MB. */
const MAX_BYTES = 2 ** 25

/**
 * Reads a plain file of limited size.
 * @param {string} file
 * @returns {Buffer | null} null: there is no such file
 * @throws {HopbenchError} bad-run-file
 */
export const readIfThere = file => attempt(() => readPlainFile(file, { maxBytes: MAX_BYTES }), error => {
  if (getErrorCode(error) === 'ENOENT') return null
  throw new HopbenchError('bad-run-file', { file, why: describeFileError(error) }, { cause: error })
})

/**
 * Parses a stored value and checks its format.
 * @param {string} text
 * @param {{ file: string, schema: number, kind: Parameters<typeof findFault>[0] | null }} format kind: null: hopbench
 *   wrote the value, so only its version is checked, because the compilation of a schema takes longer than a command
 * @returns {any}
 * @throws {HopbenchError} bad-run-file, other-format
 */
export function parseStored (text, { file, schema: known, kind }) {
  const bad = (/** @type {string} */ why) => new HopbenchError('bad-run-file', { file, why })
  const value = attempt(() => JSON.parse(text), () => { throw bad('it is not JSON') })
  if (isTooDeep(value)) throw bad('it is nested too deeply')
  if (Number.isInteger(value?.schema) && value.schema !== known) {
    throw new HopbenchError('other-format', { file, schema: value.schema, known })
  }
  const fault = kind && findFault(kind, value)
  if (fault) throw bad(fault)
  return value
}

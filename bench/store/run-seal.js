/** Marks the plan and the record of a run as written by this account on this machine. */
import { join } from 'node:path'
import { replaceFile } from '../machine/files/atomic-write.js'
import { isSealed, seal } from '../machine/files/seal.js'
import { SEALS } from './layout.js'
import { readIfThere } from './stored-json.js'

/** @import { HopbenchError } from '../errors.js' */

/**
 * Writes a file of a run, then its seal. Without a safe place for a key there is no seal.
 * @param {string} dir of the run
 * @param {keyof typeof SEALS} file
 * @param {string} text
 */
export async function writeSealed (dir, file, text) {
  await replaceFile(join(dir, file), text)
  const mark = seal(text)
  if (mark !== null) await replaceFile(join(dir, SEALS[file]), `${mark}\n`)
}

/**
 * Returns whether this account has written a file of a run on this machine.
 * @param {string} dir of the run
 * @param {keyof typeof SEALS} file
 * @param {string} text of the file
 * @returns {boolean}
 * @throws {HopbenchError} bad-run-file
 */
export function isSealedFile (dir, file, text) {
  const mark = readIfThere(join(dir, SEALS[file]))
  return mark !== null && isSealed(text, mark.toString().trim())
}

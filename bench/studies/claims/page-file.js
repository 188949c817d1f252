/** Writes docs/claims.md, the page that is kept with the project. */
import { join } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { PROJECT } from '../../plugins.js'
import { replaceFile } from '../../machine/atomic-write.js'
import { describeFileError } from '../../machine/file-failures.js'

/**
 * @param {string} text
 * @param {string} [file]
 * @returns {Promise<string>} the file
 * @throws {HopbenchError} page-not-writable
 */
export async function writeClaimsPage (text, file = join(PROJECT, 'docs', 'claims.md')) {
  try {
    await replaceFile(file, text)
  } catch (error) {
    throw new HopbenchError('page-not-writable', { file, why: describeFileError(error) },
      { cause: error })
  }
  return file
}

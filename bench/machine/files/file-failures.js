/** Turns system errors of file operations into errors of hopbench. */
import { join } from 'node:path'
import { getErrorCode, getErrorMessage, HopbenchError } from '../../errors.js'

/**
 * Runs an action that writes files, and turns its system errors into errors of hopbench.
 * @template T
 * @param {string} dir
 * @param {() => Promise<T>} action
 * @param {{ file?: string, resume?: string | null }} [written] file: relative to dir; resume: the command that
 * continues after a full disk
 * @returns {Promise<T>}
 * @throws {HopbenchError} results-not-writable, disk-full
 */
export async function storing (dir, action, { file = '', resume = null } = {}) {
  try {
    return await action()
  } catch (error) {
    if (!isSystemError(error)) throw error
    const full = error.code === 'ENOSPC' || error.code === 'EDQUOT'
    throw full
      ? new HopbenchError('disk-full', { file: join(dir, file), resume }, { cause: error })
      : new HopbenchError('results-not-writable', { dir, why: describeFileError(error) }, { cause: error })
  }
}

/**
 * @param {unknown} error
 * @returns {error is NodeJS.ErrnoException}
 */
export const isSystemError = error => error instanceof Error && 'syscall' in error

/** @type {Record<string, string>} */
const WORDS = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  ENOSPC: 'there is no space left',
  EDQUOT: 'there is no space left',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a file is in the way',
  EISDIR: 'it is a folder',
  ELOOP: 'it is a symbolic link',
  ENXIO: 'it is not a plain file'
}

/** Describes an error of a file operation in words. @param {unknown} error */
export const describeFileError = error => WORDS[getErrorCode(error)] ?? getErrorMessage(error)

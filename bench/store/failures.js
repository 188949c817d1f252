/** Gives the system's refusals to write or read a name and words. */
import { basename, join } from 'node:path'
import { HopbenchError } from '../errors.js'

/**
 * Runs an action that writes, and gives the system's refusals a name.
 * @template T
 * @param {string} dir
 * @param {() => Promise<T>} action
 * @param {string} [name] the file of a run that is written, relative to its folder dir
 * @returns {Promise<T>}
 */
export async function storing (dir, action, name = '') {
  try {
    return await action()
  } catch (error) {
    if (!isSystemError(error)) throw error
    const full = error.code === 'ENOSPC' || error.code === 'EDQUOT'
    throw full
      ? new HopbenchError('disk-full', { file: join(dir, name), run: name && basename(dir) }, { cause: error })
      : new HopbenchError('results-not-writable', { dir, why: inWords(error) }, { cause: error })
  }
}

/** @type {(error: unknown) => error is NodeJS.ErrnoException} */
export const isSystemError = error => error instanceof Error && 'syscall' in error

/** @type {Record<string, string>} */
const WORDS = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a file is in the way',
  EISDIR: 'it is a folder'
}

export const inWords = (/** @type {NodeJS.ErrnoException} */ error) => WORDS[error.code ?? ''] ?? error.message

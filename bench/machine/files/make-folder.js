/** Creates folders with their parents. */
import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Creates a folder and its missing parents.
 *
 * The recursive mkdir of Node never returns for a folder in /proc, where the kernel responds with ENOENT although the
 * parent exists: Node then creates the parent again, and tries again.
 *
 * @param {string} dir
 * @param {number} [mode] of each new folder
 * @returns {string | undefined} the first folder that was created; undefined: all exist
 * @throws {NodeJS.ErrnoException}
 */
export function makeFolder (dir, mode) {
  const missing = []
  let path = resolve(dir)
  for (; !isThere(path); path = dirname(path)) missing.unshift(path)
  // A file in place of the folder: mkdir throws EEXIST.
  if (missing.length === 0 && !statSync(path).isDirectory()) mkdirSync(path)
  for (const folder of missing) {
    try {
      mkdirSync(folder, { mode })
    } catch (error) {
      // Another process has created it meanwhile.
      const { code } = /** @type {NodeJS.ErrnoException} */ (error)
      const isFolder = code === 'EEXIST' && isThere(folder) && statSync(folder).isDirectory()
      if (!isFolder) throw error
    }
  }
  return missing[0]
}

/** Returns whether a file or folder exists. @param {string} path */
export const isThere = path => statSync(path, { throwIfNoEntry: false }) !== undefined

/** A folder whose files are to be served: can it be? */
import { readdirSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { HopbenchError } from '../errors.js'

const MOST_FILES = 100_000 // A folder with more files is listed no further: the ones found say enough about it.

/** @typedef {{ path: string, bytes: number }} RootFile `path` as a client asks for it: "/img/a%20b.png" */

/**
 * The files that a server may serve from a folder: no hidden ones, nothing behind symbolic links.
 *
 * @param {string} dir absolute
 * @returns {RootFile[]} at least one, sorted by path
 * @throws {HopbenchError} root-missing, root-unreadable, root-empty
 */
export function checkRoot (dir) {
  const stats = reading(dir, () => statSync(dir, { throwIfNoEntry: false }))
  if (!stats?.isDirectory()) {
    throw new HopbenchError('root-missing', { dir, why: stats ? 'it is a file' : 'there is nothing of that name' })
  }
  const files = reading(dir, () => list(dir, dir))
  if (files.length === 0) throw new HopbenchError('root-empty', { dir })
  return files.sort((a, b) => a.path < b.path ? -1 : 1)
}

/**
 * @param {string} root
 * @param {string} dir
 * @param {RootFile[]} files takes what is found
 */
function list (root, dir, files = []) {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    if (files.length >= MOST_FILES) break
    if (entry.name.startsWith('.')) continue
    const path = join(dir, entry.name)
    if (entry.isDirectory()) list(root, path, files)
    else if (entry.isFile()) {
      files.push({
        path: `/${relative(root, path).split(sep).map(encodeURIComponent).join('/')}`,
        bytes: statSync(path).size
      })
    }
  }
  return files
}

/**
 * @template T
 * @param {string} dir
 * @param {() => T} read
 * @returns {T}
 */
function reading (dir, read) {
  try {
    return read()
  } catch (error) {
    const { code, path, message } = /** @type {NodeJS.ErrnoException} */ (error)
    throw new HopbenchError('root-unreadable', {
      dir: path ?? dir,
      why: code === 'EACCES' ? 'permission is denied' : message
    }, { cause: error })
  }
}

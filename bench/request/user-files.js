/** Lists the files of the folder of --root. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { HopbenchError } from '../errors.js'
import { describeFileError, isSystemError } from '../machine/files/file-failures.js'
import { toUrlPath, walkFolder } from '../machine/files/walk-folder.js'

const MAX_ENTRIES = 100_000 // Limits time and memory. So many files represent the folder well enough.

/**
 * Lists the files in a folder that a server may serve. Excludes hidden files and symbolic links.
 *
 * @param {string} dir absolute
 * @returns {{ path: string, bytes: number }[]} at least one, sorted by path; path: as in a request, "/img/a%20b.png"
 * @throws {HopbenchError} root-missing, root-unreadable, root-empty
 */
export function checkRoot (dir) {
  const files = listServed(dir)
  if (files.length === 0) throw new HopbenchError('root-empty', { dir })
  return files.sort((a, b) => a.path < b.path ? -1 : 1)
}

/**
 * Lists the same files, and takes a folder without any.
 *
 * @param {string} dir absolute
 * @throws {HopbenchError} root-missing, root-unreadable
 */
export function listServed (dir) {
  const stats = tryToRead(dir, () => statSync(dir, { throwIfNoEntry: false }))
  if (!stats?.isDirectory()) {
    throw new HopbenchError('root-missing', { dir, why: stats ? 'it is a file' : 'it does not exist' })
  }
  return tryToRead(dir, () => listFiles(dir))
}

/**
 * Returns the files that a server sends in place of others, which have the same names without the last ending.
 *
 * @param {string[]} paths
 * @returns {Set<string>}
 */
export function listPrecompressed (paths) {
  const all = new Set(paths)
  return new Set(paths.filter(path => /\.(?:br|gz|zst)$/.test(path) && all.has(path.replace(/\.[^.]*$/, ''))))
}

/** Matches names that are not UTF-8, or that URLs encode: some servers find no file of such a name. */
const ODD_NAME = /[\uFFFD?#%\\]/

/**
 * Returns the files whose names some servers do not find.
 *
 * @param {string} root
 */
export const listOddNames = root => listNames(root).filter(path => ODD_NAME.test(path))

/** @param {string} root */
const listNames = root => walkFolder(root, MAX_ENTRIES)
  .flatMap(({ path, entry }) => entry.isFile() && !entry.name.startsWith('.') ? [path] : [])

/** @param {string} root */
const listFiles = root => listNames(root).filter(path => !ODD_NAME.test(path))
  .map(path => ({ path: `/${toUrlPath(path)}`, bytes: statSync(join(root, path)).size }))

/**
 * @template T
 * @param {string} dir
 * @param {() => T} read
 * @returns {T}
 */
function tryToRead (dir, read) {
  try {
    return read()
  } catch (error) {
    const path = isSystemError(error) ? error.path : undefined
    throw new HopbenchError('root-unreadable', { dir: path ?? dir, why: describeFileError(error) }, { cause: error })
  }
}

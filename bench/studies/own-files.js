/** Lists the files of the folder of --root. */
import { readdirSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { HopbenchError } from '../errors.js'
import { describeFileError, isSystemError } from '../machine/file-failures.js'

const MOST_FILES = 100_000 // Limits time and memory. So many files represent the folder well enough.

/**
 * Lists the files in a folder that a server may serve. Excludes hidden files and symbolic links.
 *
 * @param {string} dir absolute
 * @returns {{ path: string, bytes: number }[]} at least one, sorted by path; path: as in a request, "/img/a%20b.png"
 * @throws {HopbenchError} root-missing, root-unreadable, root-empty
 */
export function checkRoot (dir) {
  const stats = tryToRead(dir, () => statSync(dir, { throwIfNoEntry: false }))
  if (!stats?.isDirectory()) {
    throw new HopbenchError('root-missing', { dir, why: stats ? 'it is a file' : 'it does not exist' })
  }
  const files = tryToRead(dir, () => listFiles(dir))
  if (files.length === 0) throw new HopbenchError('root-empty', { dir })
  return files.sort((a, b) => a.path < b.path ? -1 : 1)
}

/** @param {string} root */
function listFiles (root) {
  /** @type {ReturnType<typeof checkRoot>} */
  const files = []
  const folders = [root]
  for (let dir = folders.pop(); dir !== undefined && files.length < MOST_FILES; dir = folders.pop()) {
    const entries = readdirSync(dir, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'))
    for (const entry of entries) {
      const path = join(dir, entry.name)
      if (entry.isDirectory()) folders.push(path)
      else if (entry.isFile()) {
        files.push({
          path: `/${relative(root, path).split(sep).map(encodeURIComponent).join('/')}`,
          bytes: statSync(path).size
        })
      }
    }
  }
  return files.slice(0, MOST_FILES)
}

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
    throw new HopbenchError('root-unreadable', {
      dir: path ?? dir,
      why: describeFileError(error)
    }, { cause: error })
  }
}

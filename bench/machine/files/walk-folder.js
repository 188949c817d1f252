/** Lists the entries of a folder. */
import { opendirSync } from 'node:fs'
import { join, relative } from 'node:path'

/** @import { Dirent } from 'node:fs' */

/**
 * Lists the entries below a folder. Follows no symbolic link.
 * @param {string} root
 * @param {number} most entries after which it ends, one entry later
 * @param {(folder: Dirent) => boolean} [enters] default: folders that are not hidden
 * @returns {{ path: string, entry: Dirent }[]} in no order; path: relative to the root
 * @throws {Error} the system error of a folder that cannot be read
 */
export function walkFolder (root, most, enters = ({ name }) => !name.startsWith('.')) {
  const entries = []
  const folders = [root]
  for (let dir = folders.pop(); dir !== undefined && entries.length <= most; dir = folders.pop()) {
    const opened = opendirSync(dir)
    try {
      for (let entry = opened.readSync(); entry && entries.length <= most; entry = opened.readSync()) {
        const path = join(dir, entry.name)
        if (entry.isDirectory() && enters(entry)) folders.push(path)
        entries.push({ path: relative(root, path), entry })
      }
    } finally {
      opened.closeSync()
    }
  }
  return entries
}

/**
 * Returns the path of a file as a request has it, "img/a%20b.png".
 * @param {string} path relative to the folder that is served
 */
export const toUrlPath = path => path.split('/').map(encodeURIComponent).join('/')

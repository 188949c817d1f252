/** Copies files of one build into another folder. */
import { constants, copyFileSync, lstatSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { badOption } from '../../../errors.js'
import { makeFolder } from '../../../machine/files/make-folder.js'

/** Earlier builds whose files are kept: those of pages that are open during two further rollouts. */
export const KEPT_BUILDS = 2
/** Size of the list of builds, with thousands of files each. */
export const MAX_MANIFEST_BYTES = 2 ** 24
/** Bytes of kept files, above those of any app's pages. */
const MAX_BYTES = 2 ** 31

/**
 * Rejects files that would fill the disk.
 * @param {string} folder
 * @param {string[]} paths relative to it
 * @throws {Error} bad-option
 */
export function rejectLarge (folder, paths) {
  const bytes = paths.reduce((sum, path) => sum + statSync(join(folder, path)).size, 0)
  if (bytes <= MAX_BYTES) return
  const size = `${Math.round(bytes / 1e6)} MB`
  throw badOption('--files', undefined, `the files with hashes in their names take ${size} in ${folder}`,
    'Take --files new.')
}

/**
 * Copies a plain file, unless the path exists or leads through a symbolic link.
 * @param {string} from
 * @param {string} folder
 * @param {string} path relative to the folder
 * @returns {boolean} whether it was copied
 */
export function copyNew (from, folder, path) {
  const target = join(folder, path)
  for (let parent = dirname(path); parent !== '.' && parent !== '/'; parent = dirname(parent)) {
    const stats = lstatSync(join(folder, parent), { throwIfNoEntry: false })
    if (stats && !stats.isDirectory()) return false
  }
  if (lstatSync(target, { throwIfNoEntry: false })) return false
  makeFolder(dirname(target))
  copyFileSync(from, target, constants.COPYFILE_EXCL)
  return true
}

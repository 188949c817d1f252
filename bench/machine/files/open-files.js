/**
 * Checks the limit of open files of this process. Loads few files itself: imports only node: modules, and modules that
 * import only those.
 */
import { join } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { readText } from './system-files.js'

/**
 * Fewest open files with which a command starts. Node opens many modules of a command at once: `hopbench run` exceeds
 * 92 open files before it starts anything.
 */
const MIN_OPEN_FILES = 256

/**
 * Returns the soft limit of open files.
 * @param {string} limits text of /proc/<pid>/limits
 * @returns {string} a number or "unlimited"; empty: the text has no such line
 */
export const findOpenFilesLimit = limits => /^Max open files\s+(\S+)/m.exec(limits)?.[1] ?? ''

/**
 * Rejects a limit with which Node could not open the modules of a command. The soft limit of this process equals its
 * hard limit, because Node raises the soft one at its start. Accepts an unknown limit.
 * @param {{ root?: string }} [options] `root` is prepended to /proc
 * @throws {HopbenchError} too-few-files
 */
export function checkOpenFiles ({ root = '/' } = {}) {
  const limit = findOpenFilesLimit(readText(join(root, 'proc/self/limits')))
  if (!/^\d+$/.test(limit) || Number(limit) >= MIN_OPEN_FILES) return
  throw new HopbenchError('too-few-files', {
    why: `the hard limit of a process is ${limit}, and hopbench needs at least ${MIN_OPEN_FILES}`
  })
}

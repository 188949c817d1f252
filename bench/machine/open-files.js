/** The limit of open files of a process. Imports only node: modules and modules that do. */
import { join } from 'node:path'
import { HopbenchError } from '../errors.js'
import { readText } from './system-files.js'

/**
 * Fewest open files with which a command starts. Node opens many modules of a command at once: `hopbench run` exceeds
 * 92 open files before it starts anything.
 */
const FEWEST_OPEN_FILES = 256

/** Returns the soft limit in the text of /proc/<pid>/limits; empty if it has none. @param {string} limits */
export const findOpenFilesLimit = limits => /^Max open files\s+(\S+)/m.exec(limits)?.[1] ?? ''

/**
 * Rejects a limit with which Node could not open the modules of a command. Node has raised the soft limit to the hard
 * limit. Accepts an unknown limit.
 * @param {{ root?: string }} [options] `root` is prepended to /proc
 * @throws {HopbenchError} too-few-files
 */
export function checkOpenFiles ({ root = '/' } = {}) {
  const limit = findOpenFilesLimit(readText(join(root, 'proc/self/limits')))
  if (!/^\d+$/.test(limit) || Number(limit) >= FEWEST_OPEN_FILES) return
  throw new HopbenchError('too-few-files', {
    why: `the hard limit of a process is ${limit}, and hopbench needs at least ${FEWEST_OPEN_FILES}`
  })
}

/** Reads a growing file line by line. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { ignoreMissing } from './system-files.js'

/** @import { HopbenchError } from '../../errors.js' */

/**
 * Reads the lines that were added since the last call.
 * @param {string} file
 * @param {number} [mostBytes] that one call reads; further bytes are skipped
 */
export function tailReader (file, mostBytes = Infinity) {
  /** @type {number | null} */
  let fd = null
  let offset = 0
  let rest = ''
  return {
    /**
     * @returns {string[]} empty if the file is not written yet
     * @throws {HopbenchError} too-few-files
     */
    lines () {
      try {
        fd ??= openSync(file, 'r')
      } catch (error) {
        ignoreMissing(error)
        return []
      }
      const { size } = fstatSync(fd)
      const bytes = Buffer.alloc(Math.min(size - offset, mostBytes))
      readSync(fd, bytes, 0, bytes.length, offset)
      offset = size
      const lines = (rest + bytes.toString('latin1')).split('\n')
      rest = lines.pop() ?? ''
      return lines
    },
    close () {
      if (fd !== null) closeSync(fd)
      // A second close would close another file with the same number.
      fd = null
    }
  }
}

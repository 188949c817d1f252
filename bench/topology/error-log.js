/** Reads new lines of a proxy's error log and counts them by kind. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { LogCounter } from '../shared/log-kinds.js'

/** @import { LogCount } from '../types.js' */

/** Bytes that one call reads at most, because nginx writes a line for each request if all of them are errors. */
const MOST_BYTES = 64 * 1024 * 1024
const CHUNK_BYTES = 1024 * 1024

/**
 * Returns a function that counts, by kind, the lines that were added since its last call.
 * @param {string} file
 * @returns {() => LogCount[]}
 */
export function errorLogReader (file) {
  let offset = 0
  return () => {
    const counter = new LogCounter()
    const fd = openIfExists(file)
    if (fd === null) return []
    try {
      const { size } = fstatSync(fd)
      const end = Math.min(size, offset + MOST_BYTES)
      const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, end - offset))
      let rest = ''
      for (let at = offset; at < end;) {
        const length = readSync(fd, chunk, 0, Math.min(chunk.length, end - at), at)
        const lines = (rest + chunk.toString('latin1', 0, length)).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) counter.add(line)
        at += length
      }
      offset = size
    } finally {
      closeSync(fd)
    }
    return counter.counts()
  }
}

/** @param {string} file */
function openIfExists (file) {
  try {
    return openSync(file, 'r')
  } catch {
    return null
  }
}

/** Reads the samples of a run line by line, because their text can be longer than a string. */
import { getErrorCode, HopbenchError } from '../errors.js'
import { describeFileError } from '../machine/files/file-failures.js'
import { readChunks, withPlainFile } from '../machine/files/plain-files.js'
import { attempt } from '../shared/attempt.js'
import { findFault } from './record-format.js'

/** @import { FileHandle } from 'node:fs/promises' */
/** @import { Sample } from '../types.js' */

/** Most samples that are read, because each takes about a kilobyte of memory. A run of four hours has 100,000. */
const MAX_SAMPLES = 1_500_000
/** Largest file that is read. It has room for about 700 bytes for each of MAX_SAMPLES lines. */
const MAX_BYTES = 2 ** 30
/** Longest line. A trial of a day that is reported second by second has about 9 MB. */
const MAX_LINE_BYTES = 2 ** 24
/**
 * Most starts that are read, because the search for outlying starts takes time with the square of their number. The
 * longest run of the project has 30, and 1,000 take more than four hours.
 */
const MAX_STARTS = 1000
const CHUNK_BYTES = 2 ** 20
const NEWLINE = 10

/**
 * Reads samples. Skips an incomplete last line, which a crash can leave behind.
 * @param {string} file
 * @returns {Promise<Sample[]>} empty: there is no such file
 * @throws {HopbenchError} bad-run-file
 */
export async function readSamples (file) {
  const bad = (/** @type {string} */ why, /** @type {number} */ line = 0) =>
    new HopbenchError('bad-run-file', { file, why, ...line > 0 && { line } })
  return attempt(() => withPlainFile(file, { maxBytes: MAX_BYTES }, fd => parseSamples(fd, bad)), error => {
    if (error instanceof HopbenchError) throw error
    if (getErrorCode(error) === 'ENOENT') return []
    throw bad(describeFileError(error))
  })
}

/**
 * @param {number} fd
 * @param {(why: string, line?: number) => HopbenchError} bad
 * @returns {Sample[]}
 */
function parseSamples (fd, bad) {
  /** @type {Sample[]} */
  const samples = []
  /** @type {Set<number | undefined>} */
  const starts = new Set()
  for (const lines of readLines(fd)) {
    for (const line of lines) {
      const sample = attempt(() => JSON.parse(line), () => undefined)
      const fault = sample === undefined ? 'it is not JSON' : findFault('sample', sample)
      if (fault) throw bad(fault, samples.length + 1)
      samples.push(sample)
      starts.add(sample.start)
    }
    if (samples.length > MAX_SAMPLES) throw bad(`it has more than ${MAX_SAMPLES} lines`)
    if (starts.size > MAX_STARTS) throw bad(`it has samples of more than ${MAX_STARTS} starts`)
  }
  return samples
}

/**
 * Reads complete lines, a chunk of the file at a time.
 * @param {number} fd
 * @throws {Error} a line is too long
 */
function * readLines (fd) {
  /** Parts of an incomplete line. @type {Buffer[]} */
  let parts = []
  let length = 0
  for (const chunk of readChunks(fd, MAX_BYTES)) {
    const end = chunk.lastIndexOf(NEWLINE) + 1
    if (end > 0) {
      yield Buffer.concat([...parts, chunk.subarray(0, end - 1)]).toString().split('\n')
      parts = []
      length = 0
    }
    parts.push(chunk.subarray(end))
    length += chunk.length - end
    if (length > MAX_LINE_BYTES) throw new Error(`a line is longer than ${MAX_LINE_BYTES / 2 ** 20} MiB`)
  }
}

/**
 * Removes an incomplete last line.
 * @param {FileHandle} handle of the samples, open for reading and writing
 */
export async function removeIncompleteLine (handle) {
  const { size } = await handle.stat()
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - CHUNK_BYTES)
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(end - start), 0, end - start, start)
    const newline = buffer.subarray(0, bytesRead).lastIndexOf(NEWLINE)
    if (newline !== -1) return handle.truncate(start + newline + 1)
    end = start
  }
  await handle.truncate(0)
}

/** Reads the beginning and the end of a log, because an app can write gigabytes in one run. */
import { readSync } from 'node:fs'
import { KEY_BEGIN, KEY_END } from '../../shared/secrets.js'
import { withPlainFile } from './plain-files.js'

/** A log may have any size, because only its ends are read. */
const ANY_SIZE = { maxBytes: Infinity }
/** Bytes that are kept of the beginning and of the end of a log. */
const PART_BYTES = 256 * 1024
/** Longest line that is kept. The longest line of a proxy's log has about 2,000 characters. */
const MAX_LINE = 4096
const LEFT_OUT = '[… left out …]'

/**
 * Returns the complete lines of the beginning and the end of a plain file. Leaves out the lines that were cut, because
 * half of a secret would not be recognized.
 * @param {string} file
 * @param {number} [partBytes]
 * @returns {string}
 * @throws {Error} the file is missing, or not a plain file
 */
export const readExcerpt = (file, partBytes = PART_BYTES) => withPlainFile(file, ANY_SIZE, (fd, { size }) => {
  if (size <= 2 * partBytes) return readPart(fd, 0, size)
  const head = readPart(fd, 0, partBytes)
  return `${head.slice(0, head.lastIndexOf('\n') + 1)}${LEFT_OUT}\n${readTail(fd, size, partBytes)}`
})

/**
 * Returns the complete lines of the end of a plain file.
 * @param {string} file
 * @param {number} [partBytes]
 * @returns {string}
 * @throws {Error} the file is missing, or not a plain file
 */
export const readEnd = (file, partBytes = PART_BYTES) => withPlainFile(file, ANY_SIZE, (fd, { size }) =>
  size <= partBytes ? readPart(fd, 0, size) : `${LEFT_OUT}\n${readTail(fd, size, partBytes)}`)

/**
 * @param {number} fd
 * @param {number} size of the file
 * @param {number} length
 */
function readTail (fd, size, length) {
  const text = readPart(fd, size - length, length)
  return withoutEndOfKey(text.slice(text.indexOf('\n') + 1 || text.length))
}

/**
 * @param {number} fd
 * @param {number} start
 * @param {number} length
 */
function readPart (fd, start, length) {
  const bytes = Buffer.alloc(length)
  return bytes.toString('utf8', 0, readSync(fd, bytes, 0, length, start))
}

/** Removes the end of a private key whose beginning was left out. @param {string} text */
function withoutEndOfKey (text) {
  const end = new RegExp(KEY_END).exec(text)
  if (!end || new RegExp(KEY_BEGIN).test(text.slice(0, end.index))) return text
  return text.slice(end.index + end[0].length)
}

/** Cuts long lines. @param {string} text without secrets, because a line can be cut within one */
export const cutLongLines = text => text.split('\n')
  .map(line => line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)} ${LEFT_OUT}` : line).join('\n')

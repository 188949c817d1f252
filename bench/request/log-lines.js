/** Reads the lines of a list of paths or an access log, a chunk of the file at a time. Their content is untrusted. */
import { constants, gunzipSync } from 'node:zlib'
import { readChunks, withPlainFile } from '../machine/files/plain-files.js'
import { toTable, withoutPrefix } from './log-formats.js'

/** @import { Fields, Format } from './log-formats.js' */

/** Limit of a file in bytes, which bounds the time: a minute for 2 GiB. */
const LOG = { maxBytes: 2 ** 32, followsLinks: true }
/** Limit of a file with gzip and of its decompressed text in bytes, which are held in memory. */
const MAX_GZIP_BYTES = 2 ** 28
/** Limit of a line in characters. Servers limit a URL to 8 KiB, and a line quotes two. */
const MAX_LINE = 2 ** 16
/** Most prefixes of a line: those of kubectl, the container and syslog. */
const MAX_PREFIXES = 3

/** A line that has a format. Its time may be that of a prefix. @typedef {{ format: Format, fields: Fields }} LogLine */

/**
 * Passes the lines of a file to a function. Leaves out empty lines and comments.
 * @template T
 * @param {string} file
 * @param {Format[]} formats
 * @param {(lines: Generator<LogLine | null>) => T} use null: no format fits
 * @returns {T}
 * @throws {Error} with the reason as its message, or a system error
 */
export const withLogLines = (file, formats, use) => withPlainFile(file, LOG, (fd, { size }) =>
  // A log may grow meanwhile.
  use(readLines(splitLines(decompress(readChunks(fd, size))), formats)))

/**
 * @param {Iterable<string | null>} lines null: too long
 * @param {Format[]} formats
 * @returns {Generator<LogLine | null>}
 */
function * readLines (lines, formats) {
  let known = formats
  let part = ''
  for (const whole of lines) {
    const line = whole?.replace(/^\uFEFF|\r$/g, '')
    if (line?.startsWith('#Fields:')) known = [toTable(line.slice(8)), ...formats]
    if (line?.trim() === '' || line?.startsWith('#')) continue
    const found = line === undefined ? null : findFormat(line, known, part)
    part = typeof found === 'string' && found.length <= MAX_LINE ? found : ''
    if (typeof found !== 'string') yield found
  }
}

/**
 * Finds the format of a line, without the prefixes of collectors.
 * @param {string} line
 * @param {Format[]} formats
 * @param {string} part text of the lines that this line continues
 * @returns {LogLine | string | null} a string: text that the next line continues; null: no format fits
 */
function findFormat (line, formats, part) {
  let text = part === '' ? line : ''
  let rest = line
  /** @type {string | undefined} */
  let time
  for (let i = 0; i <= MAX_PREFIXES; i++) {
    for (const format of formats) {
      const fields = text === '' ? null : format.parse(text)
      if (fields !== null) return { format, fields: { time, ...fields } }
    }
    const inner = withoutPrefix(rest)
    if (inner === null) return null
    rest = inner.text
    text = part + rest
    time ??= inner.time
    if (inner.isPart) return text
  }
  return null
}

/**
 * Decompresses gzip, by its first bytes. Accepts a file that ends early, because logs are copied while they grow.
 * @param {Iterable<Buffer>} chunks
 */
function * decompress (chunks) {
  /** @type {Buffer[]} */
  const packed = []
  /** @type {boolean | undefined} */
  let isPacked
  for (const chunk of chunks) {
    isPacked ??= chunk[0] === 0x1f && chunk[1] === 0x8b
    if (!isPacked) {
      yield chunk
      continue
    }
    packed.push(chunk)
    if (packed.length * chunk.length > MAX_GZIP_BYTES) throw new Error(`with gzip it is larger than ${LIMIT}`)
  }
  if (isPacked) yield gunzipSync(Buffer.concat(packed), GUNZIP)
}

const LIMIT = `${MAX_GZIP_BYTES / 2 ** 20} MiB`
const GUNZIP = { maxOutputLength: MAX_GZIP_BYTES, finishFlush: constants.Z_SYNC_FLUSH }

/**
 * Splits a text into its lines. Yields null for a line that is too long, which is not held in memory.
 * @param {Iterable<Buffer>} chunks
 * @returns {Generator<string | null>}
 */
function * splitLines (chunks) {
  let rest = Buffer.alloc(0)
  let isTooLong = false
  for (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const line = chunk.subarray(start, end)
      const isLong = isTooLong || rest.length + line.length > MAX_LINE
      yield isLong ? null : toText(rest.length > 0 ? Buffer.concat([rest, line]) : line)
      rest = Buffer.alloc(0)
      isTooLong = false
      start = end + 1
    }
    isTooLong ||= rest.length + chunk.length - start > MAX_LINE
    rest = isTooLong ? Buffer.alloc(0) : Buffer.concat([rest, chunk.subarray(start)])
  }
  if (isTooLong || rest.length > 0) yield isTooLong ? null : toText(rest)
}

/**
 * Decodes a line. Encodes each byte of a line that is not UTF-8, as browsers encode the names of such files.
 * @param {Buffer} bytes
 */
function toText (bytes) {
  const text = bytes.toString()
  return text.includes('\uFFFD') ? encodeBytes(bytes.toString('latin1')) : text
}

/** @param {string} text each character of which is a byte */
const encodeBytes = text => text.replace(/[\x80-\xff]/g, byte => encodeByte(byte.charCodeAt(0)))

/**
 * Encodes a byte as URLs do.
 * @param {number} byte
 */
export const encodeByte = byte => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`

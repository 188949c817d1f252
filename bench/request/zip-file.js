/** Reads the files in a ZIP archive. Its content is untrusted. */
import { inflateRawSync } from 'node:zlib'

/** Signature of the end of the central directory, and its size without a comment. */
const END = { signature: 0x06054b50, bytes: 22 }
/** Signature and fixed size of an entry of the central directory. */
const ENTRY = { signature: 0x02014b50, bytes: 46 }
const LOCAL_BYTES = 30
const MAX_COMMENT_BYTES = 2 ** 16

/**
 * Returns the files of an archive by their names, as functions that decompress them.
 * @param {Buffer} zip
 * @param {number} maxBytes of a decompressed file
 * @returns {Map<string, () => Buffer>}
 * @throws {Error} if the archive is damaged
 */
export function openZip (zip, maxBytes) {
  let end = zip.length - END.bytes
  while (end >= 0 && zip.readUInt32LE(end) !== END.signature) end--
  if (end < zip.length - END.bytes - MAX_COMMENT_BYTES || end < 0) throw new Error('its ZIP archive has no directory')
  /** @type {Map<string, () => Buffer>} */
  const files = new Map()
  let at = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    if (zip.readUInt32LE(at) !== ENTRY.signature) throw new Error('the directory of its ZIP archive is damaged')
    const [method, bytes, start] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20), zip.readUInt32LE(at + 42)]
    const nameEnd = at + ENTRY.bytes + zip.readUInt16LE(at + 28)
    files.set(zip.toString('utf8', at + ENTRY.bytes, nameEnd), () => {
      const from = start + LOCAL_BYTES + zip.readUInt16LE(start + 26) + zip.readUInt16LE(start + 28)
      const data = zip.subarray(from, from + bytes)
      return method === 0 ? data : inflateRawSync(data, { maxOutputLength: maxBytes })
    })
    at = nameEnd + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  }
  return files
}

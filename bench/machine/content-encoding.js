/** Undoes a Content-Encoding, up to a size: a kilobyte may decompress to a gigabyte. */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

/** The largest body that is looked at: as base64 it is about the longest text that Node can have. */
export const MOST_BYTES = 384 * 2 ** 20

/** @type {Record<string, (body: Buffer, options: { maxOutputLength: number }) => Buffer>} */
const DECODERS = { br: brotliDecompressSync, deflate: inflateSync, gzip: gunzipSync }

/** The encodings that can be undone. */
export const ENCODINGS = Object.keys(DECODERS)

/**
 * @returns {Buffer | null} null: the body is not what its Content-Encoding says, that is not known, or there is more
 *   than MOST_BYTES in it
 */
export function decoded (/** @type {Buffer} */ body, /** @type {string | null} */ contentEncoding) {
  if (contentEncoding === null || contentEncoding === 'identity') return body
  try {
    return DECODERS[contentEncoding.toLowerCase()]?.(body, { maxOutputLength: MOST_BYTES }) ?? null
  } catch {
    return null
  }
}

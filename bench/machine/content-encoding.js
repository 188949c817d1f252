/** Decodes a Content-Encoding up to a size limit, because a kilobyte may decompress to a gigabyte. */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

/** Largest decoded body. In base64 it is close to the longest string of Node. */
export const MAX_BYTES = 384 * 2 ** 20

/** @type {Record<string, (body: Buffer, options: { maxOutputLength: number }) => Buffer>} */
const DECODERS = { br: brotliDecompressSync, deflate: inflateSync, gzip: gunzipSync }

/** Encodings that can be decoded. */
export const ENCODINGS = Object.keys(DECODERS)

/**
 * Decodes a body.
 * @returns {Buffer | null} null: the encoding is unknown, the body is not in that encoding, or it exceeds MAX_BYTES
 */
export function decoded (/** @type {Buffer} */ body, /** @type {string | null} */ contentEncoding) {
  if (contentEncoding === null || contentEncoding === 'identity') return body
  try {
    return DECODERS[contentEncoding.toLowerCase()]?.(body, { maxOutputLength: MAX_BYTES }) ?? null
  } catch {
    return null
  }
}

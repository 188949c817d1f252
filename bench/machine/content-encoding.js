/** Undoes a Content-Encoding. */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

/** @type {Record<string, (body: Buffer) => Buffer>} */
const DECODERS = { br: brotliDecompressSync, deflate: inflateSync, gzip: gunzipSync }

/** The encodings that can be undone. */
export const ENCODINGS = Object.keys(DECODERS)

/** @returns {Buffer | null} null: the body is not what its Content-Encoding says, or that is not known */
export function decoded (/** @type {Buffer} */ body, /** @type {string | null} */ contentEncoding) {
  if (contentEncoding === null || contentEncoding === 'identity') return body
  try {
    return DECODERS[contentEncoding.toLowerCase()]?.(body) ?? null
  } catch {
    return null
  }
}

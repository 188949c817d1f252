/** Which files a deploy kit compresses when it is built (pure). */

/** Ends of the names of text formats, which gzip makes smaller by more than half. */
export const TEXT_ENDS = ['html', 'htm', 'css', 'js', 'mjs', 'json', 'svg', 'txt', 'xml', 'wasm', 'map', 'md']
/** Smallest file that compression makes smaller by more than a packet, in bytes. */
const MIN_BYTES = 1024

/**
 * Returns whether the kit compresses a file.
 * @param {string} path
 * @param {number} bytes
 */
export const isCompressibleFile = (path, bytes) =>
  bytes >= MIN_BYTES && TEXT_ENDS.includes(path.slice(path.lastIndexOf('.') + 1).toLowerCase())

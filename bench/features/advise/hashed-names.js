/** Recognises files whose names have a hash of their content, as the recommended configurations do (pure). */

/** Pages, which browsers validate each time, independent of their names. */
const PAGE = /(?:\/|\.html?)$/
/** Patterns of nginx/snippets/cache-control.conf: hexadecimal hashes, and those of Vite below a folder assets. */
const HASHES = [
  /[._-](?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{8,64}\.[a-z0-9.]+$/,
  /\/assets\/.*[.-](?=[\w-]{1,7}[A-Z])(?=[\w-]{0,7}[a-z])(?=[\w-]{0,6}[0-9])[\w-]{8}\.[a-z0-9.]+$/
]

/**
 * Returns whether a file has a hash of its content in its name, so that its content never changes.
 * @param {string} path of its URL, as in "/assets/app.3f2a91bc.js"
 */
export const hasHashedName = path => !PAGE.test(path) && HASHES.some(pattern => pattern.test(path))

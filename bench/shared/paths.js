/** Compares paths of files and of URLs (pure). */

/**
 * Returns whether a path is a folder or below it.
 * @param {string} folder without a slash at its end, unless it is the root
 * @param {string} path
 */
export const isWithin = (folder, path) => path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)

/** Lists a path and the folders above it, the topmost first. @param {string} path relative */
export const listParents = path => {
  const names = path.split('/')
  return names.map((_, i) => names.slice(0, i + 1).join('/'))
}

/** Finds the files of a build that have a hash of their content in their names. */
import { dirname, join, posix } from 'node:path'
import { badOption } from '../../../errors.js'
import { walkFolder } from '../../../machine/files/walk-folder.js'
import { BUILD_OUTPUT } from '../../../request/frameworks.js'
import { findBuiltFolders } from '../../../measure/built-folders.js'
import { groupBy } from '../../../shared/group-by.js'
import { hasHashedName } from '../../../shared/http/hashed-names.js'

/** @import { Dirent } from 'node:fs' */
/** @import { BuiltFolder } from '../../../types.js' */

/**
 * A file. path: relative to the build; urls: paths by which it may be requested
 * @typedef {{ path: string, urls: string[] }} HashedFile
 */

/** Folders at any depth without files for browsers: packages, caches of builders, and code of the server. */
const SKIPPED = new Set(['node_modules', 'cache', 'server'])
/** Entries of a build, above those of any app without its packages. */
const MAX_ENTRIES = 100_000
const PACKED = /\.(?:gz|br|zst)$/
/** Folder that Next.js sends below /_next/static/. */
const OF_NEXT = /^(?:.*\/)?\.next\/static\//

/**
 * Lists the plain files of a build. Follows no symbolic link, and enters no hidden folder but those of builders.
 * @param {string} folder
 * @throws {Error} bad-option
 */
function listFiles (folder) {
  const isShown = (/** @type {Dirent} */ { name }) => !name.startsWith('.') || BUILD_OUTPUT.includes(name)
  const entries = walkFolder(folder, MAX_ENTRIES, entry => isShown(entry) && !SKIPPED.has(entry.name))
  if (entries.length > MAX_ENTRIES) {
    throw badOption('--files', undefined, `${folder} has more than ${MAX_ENTRIES} files`, 'Take --files new.')
  }
  return entries.filter(({ entry }) => entry.isFile() && isShown(entry)).map(({ path }) => path)
}

/**
 * Lists a folder and those above it, as the roots that URLs may begin at.
 * @param {string} folder relative to the build
 * @returns {string[]}
 */
const listRoots = folder => folder === '.' ? ['.'] : [...listRoots(dirname(folder)), folder]

/**
 * Finds the files of a build with hashes in their names. An app may serve each folder as its site, so that a file has a
 * URL from each folder above it from which its path is one with a hash.
 * @param {string} folder of the build
 * @returns {{ files: HashedFile[], built: BuiltFolder[] }} built: folders of builders, by their URLs
 * @throws {Error} bad-option; the system error of a folder that cannot be read
 */
export function findHashedFiles (folder) {
  const byFolder = groupBy(listFiles(folder), dirname)
  const roots = new Set([...byFolder.keys()].flatMap(listRoots))
  const built = new Map([...roots].map(root => [root, findBuiltFolders(join(folder, root))]))
  const files = [...byFolder].flatMap(([inner, paths]) => paths.map(path => {
    const urls = OF_NEXT.test(path)
      ? [path.replace(OF_NEXT, '/_next/static/')]
      : listRoots(inner).map(root => ({ url: `/${posix.relative(root, path)}`, built: built.get(root) }))
        .filter(({ url, built }) => [url, url.replace(PACKED, '')].some(name => hasHashedName(name, built)))
        .map(({ url }) => url)
    return { path, urls: urls.filter(url => !url.includes('/.')) }
  })).filter(({ urls }) => urls.length > 0)
  return { files, built: [...built.values()].flat() }
}

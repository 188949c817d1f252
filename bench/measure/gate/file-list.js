/** The files below the prefixes of an arm: those that the gate compares, and a watch over changes. */
import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { toUrlPath, walkFolder } from '../../machine/files/walk-folder.js'
import { isWholeSite } from '../../plan/file-prefixes.js'
import { randomFrom, shuffle } from '../../shared/random.js'

/** @import { FilePrefix, Reason } from '../../types.js' */
/** @import { StagedArm } from '../types.js' */

/** Most files of all prefixes that are compared and watched, so that a gate ends within seconds. */
const MAX_FILES = 1000
/** Bytes of all compared files, which are sent four times: about a second of hashing. Larger files are left out. */
const MAX_BYTES = 64 * 1024 * 1024
/** Seed of the sample, so that every arm and every start compares the same files. */
const SEED = 1
/** Headers of a browser that requests a page. */
const NAVIGATION = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
/** End of a file that a server sends in place of another one. */
const PRECOMPRESSED = /\.(?:br|gz)$/

/**
 * @typedef {object} ListedFile
 * @property {string} path as in a request, "/assets/a%20b.png"
 * @property {string} file absolute
 * @property {number} bytes
 * @property {string} state changes with the content
 * @property {Record<string, string>} [headers] of the request; left out: none
 * @property {string} [original] absolute path of the file that a server sends this one in place of, by its name
 */
/**
 * Files of prefixes.
 * @typedef {object} PrefixFiles
 * @property {ListedFile[]} files all, or a sample, whose responses are compared
 * @property {ListedFile[]} watched the same files, and the precompressed files beside them
 * @property {ListedFile[]} others all files that are not among `files`
 * @property {ListedFile[]} navigations files of the whole site, requested as pages by a browser: an app may send a page
 *   of its own, as a single-page app does
 * @property {number} total number of files, without the precompressed ones beside others
 */

/**
 * Lists the files of prefixes. Leaves out hidden files and symbolic links. Precompressed files beside their originals
 * are watched, but not compared.
 * @param {FilePrefix[]} prefixes
 * @param {string} root that is served, to which the folders of a built-in server are relative
 * @returns {PrefixFiles}
 * @throws {Error} the system error of a file that cannot be read
 */
export function listPrefixFiles (prefixes, root) {
  const found = prefixes.flatMap(({ prefix, folder }) => {
    const dir = resolve(root, folder)
    const names = walkFolder(dir, Infinity)
      .flatMap(({ path, entry }) => entry.isFile() && !entry.name.startsWith('.') ? [path] : []).sort()
    const all = new Set(names)
    return names.map(name => {
      const plain = name.replace(PRECOMPRESSED, '')
      /** @type {Pick<ListedFile, 'path' | 'file' | 'original'>} */
      const file = { path: `${prefix}/${toUrlPath(name)}`, file: join(dir, name) }
      return plain !== name && all.has(plain) ? { ...file, original: join(dir, plain) } : file
    })
  })
  const originals = found.filter(({ original }) => original === undefined)
  const sample = originals.length > MAX_FILES
    ? shuffle(originals, randomFrom(SEED, 'files')).slice(0, MAX_FILES)
    : originals
  let bytes = 0
  const files = sample.map(toListed).filter(listed => {
    if (bytes + listed.bytes > MAX_BYTES) return false
    bytes += listed.bytes
    return true
  })
  const compared = new Set(files.flatMap(({ path, file }) => [path, file]))
  const others = found.filter(({ path }) => !compared.has(path)).map(toListed)
  const precompressed = others.filter(({ original = '' }) => compared.has(original))
  // The prefix of the whole site is the only one.
  const navigations = prefixes.some(isWholeSite) ? files.map(file => ({ ...file, headers: NAVIGATION })) : []
  return { files, watched: [...files, ...precompressed], others, navigations, total: originals.length }
}

/**
 * @param {Pick<ListedFile, 'path' | 'file' | 'original'>} found
 * @returns {ListedFile}
 */
const toListed = found => ({ ...found, ...readState(found.file) })

/**
 * Returns why an arm is invalid: the first file that has changed since the gate.
 * @param {Pick<StagedArm, 'files'>} staged
 * @returns {Reason | null}
 */
export function findFileChange ({ files }) {
  const changed = files?.files.find(({ file, state }) => readState(file).state !== state)
  return changed ? { code: 'file-changed', params: { path: changed.path } } : null
}

/** @param {string} file */
function readState (file) {
  const stats = statSync(file, { throwIfNoEntry: false })
  return { bytes: stats?.size ?? 0, state: stats ? [stats.size, stats.mtimeMs, stats.ino].join() : 'missing' }
}

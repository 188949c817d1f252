/** Finds folders of files with hashes in their names that a builder alone writes, because such a hash can be a word. */
import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { readPlainFile } from '../machine/files/plain-files.js'
import { walkFolder } from '../machine/files/walk-folder.js'
import { getServedPrefixes } from '../plan/file-prefixes.js'
import { attempt } from '../shared/attempt.js'
import { hasHashedName } from '../shared/http/hashed-names.js'

/** @import { BuiltFolder, Topology } from '../types.js' */

const MAX_ENTRIES = 20_000 // More than any build.
const MAX_BYTES = 2 ** 24 // Limit of a manifest and a page.
/** Folders of Vite and Angular in the folder that they write. */
const FOLDERS = ['', '/assets', '/media']
/** Manifests of Vite 5 and 4. */
const MANIFESTS = ['.vite/manifest.json', 'manifest.json']
/** The script of a page that Vite writes. */
const VITE_SCRIPT = '<script type="module" crossorigin src='
const ANGULAR_MAIN = /^main-[A-Z2-7]{8}\.js$/
const HASH_AT_END = /-[\w-]{8}(?:\.m?js|\.css)?\.[a-z0-9]+$/
const PACKED = /\.(?:gz|br|zst)$/
const PAGE = 'index.html'

/**
 * Finds such folders among the files that a proxy serves.
 * @param {Pick<Topology, 'proxy' | 'server' | 'files'>} topology
 * @param {string} root of the files without an app, and of relative folders
 */
export const findBuilt = (topology, root) => topology.server
  ? getServedPrefixes(topology).flatMap(({ prefix, folder }) => findBuiltFolders(resolve(root, folder), prefix))
  : findBuiltFolders(root)

/**
 * @param {string} folder absolute
 * @param {string} [prefix] of its URLs
 * @returns {BuiltFolder[]}
 */
export const findBuiltFolders = (folder, prefix = '') => FOLDERS.flatMap(name => {
  const hash = attempt(() => findHash(join(folder, name)), () => null)
  return hash === null ? [] : [{ path: `${prefix}${name}`, hash }]
})

/**
 * Finds the alphabet of the hashes in a folder that a builder alone writes.
 * @param {string} folder
 * @returns {BuiltFolder['hash'] | null} null: a name may have been made by hand
 */
function findHash (folder) {
  const parent = dirname(folder)
  const all = walkFolder(folder, MAX_ENTRIES).filter(({ entry }) => entry.isFile()).map(({ path }) => path)
    .filter(path => !PACKED.test(path))
  // A build without a folder for its assets has its page among them.
  const isFlat = all.every(path => !path.includes('/'))
  const files = all.filter(path => !isFlat || path !== PAGE)
  const hash = readdirSync(parent).some(name => ANGULAR_MAIN.test(name)) ? 'base32' : 'base64'
  const listed = listOutputs(parent)
  const isSure = (/** @type {string} */ path) => listed.has(basename(path)) || hasHashedName(`/assets/${path}`)
  const hashed = files.filter(path => hasHashedName(`/${path}`, [{ path: '', hash }]))
  const hasPage = hash === 'base32' || readText(join(parent, PAGE)).includes(VITE_SCRIPT)
  if (!hasPage && !hashed.some(isSure)) return null
  // Vite and Angular copy the folder public.
  const isCopied = (/** @type {string} */ path) => ['..', '../..'].some(up =>
    existsSync(join(parent, up, 'public', basename(folder), path)))
  const areBuilt = listed.size > 0 ? hashed.every(isSure) : files.every(path => HASH_AT_END.test(path))
  return hashed.length > 0 && areBuilt && !hashed.some(isCopied) ? hash : null
}

/** @param {string} file */
const readText = file => attempt(() => readPlainFile(file, { maxBytes: MAX_BYTES }).toString(), () => '')

/**
 * Returns the names of the files that Vite's manifest lists.
 * @param {string} dir that Vite wrote
 * @returns {Set<string>} empty: there is no manifest
 */
const listOutputs = dir => new Set(MANIFESTS.flatMap(name => attempt(() =>
  Object.values(JSON.parse(readText(join(dir, name)))).flatMap(({ file, css = [], assets = [] }) =>
    [file, ...css, ...assets].map(path => basename(path))), () => [])))

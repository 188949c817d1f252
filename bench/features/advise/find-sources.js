/** Finds the files of a project, and of its packages, from which an app sends the files of its pages. */
import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { walkFolder } from '../../machine/files/walk-folder.js'
import { attempt } from '../../shared/attempt.js'
import { groupBy, sum } from '../../shared/group-by.js'
import { MAX_BYTES, hashFile } from './find-prefixes.js'

/** @import { FilePrefix, ServedFiles } from '../../types.js' */

/** A file of a page, as the app has sent it. @typedef {{ path: string, bytes: number, sha256: string }} Asset */

/** Most entries of a folder that are read. Folders of packages have some ten thousand. */
const MAX_ENTRIES = 200_000
const PACKAGES = 'node_modules'
/** Folders of a project that are not read as its own. */
const SKIPPED = [PACKAGES, '.git']

/**
 * Lists files below a project. Leaves out hidden folders other than those of its first level.
 * @param {string} project
 * @returns {Generator<string>} paths relative to the project
 */
function * listOwnFiles (project) {
  for (const entry of readdirSync(project, { withFileTypes: true })) {
    if (entry.isFile()) yield entry.name
    if (entry.isDirectory() && !SKIPPED.includes(entry.name)) yield * listFiles(project, entry.name)
  }
}

/**
 * @param {string} project
 * @param {string} folder relative to it
 * @returns {string[]} paths relative to the project
 */
const listFiles = (project, folder) => attempt(() => walkFolder(join(project, folder), MAX_ENTRIES), () => [])
  .flatMap(({ path, entry }) => entry.isFile() ? [join(folder, path)] : [])

/** @param {Asset} asset */
const toSegments = ({ path }) => attempt(() => decodeURIComponent(path.split('?')[0]), () => '').slice(1).split('/')

/**
 * Divides a URL and a file where they begin to differ, read from their ends.
 * @param {Asset} asset
 * @param {string} file
 * @returns {FilePrefix} folder: "." for that of the project
 */
function divide (asset, file) {
  const [url, parts] = [toSegments(asset), file.split('/')]
  let same = 1
  while (same < Math.min(url.length, parts.length) && url.at(-1 - same) === parts.at(-1 - same)) same++
  const prefix = url.slice(0, -same).map(part => `/${part}`).join('')
  return { prefix, folder: parts.slice(0, -same).join('/') || '.' }
}

/**
 * Finds the files with the bytes of assets.
 * @param {string} project
 * @param {Iterable<string>} files relative to the project
 * @param {Asset[]} assets
 * @returns {Map<Asset, FilePrefix[]>}
 */
function matchFiles (project, files, assets) {
  const names = groupBy(assets, asset => String(toSegments(asset).at(-1)))
  /** @type {Map<Asset, FilePrefix[]>} */
  const found = new Map()
  for (const file of files) {
    const bytes = names.has(basename(file)) ? attempt(() => statSync(join(project, file)).size, () => -1) : -1
    const alike = bytes > MAX_BYTES ? [] : (names.get(basename(file)) ?? []).filter(asset => asset.bytes === bytes)
    const hash = alike.length > 0 ? attempt(() => hashFile(join(project, file)), () => '') : ''
    for (const asset of alike.filter(({ sha256 }) => sha256 === hash)) {
      found.set(asset, [...found.get(asset) ?? [], divide(asset, file)])
    }
  }
  return found
}

/** @param {FilePrefix} source */
const toKey = ({ prefix, folder }) => `${prefix}\n${folder}`

/**
 * Finds the folders from which an app sends the files of its pages. Of several with the same file the one that holds
 * most of them counts, and folders of the project precede those of packages.
 *
 * @param {string} project
 * @param {Asset[]} assets
 * @param {number} pageBytes bytes of the pages
 * @returns {ServedFiles}
 */
export function findSources (project, assets, pageBytes) {
  const own = matchFiles(project, listOwnFiles(project), assets)
  const others = assets.filter(asset => !own.has(asset))
  const packaged = others.length === 0
    ? []
    // pnpm keeps packages in a hidden folder.
    : [PACKAGES, `${PACKAGES}/.pnpm`].flatMap(folder => listFiles(project, folder))
  const matches = new Map([...own, ...matchFiles(project, packaged, others)])
  const votes = groupBy([...matches.values()].flat(), toKey)
  const count = (/** @type {FilePrefix} */ source) => Number(votes.get(toKey(source))?.length)
  const chosen = [...matches.values()].map(sources =>
    sources.reduce((best, source) => count(source) > count(best) ? source : best))
  const bytes = sum(assets.map(asset => asset.bytes))
  return {
    files: assets.length,
    bytes,
    share: bytes === 0 ? 0 : bytes / (bytes + pageBytes),
    folders: [...groupBy(chosen, toKey).values()].map(sources => ({ ...sources[0], files: sources.length })),
    unknown: assets.length - chosen.length
  }
}

/**
 * Returns the package to which a folder belongs.
 * @param {string} folder relative to the project
 * @returns {string | null} null: it belongs to the project
 */
export function findPackage (folder) {
  const at = folder.lastIndexOf(`${PACKAGES}/`)
  return at < 0 ? null : /^(?:@[^/]+\/)?[^/]+/.exec(folder.slice(at + PACKAGES.length + 1))?.[0] ?? null
}

/**
 * Lists the prefixes that --files may take for the folders of a project: each folder, and the folders in it from which
 * files came.
 *
 * @param {ServedFiles} served
 * @param {Asset[]} assets
 * @returns {FilePrefix[]}
 */
export const listServedPrefixes = ({ folders }, assets) => folders
  .filter(({ folder }) => folder !== '.' && findPackage(folder) === null)
  .flatMap(({ prefix, folder }) => {
    const below = assets.map(asset => `/${toSegments(asset).join('/')}`).filter(path => path.startsWith(`${prefix}/`))
    const inside = new Set(below.flatMap(path => /^\/[^/]+(?=\/)/.exec(path.slice(prefix.length)) ?? []))
    return ['', ...inside].map(name => ({ prefix: `${prefix}${name}`, folder: `${folder}${name}` }))
  })

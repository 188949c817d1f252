/**
 * Finds the folders of a project whose files an app sends, and below which URLs: by requests for some of their files,
 * and by the bytes of the files to which its pages link. All files are requested before a folder is published
 * (inspect-app.js).
 */
import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readPlainFile } from '../../machine/files/plain-files.js'
import { walkFolder } from '../../machine/files/walk-folder.js'
import { findOverlap, isWholeSite, parsePrefixes, printPrefix } from '../../plan/file-prefixes.js'
import { attempt } from '../../shared/attempt.js'
import { groupBy, sum } from '../../shared/group-by.js'
import { isWithin } from '../../shared/paths.js'
import { prefixesFrom } from '../../request/user-prefixes.js'
import { sha256 } from '../../shared/sha256.js'
import { checkRoot } from '../../request/user-files.js'

/** @import { FilePrefix, ServedFiles } from '../../types.js' */

/** Files of a folder that are requested. */
const FILES = 2
/** Candidates that are tried, because each takes requests. */
const MAX_CANDIDATES = 12
/** Largest file that is requested, in bytes. */
const MAX_BYTES = 2 ** 24

/**
 * A prefix that an app may have. folder: relative to the project; probes: requests, and the SHA-256 of the response if
 * the prefix is right.
 *
 * @typedef {{ prefix: string, folder: string, probes: { path: string, sha256: string }[] }} Candidate
 */

/**
 * Lists the prefixes that an app may have for folders: the whole site, the name of a folder, or those of the folders in
 * it.
 *
 * @param {string} project
 * @param {string[]} folders relative to the project
 * @param {FilePrefix[]} [builtFolders] folders with the prefixes of a framework, relative to the project
 * @returns {Candidate[]}
 */
export function listPrefixCandidates (project, folders, builtFolders = []) {
  const built = listCandidates(project, builtFolders)
  const others = folders.flatMap(folder => {
    const files = attempt(() => checkRoot(join(project, folder)), () => [])
    const inside = new Set(files.flatMap(({ path }) => /^\/[^/]+(?=\/)/.exec(path) ?? []))
    return [
      toCandidate(project, '', folder),
      toCandidate(project, `/${basename(folder)}`, folder),
      ...[...inside].map(prefix => toCandidate(project, prefix, `${folder}${decodeURIComponent(prefix)}`))
    ]
  })
  return [...built, ...others.filter(candidate => candidate !== null)].slice(0, MAX_CANDIDATES)
}

/**
 * Lists the candidates of prefixes that are known.
 * @param {string} project
 * @param {FilePrefix[]} prefixes folder: relative to the project
 */
export const listCandidates = (project, prefixes) =>
  prefixes.map(({ prefix, folder }) => toCandidate(project, prefix, folder)).filter(candidate => candidate !== null)

/**
 * @param {string} project
 * @param {string} prefix
 * @param {string} folder
 * @returns {Candidate | null} null: no file of it can be requested, or --files does not take the prefix
 */
function toCandidate (project, prefix, folder) {
  const root = join(project, folder)
  return attempt(() => {
    // A folder that --files does not take as the whole site may have others in it that it takes.
    if (isWholeSite({ prefix })) prefixesFrom({ files: [printPrefix({ prefix, folder: root })] })
    else parsePrefixes([printPrefix({ prefix, folder: `./${folder}` })])
    const probes = checkRoot(root).filter(({ bytes }) => bytes > 0 && bytes <= MAX_BYTES).slice(0, FILES)
      .map(({ path }) => ({ path: `${prefix}${path}`, sha256: hashFile(join(root, decodeURIComponent(path))) }))
    return probes.length > 0 && statSync(root).isDirectory() ? { prefix, folder, probes } : null
  }, () => null)
}

/** @param {string} file */
const hashFile = file => sha256(readPlainFile(file, { maxBytes: MAX_BYTES }))

/**
 * Returns the candidates whose files the app has sent, as --files takes them, each folder before those inside it.
 *
 * @param {Candidate[]} candidates
 * @param {Map<string, string>} hashes SHA-256 of successful responses, by path
 * @returns {string[]} "/assets=./public/assets"
 */
export function findServed (candidates, hashes) {
  const all = candidates.filter(({ probes }) => probes.every(({ path, sha256 }) => hashes.get(path) === sha256))
  // The whole site leaves no prefix for another folder.
  const isWhole = all.some(whole => isWholeSite(whole) && all.every(({ folder }) => isWithin(whole.folder, folder)))
  const served = isWhole ? all : all.filter(candidate => !isWholeSite(candidate))
  const outerFirst = served.toSorted((a, b) => a.folder.split('/').length - b.folder.split('/').length)
  return [...new Set(outerFirst.map(({ prefix, folder }) => printPrefix({ prefix, folder: `./${folder}` })))]
}

/**
 * Divides folders into those of which the app sends every file to a stranger, and others. Leaves out a folder that is
 * inside another one of the first, or whose prefix overlaps with that of an earlier one, because --files takes one.
 *
 * @param {string[]} folders of findServed()
 * @param {(text: string) => Promise<string | null>} findFault why the app does not send every file
 * @returns {Promise<{ served: string[], leftOut: string[] }>} leftOut: with the reason
 */
export async function divideServed (folders, findFault) {
  /** @type {{ served: string[], leftOut: string[] }} */
  const found = { served: [], leftOut: [] }
  for (const text of folders) {
    const [own] = parsePrefixes([text])
    const kept = found.served.flatMap(text => parsePrefixes([text]))
    // A bundler copies folders, so that two may be served below the same prefix.
    if (kept.some(other => isWithin(other.folder, own.folder) || findOverlap([other, own]) !== null)) continue
    const fault = await findFault(text)
    if (fault === null) found.served.push(text)
    else found.leftOut.push(`--files ${text}: ${fault}`)
  }
  return found
}

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

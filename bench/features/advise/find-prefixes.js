/**
 * Finds out below which URLs an app may serve the folders of a project, by requests for some of their files. All files
 * are requested before a folder is published (inspect-app.js).
 */
import { statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readPlainFile } from '../../machine/files/plain-files.js'
import { findOverlap, isWholeSite, parsePrefixes, printPrefix } from '../../plan/file-prefixes.js'
import { attempt } from '../../shared/attempt.js'
import { isWithin } from '../../shared/paths.js'
import { prefixesFrom } from '../../request/user-prefixes.js'
import { sha256 } from '../../shared/sha256.js'
import { checkRoot } from '../../request/user-files.js'

/** @import { FilePrefix } from '../../types.js' */

/** Files of a folder that are requested. */
const FILES = 2
/** Candidates that are tried, because each takes requests. */
const MAX_CANDIDATES = 12
/** Largest file that is requested, in bytes. */
export const MAX_BYTES = 2 ** 24

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
export const hashFile = file => sha256(readPlainFile(file, { maxBytes: MAX_BYTES }))

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

/** Adds the URL prefixes that are folders of files to the topologies of a plan: of --files, or of a built-in server. */
import { statSync } from 'node:fs'
import { basename, relative, resolve } from 'node:path'
import { badOption } from '../errors.js'
import { callerCwd } from '../machine/caller-cwd.js'
import { describeFileError } from '../machine/files/file-failures.js'
import { toUrlPath, walkFolder } from '../machine/files/walk-folder.js'
import { isWholeSite, parsePrefixes, printPrefix } from '../plan/file-prefixes.js'
import { isOwn } from '../plan/spec.js'
import { loadPlugin, pluginNames } from '../plan/plugins.js'
import { attempt } from '../shared/attempt.js'

/** @import { HopbenchError } from '../errors.js' */
/** @import { Arm, FilePrefix, ServerAbout, Topology } from '../types.js' */
/** @import { RunFlags } from './types.js' */

/** Value of --files-hidden with which a folder may hold hidden files, which proxies never serve. */
export const IGNORE_HIDDEN = 'ignore'
/** Most files whose paths are listed. The gate compares the bodies of as many. */
const MAX_LISTED = 1000
/** Most characters of their paths, which are part of an environment variable of at most 128 KiB. */
const MAX_PATHS_LENGTH = 65_536
/** Most entries of a folder that is checked, so that the check of a folder such as / ends in time. */
const MAX_ENTRIES = 100_000

/**
 * Reads the options about folders of files, and checks the folders.
 *
 * @param {Pick<RunFlags, 'files' | 'filesHidden'>} options
 * @returns {FilePrefix[]} empty without --files
 * @throws {HopbenchError} bad-option
 */
export function prefixesFrom ({ files = [], filesHidden }) {
  if (filesHidden !== undefined && files.length === 0) {
    throw badOption('--files-hidden', filesHidden, 'it requires --files', 'Leave it out.')
  }
  const prefixes = parsePrefixes(files).map(({ prefix, folder }) => {
    const path = resolve(callerCwd(), folder)
    const names = checkFolder(path, printPrefix({ prefix, folder }), filesHidden === IGNORE_HIDDEN)
    const paths = isWholeSite({ prefix }) ? listPaths(names, folder) : listBelow(prefix, names)
    return { prefix, folder: path, ...paths && { paths } }
  })
  return areFew(prefixes.flatMap(({ paths = [] }) => paths))
    ? prefixes
    : prefixes.map(({ prefix, folder }) => ({ prefix, folder }))
}

/**
 * Returns the requests for the files of the whole site.
 *
 * @param {string[]} names
 * @param {string} folder as typed
 */
function listPaths (names, folder) {
  const paths = toPaths('', names)
  if (areFew(paths)) return paths
  throw badOption('--files', `/=${folder}`, `each of its ${paths.length} files could hide a path of the app, and at ` +
    `most ${MAX_LISTED} files with paths of ${MAX_PATHS_LENGTH} characters together are compared`,
  `Name the prefix of a folder in it, as in --files /assets=${folder}/assets.`)
}

/**
 * Returns the requests below a prefix that the proxy responds to: for files, and for folders with a page.
 *
 * @param {string} prefix
 * @param {string[]} names
 * @returns {string[] | null} null: too many, so that each path below the prefix counts as one of a file
 */
function listBelow (prefix, names) {
  const paths = toPaths(prefix, names)
  const all = paths.flatMap(path => path.endsWith('/index.html') ? [path, path.replace(/index\.html$/, '')] : [path])
  return areFew(all) ? all : null
}

/** @type {(prefix: string, names: string[]) => string[]} */
const toPaths = (prefix, names) => names.filter(name => !basename(name).startsWith('.')).sort()
  .map(name => `${prefix}/${toUrlPath(name)}`)

/** @param {string[]} paths */
const areFew = paths => paths.length <= MAX_LISTED && paths.join().length <= MAX_PATHS_LENGTH

/**
 * Rejects a folder that cannot be served, or of which a proxy could publish more than the app does.
 *
 * @param {string} folder absolute
 * @param {string} typed value of --files
 * @param {boolean} ignoresHidden
 * @returns {string[]} its files, relative to it
 */
function checkFolder (folder, typed, ignoresHidden) {
  const reject = (/** @type {string} */ why, /** @type {string} */ remedy) => badOption('--files', typed, why, remedy)
  const read = (/** @type {() => any} */ action) => attempt(action, error => {
    const path = /** @type {NodeJS.ErrnoException} */ (error).path ?? folder
    throw reject(`${relative(folder, path) || 'its folder'} cannot be read: ${describeFileError(error)}`,
      'Name a folder that this account can read.')
  })
  const stats = read(() => statSync(folder, { throwIfNoEntry: false }))
  if (!stats) throw reject('there is no such folder', 'Name an existing folder; paths are relative to this one.')
  if (!stats.isDirectory()) throw reject('it is not a folder', 'Name the folder that holds the files.')
  const files = []
  const entries = read(() => walkFolder(folder, MAX_ENTRIES))
  if (entries.length > MAX_ENTRIES) {
    throw reject(`it holds more than ${MAX_ENTRIES} files and folders`, 'Name the folder of the assets alone.')
  }
  for (const { path, entry } of entries) {
    if (entry.isSymbolicLink()) {
      throw reject(`it holds the symbolic link ${path}, by which a proxy could publish files outside the folder`,
        'Replace the link by a copy of its files.')
    }
    if (entry.name.startsWith('.') && !ignoresHidden) {
      throw reject(`it holds ${path}, which is hidden and may not be for all clients`,
        `Move it out of the folder, or add --files-hidden ${IGNORE_HIDDEN}: no proxy serves hidden files.`)
    }
    if (entry.isFile()) files.push(path)
  }
  if (files.length > 0) return files
  throw reject('there is no file in it', 'Name the folder that holds the files, or build them first.')
}

/**
 * Returns the arms with the prefixes of their servers.
 *
 * @param {Arm[]} arms
 * @param {FilePrefix[]} prefixes of --files, for apps of your own
 * @returns {Promise<Arm[]>}
 * @throws {HopbenchError} bad-option, if no arm has an app of your own
 */
export async function withPrefixes (arms, prefixes) {
  if (prefixes.length > 0 && !arms.some(({ topology: { server } }) => server && isOwn(server))) {
    throw badOption('--files', prefixes[0].prefix, 'no topology contains an app of your own',
      "Name the app, as in --app 'npm start', or leave --files out.")
  }
  return Promise.all(arms.map(async arm => {
    const files = await findPrefixes(arm.topology, prefixes)
    return files.length > 0 ? { ...arm, topology: { ...arm.topology, files } } : arm
  }))
}

/**
 * Returns the prefixes of a server. The folders of a built-in server are relative to the root that is served.
 *
 * @param {Pick<Topology, 'server'>} topology
 * @param {FilePrefix[]} prefixes of --files
 * @returns {Promise<FilePrefix[]>}
 */
async function findPrefixes ({ server }, prefixes) {
  if (!server) return []
  if (isOwn(server)) return prefixes
  if (!pluginNames('server').includes(server.name)) return []
  const { about } = /** @type {{ about: ServerAbout }} */ (await loadPlugin('server', server.name))
  return Object.entries(about.files ?? {}).map(([prefix, folder]) => ({ prefix, folder }))
}

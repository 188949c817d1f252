/** Applies a policy for hashed files around a rollout: which builds' files are sent after it, and by which program. */
import { constants, copyFileSync, lstatSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { badOption } from '../../../errors.js'
import { makeFolder } from '../../../machine/files/make-folder.js'
import { run } from '../../../machine/process.js'
import { sum } from '../../../shared/group-by.js'
import { PAGE, toHashPatterns } from '../../../shared/http/hashed-names.js'
import { toFilesView } from '../../../topology/describe/content-view.js'
import { findHashedFiles } from './hashed-files.js'

/** @import { BuiltFolder } from '../../../types.js' */
/** @import { Build, FilePolicy } from '../types.js' */

/** Bytes of kept files, above those of any app's pages. */
const MAX_BYTES = 2 ** 31
/** Limit of a copy with its packages, on a slow disk. */
const COPY_SECONDS = 120
/** Cache of the emulated CDN, above the size of the files of a page. */
const CDN = 'levels=1:2 keys_zone=cdn:10m max_size=1g inactive=1d use_temp_path=off'
/** Directives of a proxied request for a file. The upstream is that of the recommended configuration. */
const PROXIED = ['proxy_pass http://app;', 'proxy_http_version 1.1;', 'proxy_set_header Connection "";',
  'proxy_set_header Host $http_host;']

/**
 * @param {object} rollout
 * @param {FilePolicy} rollout.policy
 * @param {Build} rollout.old
 * @param {Build} rollout.new
 * @param {string} rollout.dir folder of the stage
 * @returns {Promise<{ new: Build, nginx: string, http: string }>} new: perhaps a copy; nginx: locations for the server
 *   block; http: directives for the http block
 * @throws {Error} bad-option; a system error
 */
export async function applyPolicy ({ policy, old, new: next, dir }) {
  const unchanged = { new: next, nginx: '', http: '' }
  switch (policy) {
    case 'new': return unchanged
    case 'kept': return { ...unchanged, new: { ...next, folder: await keepFiles({ old, next, dir }) } }
    case 'attic': return { ...unchanged, nginx: toAtticLocations(fillAttic({ old, dir })) }
    case 'cdn': {
      const built = [old, next].flatMap(({ folder }) => findHashedFiles(folder).built)
      const body = [...PROXIED, 'proxy_cache cdn;', 'proxy_cache_key $request_uri;']
      return {
        ...unchanged,
        http: `proxy_cache_path ${quote(join(dir, 'cdn'))} ${CDN};\n`,
        nginx: toLocation(`~ ${toPattern(built)}`, body)
      }
    }
  }
}

/**
 * Copies a build, and adds the hashed files of the one before it.
 * @param {{ old: Build, next: Build, dir: string }} builds
 * @returns {Promise<string>} folder of the copy
 * @throws {Error} bad-option; the folder cannot be copied
 */
async function keepFiles ({ old, next, dir }) {
  const folder = mkdtempSync(join(dir, 'kept-'))
  await copyFolder(next.folder, folder)
  const paths = findHashedFiles(old.folder).files.map(({ path }) => path)
  rejectLarge(old.folder, paths)
  for (const path of paths) copyNew(join(old.folder, path), folder, path)
  return folder
}

/**
 * Copies a folder by hard links, because packages are large, or as files on another disk.
 * @param {string} from
 * @param {string} to
 */
async function copyFolder (from, to) {
  for (const flags of ['-al', '-a']) {
    const { exit, stderr } = await run(['cp', flags, `${from}/.`, to], { timeoutSeconds: COPY_SECONDS })
    if (exit === 0) return
    if (flags === '-a') throw new Error(`${from} cannot be copied: ${stderr.split('\n')[0]}`)
    rmSync(to, { recursive: true, force: true })
    makeFolder(to)
  }
}

/**
 * Makes the attic, a folder beside the builds with the hashed files of the old one by the paths of their URLs.
 * @param {{ old: Build, dir: string }} rollout dir: folder of the attic
 * @returns {{ folder: string, built: BuiltFolder[] }} built: folders of builders, by their URLs
 * @throws {Error} bad-option; a system error
 */
function fillAttic ({ old, dir }) {
  const folder = join(dir, 'attic')
  makeFolder(folder)
  const { files, built } = findHashedFiles(old.folder)
  rejectLarge(old.folder, files.map(({ path }) => path))
  for (const { path, urls } of files) for (const url of urls) copyNew(join(old.folder, path), folder, url.slice(1))
  return { folder, built }
}

/**
 * Rejects files that would fill the disk.
 * @param {string} folder
 * @param {string[]} paths relative to it
 * @throws {Error} bad-option
 */
function rejectLarge (folder, paths) {
  const bytes = sum(paths.map(path => statSync(join(folder, path)).size))
  if (bytes <= MAX_BYTES) return
  const size = `${Math.round(bytes / 1e6)} MB`
  throw badOption('--files', undefined, `the files with hashes in their names take ${size} in ${folder}`,
    'Take --files new.')
}

/**
 * Copies a plain file, unless the path exists or leads through a symbolic link.
 * @param {string} from
 * @param {string} folder
 * @param {string} path relative to the folder
 */
function copyNew (from, folder, path) {
  const target = join(folder, path)
  for (let parent = dirname(path); parent !== '.' && parent !== '/'; parent = dirname(parent)) {
    const stats = lstatSync(join(folder, parent), { throwIfNoEntry: false })
    if (stats && !stats.isDirectory()) return
  }
  if (lstatSync(target, { throwIfNoEntry: false })) return
  makeFolder(dirname(target))
  copyFileSync(from, target, constants.COPYFILE_EXCL)
}

/**
 * Returns locations that send files of the attic, and pass other requests for such names on to the app. The attic is
 * first, because an app may send a page in place of a missing file.
 * @param {ReturnType<typeof fillAttic>} attic
 */
function toAtticLocations ({ folder, built }) {
  const types = toFilesView({}).mediaTypes.map(({ type, endings }) => `${type} ${endings.join(' ')};`).join(' ')
  return toLocation(`~ ${toPattern(built)}`, [
    `root ${quote(folder)};`, 'disable_symlinks on;', `types { ${types} }`,
    'add_header Cache-Control "public, max-age=31536000, immutable";', 'try_files $uri @hashed;'
  ]) + toLocation('@hashed', PROXIED)
}

/**
 * @param {string} name
 * @param {string[]} body
 */
const toLocation = (name, body) => `location ${name} {\n${body.map(line => `    ${line}\n`).join('')}}\n`

/**
 * Returns a pattern for names with a hash, without pages and hidden files.
 * @param {BuiltFolder[]} built
 */
const toPattern = built => `"^(?!.*(?:/\\.|${PAGE}))(?=.*(?:${[...new Set(toHashPatterns(built))].join('|')}))"`

/** Quotes a path for nginx. @param {string} path */
const quote = path => `"${path.replace(/["\\]/g, '\\$&')}"`

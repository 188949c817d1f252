/**
 * Cache of fetched programs: a folder for each fetch, and a note for each program with its path and digest. A fetch
 * becomes visible by two renames, first of its folder, then of the notes. A program whose digest has changed is not
 * run.
 */
import {
  closeSync, existsSync, fsyncSync, lstatSync, mkdtempSync, openSync, readFileSync, readdirSync, readlinkSync,
  renameSync, rmSync, statfsSync, writeFileSync
} from 'node:fs'
import { basename, delimiter, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HopbenchError, shellWord } from '../../errors.js'
import { replaceFile, syncDir } from '../files/atomic-write.js'
import { listNames, readJson, readText } from '../files/system-files.js'
import { writeLine } from '../guard-output.js'
import { withLock } from './lock.js'
import { homeFolder, isProgram } from './path.js'
import { closeToOthers, findUnsafeParent, isSafe, isSafeFolder } from './safe-folder.js'
import { makeFolder } from '../files/make-folder.js'
import { createHash } from 'node:crypto'
import { attempt } from '../../shared/attempt.js'
import { sha256 } from '../../shared/sha256.js'

/** @import { SetupOptions } from '../types.js' */
/** @import { Stats } from 'node:fs' */

const SYNC_SECONDS = 120 // A file system with many unwritten pages of others. Each file is synced alone afterwards.
/** Differs after each start of the system (random(4)). */
const BOOT = '/proc/sys/kernel/random/boot_id'

/**
 * Removes write permissions of other accounts, which a permissive umask or a package may have set.
 * @param {string} root
 */
export function closeTree (root) {
  closeToOthers(root)
  for (const { path, found } of entriesIn(root)) if (!found.isSymbolicLink()) closeToOthers(join(root, path))
}

/**
 * @param {string} root
 * @returns {string} SHA-256 over names, kinds and contents of all files, Python's bytecode included
 */
export const computeDigest = root => digest(root, entriesIn(root))

/** Trees that this process has checked: the state of all files by root. @type {Map<string, string>} */
const whole = new Map()

/**
 * Returns whether a tree has the expected digest and is closed to others. Files are read again only if one of them has
 * changed since the last check: its inode, its size, or the time of the last change, which no program can set. After a
 * start of the system they are read again, too, because a loss of power can damage what was not yet on the disk.
 * @param {string} root
 * @param {string | undefined} expected digest
 * @param {string} [checkedFile] keeps the state at the last check for other processes, where this account can write it
 */
export function isWholeTree (root, expected, checkedFile) {
  try {
    const entries = entriesIn(root)
    if (![lstatSync(root), ...entries.map(({ found }) => found)].every(isSafe)) return false
    const seen = createHash('sha256')
    for (const { path, found } of entries) seen.update(`${path} ${found.ino} ${found.size} ${found.ctimeMs}\n`)
    const boot = readText(BOOT).trim()
    const state = `${boot} ${expected} ${seen.digest('hex')}`
    if (whole.get(root) === state) return true
    const kept = boot === '' ? undefined : checkedFile
    const isKnown = kept !== undefined && readText(kept) === state
    if (!isKnown && digest(root, entries) !== expected) return false
    whole.set(root, state)
    if (kept !== undefined && !isKnown) attempt(() => writeFileSync(kept, state), () => {})
    return true
  } catch {
    return false
  }
}

function digest (/** @type {string} */ root, /** @type {{ path: string, found: Stats }[]} */ entries) {
  const all = createHash('sha256')
  for (const { path, found } of entries) {
    const content = found.isSymbolicLink()
      ? `-> ${readlinkSync(join(root, path))}`
      : found.isFile() ? sha256(readFileSync(join(root, path))) : ''
    all.update(`${JSON.stringify(path)} ${found.mode & 0o111 ? 'x' : '-'} ${content}\n`)
  }
  return all.digest('hex')
}

/**
 * @param {string} root
 * @param {string} [below]
 * @returns {{ path: string, found: Stats }[]} in a fixed order
 */
const entriesIn = (root, below = '') => readdirSync(join(root, below)).sort().flatMap(name => {
  const path = join(below, name)
  const found = lstatSync(join(root, path))
  return [{ path, found }, ...found.isDirectory() ? entriesIn(root, path) : []]
})

/** Syncs a tree, because a complete fetch must survive a crash. @param {string} root */
async function syncTree (root) {
  // Loaded here, because most starts only look at a tree, and execa has more than a hundred modules.
  const { run } = await import('../process.js')
  const { exit } = await run(['sync', '--file-system', root], { timeoutSeconds: SYNC_SECONDS })
  if (exit === 0) return
  // coreutils before 8.24 and others lack this option. Sync each file instead.
  for (const { path, found } of entriesIn(root)) {
    if (found.isSymbolicLink()) continue
    const fd = openSync(join(root, path), 'r')
    fsyncSync(fd)
    closeSync(fd)
  }
}

const IN_PROJECT = fileURLToPath(new URL('../../../.tools', import.meta.url))
const MIB = 1048576
const NO_FOLDER = 'there is no cache folder that only this account can write (HOPBENCH_CACHE can name one)'
export const NAME_A_FOLDER = 'Set HOPBENCH_CACHE to a folder that can be written.'
/** In place of a cache where none is safe: a folder that no account can create. */
const NO_CACHE = '/dev/null/none'

/** Returns the folders that may hold fetched programs, by preference. @param {NodeJS.ProcessEnv} env */
export function cacheFolders (env) {
  // As in PATH there may be several. All are searched, and the first writable one gets new programs.
  if (env.HOPBENCH_CACHE) return env.HOPBENCH_CACHE.split(delimiter).filter(Boolean)
  const home = homeFolder(env)
  const own = env.XDG_CACHE_HOME || (home && join(home, '.cache'))
  return [...own ? [join(own, 'hopbench')] : [], IN_PROJECT]
}

/**
 * Returns variables that exclude cache folders of other accounts, for a process in a user namespace, which cannot
 * distinguish other accounts from root.
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ HOPBENCH_CACHE?: string, HOPBENCH_CACHE_REFUSED?: string }} HOPBENCH_CACHE_REFUSED: why a folder is
 * excluded, for an error of that process
 */
export function withoutUnsafeFolders (env) {
  const folders = cacheFolders(env)
  const safe = folders.filter(folder => existsSync(folder) ? isSafeFolder(folder) : findUnsafeParent(folder) === null)
  if (safe.length === folders.length) return {}
  const why = explainUnsafeParent(env)
  return { HOPBENCH_CACHE: safe.join(delimiter) || NO_CACHE, ...why !== null && { HOPBENCH_CACHE_REFUSED: why } }
}

/**
 * Explains why a cache folder is not used although this account could write it: other accounts can replace it.
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | null} the end of a sentence, with what to do; null: the folders above all cache folders are safe
 */
export function explainUnsafeParent (env) {
  if (env.HOPBENCH_CACHE_REFUSED) return env.HOPBENCH_CACHE_REFUSED
  for (const folder of cacheFolders(env)) {
    const unsafe = findUnsafeParent(folder)
    if (unsafe === null) continue
    const { path, fault } = unsafe
    return fault === 'mode'
      ? `other accounts can replace the cache folder ${folder}, because they can write ${path} (chmod go-w ` +
        `${shellWord(path)} ends that, or HOPBENCH_CACHE can name another folder)`
      : `another account can replace the cache folder ${folder}, because ${path} belongs to it (HOPBENCH_CACHE can ` +
        'name another folder)'
  }
  return null
}

/** Explains why there is no cache folder, as the end of a sentence. @param {NodeJS.ProcessEnv} env */
export const whyNoCache = env => explainUnsafeParent(env) ?? NO_FOLDER

/** Finds the first cache folder that only this account can write, and creates it. @returns {string | null} */
export const writableCache = (/** @type {NodeJS.ProcessEnv} */ env) => cacheFolders(env).find(folder => {
  try {
    if (findUnsafeParent(folder)) return false
    makeFolder(folder, 0o755)
    closeToOthers(folder)
    rmSync(mkdtempSync(join(folder, '.try-')), { recursive: true })
    return isSafeFolder(folder)
  } catch {
    return false
  }
}) ?? null

/**
 * Returns the system that a program was built for, "debian-12-x64". It does not run on another system that shares the
 * cache.
 */
export function systemName () {
  const release = osRelease()
  return [release.ID ?? process.platform, release.VERSION_ID ?? release.VERSION_CODENAME, process.arch].filter(
    Boolean
  ).join('-')
}

/** @returns {Record<string, string>} fields of os-release(5); empty where there is none */
export function osRelease () {
  const text = readText('/etc/os-release') || readText('/usr/lib/os-release')
  const lines = text.matchAll(/^([A-Z_]+)="?(.*?)"?$/gm)
  return Object.fromEntries(Array.from(lines, ([, name, value]) => [name, value]))
}

/**
 * Finds a program in the cache. Returns null if there is none, if it is damaged, or if another account could have
 * changed it. Its paths are absolute.
 */
export function cached (/** @type {string} */ program, /** @type {NodeJS.ProcessEnv} */ env) {
  for (const cache of cacheFolders(env)) {
    const folder = join(cache, systemName())
    if (![cache, folder].every(isSafeFolder)) continue
    const note = readJson(join(folder, `${program}.json`))
    if (!note?.digest || !Array.isArray(note.libraries) || !isProgram(join(folder, note.path))) continue
    const checkedFile = join(folder, `${program}.checked`)
    const root = join(folder, note.root)
    if (!isWholeTree(root, note.digest, checkedFile)) continue
    const libraries = note.libraries.map((/** @type {string} */ path) => join(folder, path))
    return { ...note, path: join(folder, note.path), root, libraries }
  }
  return null
}

/**
 * Lists the names of cached programs.
 * @param {NodeJS.ProcessEnv} env
 * @returns {string[]}
 */
export const listCached = env => [...new Set(cacheFolders(env).flatMap(cache => listNotes(join(cache, systemName()))))]

/** @param {string} folder */
const listNotes = folder =>
  listNames(folder).filter(name => name.endsWith('.json')).map(name => name.slice(0, -'.json'.length))

/**
 * Returns what is in the cache, and fetches it first if necessary.
 * @template Found
 * @param {object} wanted
 * @param {string} wanted.what in messages
 * @param {string} wanted.doing in messages: "Fetching nginx"
 * @param {number} wanted.mib space needed during the fetch
 * @param {() => Found | null} wanted.locate null: it is not in the cache
 * @param {Parameters<typeof fill>[1]} wanted.fetch
 * @param {(why: string, remedy: string) => Error} wanted.reject creates the error for a missing cache folder
 * @param {boolean} [wanted.anew] whether to fetch what is in the cache already
 * @param {SetupOptions} options
 * @returns {Promise<Found>}
 * @throws {HopbenchError} cache-nearly-full, still-installing; errors of `fetch` and `reject`
 */
export async function provide (wanted, { env = process.env, printProgress = writeLine }) {
  const { what, doing, mib, locate, fetch, reject, anew = false } = wanted
  const found = locate()
  if (found && !anew) return found
  const cache = writableCache(env)
  if (!cache) throw reject(whyNoCache(env), NAME_A_FOLDER)
  await fill(cache, work => {
    printProgress(`${doing} into ${cache}: nothing on the system is changed.`)
    return fetch(work)
  }, {
    what,
    mib,
    needed: () => anew || !locate(),
    waiting: () => printProgress(`Another start is fetching ${what} or another program: waiting for it.`)
  })
  const fetched = locate()
  if (!fetched) throw new Error(`${what} is missing in the cache after it was fetched`)
  return fetched
}

/**
 * Fills the cache. Only one process fetches at a time, and the cache is unchanged if `fetch` throws.
 * @param {string} cache
 * @param {(work: string) => Promise<{ versions: Record<string, string>, programs: Record<string, string> }>} fetch gets
 * an empty folder and creates `root` in it; returns versions by package, and paths in `root` by program
 * @param {object} options
 * @param {() => boolean} options.needed called under the lock: whether the fetch is still needed
 * @param {() => void} options.waiting called if another process is fetching
 * @param {string} options.what
 * @param {number} options.mib space needed during the fetch
 * @throws {HopbenchError} cache-nearly-full, still-installing; errors of `fetch`
 */
async function fill (cache, fetch, { needed, waiting, what, mib }) {
  const folder = join(cache, systemName())
  makeFolder(folder, 0o755)
  closeToOthers(folder)
  await withLock(join(folder, 'fetch.lock'), async ({ lost }) => {
    if (!needed()) return
    requireSpace(folder, what, mib)
    // Under the lock, other such folders belong to killed processes.
    for (const left of listNames(folder).filter(name => name.startsWith('.fetch-'))) {
      rmSync(join(folder, left), { recursive: true, force: true })
    }
    const work = mkdtempSync(join(folder, '.fetch-'))
    try {
      const { versions, programs } = await fetch(work)
      if (lost.aborted) return
      const root = basename(work).replace('.fetch', 'packages')
      closeTree(join(work, 'root'))
      await syncTree(join(work, 'root'))
      renameSync(join(work, 'root'), join(folder, root))
      await syncDir(folder)
      const digest = computeDigest(join(folder, root))
      const libraries = findLibraryFolders(join(folder, root)).map(found => relative(folder, found))
      for (const [program, path] of Object.entries(programs)) {
        // Paths are relative to the folder; the digest is of all files in `root`.
        const note = { program, root, path: join(root, path), digest, versions, libraries }
        await replaceFile(join(folder, `${program}.json`), `${JSON.stringify(note, null, 2)}\n`)
      }
    } finally {
      rmSync(work, { recursive: true, force: true })
    }
  }, { waiting })
}

function requireSpace (/** @type {string} */ folder, /** @type {string} */ what, /** @type {number} */ mib) {
  const { bavail, bsize } = statfsSync(folder)
  const free = Math.floor(bavail * bsize / MIB)
  if (free < mib) throw new HopbenchError('cache-nearly-full', { folder, what, free, needed: mib })
}

/** Removes folders without a note, and programs that are not kept; returns the removed programs. */
export async function prune (/** @type {string} */ cache, /** @type {(program: string) => boolean} */ isKept) {
  const folder = join(cache, systemName())
  return withLock(join(folder, 'fetch.lock'), async () => {
    const notes = listNotes(folder)
    const dropped = notes.filter(program => !isKept(program))
    for (const program of dropped) rmSync(join(folder, `${program}.json`))
    const used = new Set(notes.map(program => readJson(join(folder, `${program}.json`))?.root))
    for (const root of listNames(folder).filter(name => name.startsWith('packages-') && !used.has(name))) {
      rmSync(join(folder, root), { recursive: true, force: true })
    }
    return dropped
  })
}

/**
 * Returns the folders of shared libraries in an unpacked tree: those that the system's loader would search, then
 * private ones below them, which programs reference by absolute paths of the system.
 * @returns {string[]}
 */
export function findLibraryFolders (/** @type {string} */ root) {
  const listPaths = (/** @type {string} */ folder) => listNames(folder).map(name => join(folder, name))
  const tops = ['usr/lib', 'lib', 'usr/lib64', 'lib64'].map(name => join(root, name))
  const triplets = tops.flatMap(listPaths).filter(path => basename(path).includes('-linux-'))
  const searched = [...triplets, ...tops].filter(folder => listNames(folder).some(name => /\.so(\.\d+)*$/.test(name)))
  const below = triplets.flatMap(listPaths)
  return [...searched, ...below.filter(folder => listNames(folder).some(name => /^lib.*\.so(\.\d+)*$/.test(name)))]
}

/**
 * The cache of fetched programs: a folder for each fetch, and for each program a note of where it
 * lies. A fetch becomes visible by two renames, first of its folder, then of the notes.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, delimiter, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withLock } from './lock.js'
import { homeFolder, isProgram } from './path.js'

const IN_PROJECT = fileURLToPath(new URL('../../.tools', import.meta.url))

/**
 * @typedef {object} Note what is known of one fetched program; paths are relative to the note's folder
 * @property {string} program
 * @property {string} root folder into which its packages were unpacked
 * @property {string} path the program
 * @property {number} bytes the program's size, to notice a damaged one
 * @property {string[]} libraries folders of the libraries that came with it
 * @property {Record<string, string>} versions package → version
 */

/**
 * The folders that may hold fetched programs, the preferred one first.
 * @param {NodeJS.ProcessEnv} env
 * @returns {string[]}
 */
export function cacheFolders (env) {
  // Several like those of PATH: all are looked into, and the first that can be written takes what is fetched.
  if (env.HOPBENCH_CACHE) return env.HOPBENCH_CACHE.split(delimiter).filter(Boolean)
  const home = homeFolder(env)
  const own = env.XDG_CACHE_HOME || (home && join(home, '.cache'))
  return [...own ? [join(own, 'hopbench')] : [], IN_PROJECT]
}

/**
 * The first cache folder that can be written; makes it.
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | null}
 */
export function writableCache (env) {
  return cacheFolders(env).find(folder => {
    try {
      mkdirSync(folder, { recursive: true })
      rmSync(mkdtempSync(join(folder, '.try-')), { recursive: true })
      return true
    } catch {
      return false
    }
  }) ?? null
}

/**
 * What a program was built for: those of one system do not run on another that shares the cache.
 * @returns {string} "debian-12-x64"
 */
export function systemName () {
  const release = osRelease()
  return [release.ID ?? process.platform, release.VERSION_ID ?? release.VERSION_CODENAME, process.arch].filter(Boolean).join('-')
}

/** @returns {Record<string, string>} the fields of os-release(5); empty where there is none */
export function osRelease () {
  const file = ['/etc/os-release', '/usr/lib/os-release'].find(path => existsSync(path))
  if (!file) return {}
  const lines = readFileSync(file, 'utf8').matchAll(/^([A-Z_]+)="?(.*?)"?$/gm)
  return Object.fromEntries(Array.from(lines, ([, name, value]) => [name, value]))
}

/**
 * A cached program, or null when there is none or it is damaged.
 * @param {string} program
 * @param {NodeJS.ProcessEnv} env
 * @returns {(Note & { folder: string }) | null}
 */
export function cached (program, env) {
  for (const cache of cacheFolders(env)) {
    const folder = join(cache, systemName())
    const note = readNote(join(folder, `${program}.json`))
    if (note && isWhole(note, folder)) return { ...note, folder }
  }
  return null
}

/** @param {string} file @returns {Note | null} */
function readNote (file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

/** @param {Note} note @param {string} folder */
function isWhole (note, folder) {
  const file = join(folder, note.path)
  return isProgram(file) && statSync(file).size === note.bytes && note.libraries.every(path => existsSync(join(folder, path)))
}

/**
 * Fills the cache: `fetch` gets an empty folder and makes `root` in it, with what the packages
 * contain. Two processes never fetch at the same time, and nothing shows when `fetch` throws.
 * @param {string} cache
 * @param {(work: string) => Promise<{ versions: Record<string, string>, programs: Record<string, string> }>} fetch
 *   returns package → version, and program → its path in `root`
 * @param {{ needed: () => boolean, waiting: () => void }} options `needed` is asked once the lock is ours
 * @returns {Promise<void>}
 */
export async function fill (cache, fetch, { needed, waiting }) {
  const folder = join(cache, systemName())
  await withLock(join(folder, 'fetch.lock'), async () => {
    if (!needed()) return
    // The lock is ours: whoever made these was killed.
    for (const left of list(folder).filter(name => name.startsWith('.fetch-'))) rmSync(join(folder, left), { recursive: true, force: true })
    const work = mkdtempSync(join(folder, '.fetch-'))
    try {
      const { versions, programs } = await fetch(work)
      const root = basename(work).replace('.fetch', 'packages')
      renameSync(join(work, 'root'), join(folder, root))
      for (const [program, path] of Object.entries(programs)) writeNote(folder, { program, root, path: join(root, path), versions })
    } finally {
      rmSync(work, { recursive: true, force: true })
    }
  }, { waiting })
}

/**
 * @param {string} folder
 * @param {Omit<Note, 'bytes' | 'libraries'>} known
 */
function writeNote (folder, known) {
  /** @type {Note} */
  const note = {
    ...known,
    bytes: statSync(join(folder, known.path)).size,
    libraries: libraryFolders(join(folder, known.root)).map(found => relative(folder, found))
  }
  const file = join(folder, `${known.program}.json`)
  writeFileSync(`${file}.new`, `${JSON.stringify(note, null, 2)}\n`)
  renameSync(`${file}.new`, file)
}

/**
 * The folders of shared libraries in an unpacked tree: those that the system's loader would search,
 * then the private ones below them, which their programs know by absolute paths of the system.
 * @param {string} root
 * @returns {string[]}
 */
export function libraryFolders (root) {
  const tops = ['usr/lib', 'lib', 'usr/lib64', 'lib64'].map(name => join(root, name))
  const triplets = tops.flatMap(top => list(top).filter(name => name.includes('-linux-')).map(name => join(top, name)))
  const searched = [...triplets, ...tops].filter(folder => list(folder).some(name => /\.so(\.\d+)*$/.test(name)))
  const below = triplets.flatMap(folder => list(folder).map(name => join(folder, name)).filter(path => statSync(path, { throwIfNoEntry: false })?.isDirectory()))
  return [...searched, ...below.filter(folder => list(folder).some(name => /^lib.*\.so(\.\d+)*$/.test(name)))]
}

/** @param {string} folder @returns {string[]} */
const list = folder => existsSync(folder) ? readdirSync(folder) : []

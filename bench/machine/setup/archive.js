/**
 * Reads which versions of packages the releases of Debian have, with apt and from the mirror that this system uses.
 * Accepts only Debian's own keys. The signed lists stay in the cache for a day, because reading them takes seconds.
 */
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RELEASES } from '../../shared/releases.js'
import { replaceFile } from '../files/atomic-write.js'
import { makeFolder } from '../files/make-folder.js'
import { readJson } from '../files/system-files.js'
import { canFetch, runApt } from './apt.js'
import { withLock } from './lock.js'
import { closeToOthers, isSafeFolder } from './safe-folder.js'
import { cacheFolders, osRelease, systemName } from './tool-cache.js'

/** @import { ReleaseVersion } from '../../types.js' */
/** @import { Archive, SetupOptions } from '../types.js' */

/** Age of the lists after which they are read again. The archive keeps a replaced package for longer than a day. */
const FRESH_MS = 24 * 3600 * 1000
/** Keys of Debian's archive, from the package debian-archive-keyring. */
const KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg'
/** Names of suites in the sources of a system whose own release has no name there. */
const ALIASES = ['stable', 'oldstable', 'testing', 'unstable', 'sid']

/**
 * Returns the stored versions of packages, without reading the archive.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Archive | null} null: the archive was not read yet
 */
export function storedArchive (env) {
  for (const cache of cacheFolders(env)) {
    const folder = archiveIn(cache)
    if (!isSafeFolder(folder)) continue
    const stored = readJson(join(folder, 'versions.json'))
    if (stored) return stored
  }
  return null
}

/**
 * Reads the versions of packages in all releases, and stores them in the cache.
 * @param {string[]} packages
 * @param {string} cache
 * @param {Required<SetupOptions> & { anew?: boolean }} options anew: reads the lists again, however old they are
 * @returns {Promise<{ archive: Archive, why: string | null, output: string }>} why: the archive could not be read
 */
export async function readArchive (packages, cache, { env, printProgress, anew = false }) {
  const folder = archiveIn(cache)
  makeFolder(folder, 0o755)
  closeToOthers(folder)
  return withLock(join(folder, 'read.lock'), async () => {
    const none = { archive: { readAt: '', packages: {} }, output: '' }
    const stored = storedArchive(env)
    const sources = await findSources(folder, env)
    if (typeof sources === 'string') return { ...none, why: sources }
    const isFresh = !anew && areListsFresh(folder)
    if (!isFresh) printProgress('Reading the lists of packages in Debian\'s archive.')
    const settings = toSettings(folder, sources.all)
    const update = isFresh ? null : await runApt(['apt-get', 'update'], folder, env, settings)
    const names = [...new Set([...packages, ...Object.keys(stored?.packages ?? {})])]
    const madison = await runApt(['apt-cache', 'madison', ...names], folder, env, settings)
    const found = parseMadison(madison.stdout)
    if (Object.keys(found).length === 0) {
      const output = `${update?.stderr ?? ''}${madison.stderr}`.split('\n').filter(line => line.trim()).slice(-8)
      return { ...none, why: 'no list of Debian\'s archive could be read', output: output.join('\n') }
    }
    const readAt = isFresh && stored ? stored.readAt : new Date().toISOString()
    const archive = { readAt, packages: found }
    if (update?.exit === 0) writeFileSync(join(folder, 'read'), readAt)
    await replaceFile(join(folder, 'versions.json'), `${JSON.stringify(archive, null, 2)}\n`)
    return { archive, why: null, output: '' }
  })
}

/**
 * Returns apt's settings for packages of one release, whose lists have been read. No package of this system counts as
 * installed, so that all libraries, the C library included, come from the release.
 * @param {string} cache
 * @param {string} work folder of the download
 * @param {string} release
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Record<string, string>>}
 * @throws {Error} if the sources have gone since the lists were read
 */
export async function settingsOfRelease (cache, work, release, env) {
  const sources = await findSources(work, env)
  if (typeof sources === 'string') throw new Error(sources)
  return {
    ...toSettings(work, sources.of(release)),
    'Dir::State::lists': join(archiveIn(cache), 'state/lists'),
    // Debian's backports are chosen only where they are named.
    'APT::Default-Release': release.endsWith('-backports') ? release : ''
  }
}

/** @param {string} cache */
const archiveIn = cache => join(cache, systemName(), 'archive')

/** @param {string} folder */
function areListsFresh (folder) {
  const read = statSync(join(folder, 'read'), { throwIfNoEntry: false })
  return read !== undefined && Math.abs(Date.now() - read.mtimeMs) < FRESH_MS
}

/**
 * Returns the lines of sources.list for the releases, from the mirrors that this system's sources name.
 * @param {string} folder of apt
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ all: string[], of: (release: string) => string[] } | string>} a string: why there are none
 */
async function findSources (folder, env) {
  if (!canFetch(env)) return 'this system has no apt'
  if (!existsSync(KEYS)) return 'the keys of Debian\'s archive are not installed (package debian-archive-keyring)'
  // Unlike indextargets, it also names the sources of a system whose lists were never read.
  const { stdout } = await runApt(['apt-get', 'update', '--print-uris'], folder, env)
  const lists = [...stdout.matchAll(/^'(\S+)\/dists\/([^/\s]+)\/main\/binary-[^/\s]+\/Packages/gm)]
  const { ID, VERSION_CODENAME: name = '' } = osRelease()
  const findMirror = (/** @type {string[]} */ suites) => lists.find(([,, suite]) => suites.includes(suite))?.[1]
  const main = findMirror([name, ...ALIASES])
  if (ID !== 'debian' || main === undefined) return 'the sources of apt on this system name no mirror of Debian'
  const security = findMirror([name, ...ALIASES].map(suite => `${suite}-security`))
  const of = (/** @type {string} */ release) => RELEASES[release].flatMap(suite => {
    const mirror = suite.endsWith('-security') ? security : main
    return mirror === undefined ? [] : [`deb [signed-by=${KEYS} target=Packages] ${mirror} ${suite} main`]
  })
  return { all: [...new Set(Object.keys(RELEASES).flatMap(of))], of }
}

/**
 * Returns settings with other sources than those of this system.
 * @param {string} folder
 * @param {string[]} sources lines of sources.list
 * @returns {Record<string, string>}
 */
function toSettings (folder, sources) {
  makeFolder(join(folder, 'state/lists/partial'))
  const list = join(folder, 'sources.list')
  writeFileSync(list, `${sources.join('\n')}\n`)
  writeFileSync(join(folder, 'status'), '')
  return {
    'Dir::Etc::sourcelist': list,
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferences': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'Dir::State::status': join(folder, 'status'),
    'APT::Default-Release': '',
    'APT::Get::AllowUnauthenticated': 'false',
    'Acquire::AllowInsecureRepositories': 'false',
    'Acquire::AllowWeakRepositories': 'false'
  }
}

/**
 * Parses the output of `apt-cache madison`: "nginx | 1.30.6-2 | http://mirror sid/main amd64 Packages".
 * @param {string} output newest versions first
 * @returns {Record<string, ReleaseVersion[]>} by package; of each release the newest version
 */
function parseMadison (output) {
  /** @type {Record<string, ReleaseVersion[]>} */
  const packages = {}
  for (const line of output.split('\n')) {
    const [, name, version, suite] = /^\s*(\S+) \|\s*(\S+) \| \S+ ([\w-]+)\/\S+ \S+ Packages$/.exec(line) ?? []
    const release = suite?.replace(/-security$/, '')
    if (release === undefined || !Object.hasOwn(RELEASES, release)) continue
    const known = packages[name] ??= []
    if (!known.some(found => found.release === release)) known.push({ release, version })
  }
  return packages
}

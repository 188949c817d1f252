/**
 * Fetches Debian and Ubuntu packages without installing them. apt-get downloads them, with the libraries that this
 * system lacks, into a folder of the cache, where they are unpacked. Needs no root, starts no service and changes
 * nothing on the system.
 *
 * Reads which versions of packages the releases of Debian have, with apt and from the mirror that this system uses.
 * Accepts only Debian's own keys. The signed lists stay in the cache for a day, because reading them takes seconds.
 */
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RELEASES } from '../../shared/releases.js'
import { replaceFile } from '../files/atomic-write.js'
import { makeFolder } from '../files/make-folder.js'
import { readJson } from '../files/system-files.js'
import { withLock } from './lock.js'
import { onPath } from './path.js'
import { closeToOthers, isSafeFolder } from './safe-folder.js'
import { cacheFolders, osRelease, systemName } from './tool-cache.js'

/** @import { ReleaseVersion } from '../../types.js' */
/** @import { Archive, SetupOptions } from '../types.js' */

const UPDATE_SECONDS = 180 // The package lists have some ten megabytes, which a slow network loads in minutes.
const DOWNLOAD_SECONDS = 900 // The largest set of packages over a slow network.
const UNPACK_SECONDS = 300 // The same on a slow disk.
const LOCALE = 'C.UTF-8' // In which the output of apt is parsed.
/**
 * Unpacks a package. Some packages contain folders of other accounts, which root of a user namespace cannot give away.
 */
const UNPACK = 'dpkg-deb --fsys-tarfile "$1" | tar --extract --no-same-owner --directory "$2"'

/**
 * Loads the runner with the first program, because most starts run none, and execa has more than a hundred modules.
 * @type {typeof import('../process.js').run}
 */
const run = async (...args) => (await import('../process.js')).run(...args)

/** Returns whether missing programs can be fetched on this system. @param {NodeJS.ProcessEnv} [env] */
export const canFetch = (env = process.env) => ['apt-get', 'dpkg-deb'].every(program => onPath(program, env))

/** @typedef {Record<string, string>} Settings of apt: value by name */
/** @typedef {{ stdout: string, stderr: string, exit: number | null, timedOut: boolean }} AptResult */

/**
 * Downloads packages of this system's release and unpacks them.
 * @param {string[]} names
 * @param {string} work an empty folder; `root` in it gets the contents of the packages
 * @param {NodeJS.ProcessEnv} env of which PATH and APT_CONFIG are used
 * @returns {ReturnType<typeof downloadPackages>}
 */
export async function fetchPackages (names, work, env) {
  const update = await runApt(['apt-get', 'update'], work, env)
  return downloadPackages(['--reinstall', ...names], work, env, { before: [update] })
}

/**
 * Downloads packages and unpacks them.
 * @param {string[]} args names of packages, and options of apt-get
 * @param {string} work a folder; `root` in it gets the contents of the packages
 * @param {NodeJS.ProcessEnv} env
 * @param {{ settings?: Settings, before?: AptResult[] }} options before: results that are shown if the download fails
 * @returns {Promise<{ versions: Record<string, string>, failure: { why: string, output: string } | null }>} versions:
 * by package, of all that was unpacked; output: the lines of apt; does not throw if apt fails
 */
export async function downloadPackages (args, work, env, { settings = {}, before = [] }) {
  const install = ['apt-get', 'install', '--download-only', '--assume-yes', '--no-install-recommends', ...args]
  const download = await runApt(install, work, env, settings)
  if (download.exit !== 0) {
    // Without a network, update only warns and install fails. The output of both is useful.
    return failed(download.timedOut ? 'apt-get took too long' : 'apt-get could not download what is missing', [
      ...before, download])
  }
  const archives = join(work, 'cache/archives')
  const files = readdirSync(archives).filter(file => file.endsWith('.deb'))
  for (const file of files) {
    const unpack = await run(['sh', '-c', UNPACK, 'sh', join(archives, file), join(work, 'root')],
      { env: { PATH: env.PATH ?? '', LC_ALL: LOCALE }, timeoutSeconds: UNPACK_SECONDS })
    if (unpack.exit !== 0) return failed(`${file} could not be unpacked`, [unpack])
  }
  return { versions: Object.fromEntries(files.map(nameAndVersion)), failure: null }
}

function failed (/** @type {string} */ why, /** @type {{ stdout: string, stderr: string }[]} */ results) {
  const output = results.map(({ stdout, stderr }) => `${stdout}\n${stderr}`).join('\n')
  const telling = output.split('\n').filter(line => /^(E|W|Err|dpkg-deb)\b/.test(line))
  return {
    versions: {},
    failure: { why, output: (telling.length > 0 ? telling : output.split('\n')).slice(-8).join('\n') }
  }
}

/**
 * Runs a program of apt with folders of its own.
 * @param {string[]} argv
 * @param {string} work
 * @param {NodeJS.ProcessEnv} env
 * @param {Settings} [settings] in addition to those of the folders
 * @returns {Promise<AptResult>}
 */
const runApt = (argv, work, { PATH = '', APT_CONFIG }, settings = {}) => run(argv, {
  env: {
    PATH,
    APT_CONFIG: writeAptConfig(work, APT_CONFIG, settings),
    LC_ALL: LOCALE,
    DEBIAN_FRONTEND: 'noninteractive'
  },
  timeoutSeconds: argv.includes('install') ? DOWNLOAD_SECONDS : UPDATE_SECONDS
})

/**
 * Writes a configuration with this system's settings (sources, proxies, keys), but with folders of the cache and
 * without hooks, some of which clean or refresh folders of the system.
 * @param {string} work
 * @param {string | undefined} given the caller's own APT_CONFIG
 * @param {Settings} further
 * @returns {string} the file's path
 */
function writeAptConfig (work, given, further) {
  for (const folder of ['parts', 'state/lists/partial', 'cache/archives/partial', 'log', 'root']) {
    makeFolder(join(work, folder))
  }
  const system = [given, '/etc/apt/apt.conf.d/', '/etc/apt/apt.conf'].filter(file => file && existsSync(file))
  const hooks = ['APT::Update', 'APT::Install', 'AptCli', 'DPkg::Pre-Invoke', 'DPkg::Post-Invoke',
    'DPkg::Pre-Install-Pkgs']
  const settings = {
    // apt reads this file first. The system's file after it would bring the hooks back.
    'Dir::Etc::main': '/dev/null',
    'Dir::Etc::parts': join(work, 'parts'),
    'Dir::State': join(work, 'state'),
    'Dir::State::lists': join(work, 'state/lists'),
    'Dir::State::status': '/var/lib/dpkg/status',
    'Dir::Cache': join(work, 'cache'),
    'Dir::Cache::archives': join(work, 'cache/archives'),
    'Dir::Log': join(work, 'log'),
    'Debug::NoLocking': '1',
    // As root, apt would give the folders to its account _apt, which may have no access to their parents.
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '2',
    ...further
  }
  const file = join(work, 'apt.conf')
  writeFileSync(file, [
    ...system.map(path => `#include "${path}";`),
    ...hooks.map(name => `#clear ${name};`),
    ...Object.entries(settings).map(([name, value]) => `${name} "${value}";`)
  ].join('\n') + '\n')
  return file
}

/**
 * Parses the name of a file: "nginx_1.22.1-9_amd64.deb" → ["nginx", "1.22.1-9"]. An epoch's colon is %3a.
 * @returns {[string, string]}
 */
function nameAndVersion (/** @type {string} */ file) {
  const [name, version] = file.split('_')
  return [name, decodeURIComponent(version)]
}

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

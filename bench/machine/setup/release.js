/**
 * Fetches programs of other Debian releases. A package is unpacked with all libraries of its release, the C library
 * included, and runs by the loader of that release. So several versions stand side by side, and nothing on the system
 * is changed.
 */
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { findVersion, RELEASES } from '../../shared/releases.js'
import { makeFolder } from '../files/make-folder.js'
import { run } from '../process.js'
import { listNames } from '../files/system-files.js'
import { downloadPackages, readArchive, settingsOfRelease, storedArchive } from './apt.js'
import { findInside, isProgram } from './path.js'
import {
  cached, findLibraryFolders, listCached, NAME_A_FOLDER, provide, whyNoCache, writableCache
} from './tool-cache.js'

/** @import { ReleaseVersion } from '../../types.js' */
/** @import { SetupOptions, Tool, ToolSpec } from '../types.js' */
/** @typedef {ToolSpec & { release: string, found: ReleaseVersion }} Resolved */

/** Space that the largest set of programs needs while it is unpacked. Apache with its libraries takes 120 MiB. */
const ENOUGH_MIB = 400
/** Folder of the scripts that start the programs, in the root of the packages. */
const STARTERS = 'started-by'
/** Package with the configuration of OpenSSL that the release has. */
const OPENSSL = 'openssl'

/**
 * @param {string} program
 * @param {string} release
 */
const toCachedName = (program, release) => `${program}@${release}`

/**
 * Finds a program of a release in the cache.
 * @param {ToolSpec} spec with a release
 * @param {NodeJS.ProcessEnv} env
 * @returns {Tool | null}
 */
export function locateReleaseTool (spec, env) {
  const release = String(spec.release)
  const { program } = spec
  const named = Object.hasOwn(RELEASES, release)
  const wanted = findVersion(release, storedArchive(env)?.packages[mainPackage(spec)] ?? [])
  const name = named ? release : wanted?.release
  const found = name === undefined ? null : cached(toCachedName(program, name), env)
  if (!found || name === undefined) return null
  const version = found.versions[mainPackage(spec)]
  if (!named && version !== wanted?.version) return null
  const { path, root } = found
  return { program, path, env: {}, from: 'cache', root, release: { release: name, version } }
}

/** Returns the package whose version is that of the program. @param {ToolSpec} spec */
const mainPackage = ({ packages }) => packages?.debian?.[0] ?? ''

/**
 * Fetches programs of releases. Those of one release share a folder.
 * @param {ToolSpec[]} specs with a release each
 * @param {Required<SetupOptions> & { anew?: boolean }} options anew: also those that are in the cache
 * @throws {HopbenchError} release-unavailable, cache-nearly-full
 */
export async function fetchReleaseTools (specs, { env, printProgress, anew = false }) {
  const cache = writableCache(env)
  if (!cache) throw unavailable(specs, whyNoCache(env), { remedy: NAME_A_FOLDER })
  const { archive, why, output } = await readArchive(specs.map(mainPackage), cache, { env, printProgress, anew })
  if (why !== null) throw unavailable(specs, why, { output })
  const resolved = specs.map(spec => {
    const versions = archive.packages[mainPackage(spec)] ?? []
    const found = findVersion(String(spec.release), versions)
    if (!found) throw unavailable([spec], whyMissing(versions), { remedy: 'Use one of these.' })
    return { ...spec, release: found.release, found }
  })
  for (const release of new Set(resolved.map(({ release }) => release))) {
    const wanted = resolved.filter((spec, i) => spec.release === release &&
      resolved.findIndex(other => other.release === release && other.program === spec.program) === i)
    await fetchOfRelease(wanted, release, { cache, env, printProgress, anew })
  }
}

/**
 * Lists the versions that the archive has, as the end of a sentence.
 * @param {ReleaseVersion[]} versions
 */
const whyMissing = versions => versions.length === 0
  ? 'Debian\'s archive has no such package'
  : `Debian's archive has ${versions.map(({ version, release }) => `${version} (${release})`).join(', ')}`

/**
 * @param {ToolSpec[]} specs
 * @param {string} why
 * @param {{ remedy?: string, output?: string }} [details]
 */
const unavailable = (specs, why, { remedy, output = '' } = {}) => new HopbenchError('release-unavailable', {
  programs: specs.map(({ program, release }) => `${program} of ${release}`).join(', '), why, remedy, output
})

/**
 * @param {Resolved[]} specs of one release
 * @param {string} release
 * @param {Required<SetupOptions> & { cache: string, anew: boolean }} options
 */
async function fetchOfRelease (specs, release, { cache, env, printProgress, anew }) {
  const names = specs.map(({ program, found }) => `${program} ${found.version}`).join(', ')
  await provide({
    what: `${names} of Debian ${release}`,
    doing: `Fetching ${names} of Debian ${release}`,
    mib: ENOUGH_MIB,
    anew,
    locate: () => specs.every(({ program, found, ...spec }) =>
      cached(toCachedName(program, release), env)?.versions[mainPackage({ program, ...spec })] === found.version) ||
      null,
    reject: why => unavailable(specs, why),
    fetch: async work => {
      const settings = await settingsOfRelease(cache, work, release, env)
      const wanted = specs.flatMap(({ packages, found }) => (packages?.debian ?? [])
        .map((name, i) => i === 0 ? `${name}=${found.version}` : name))
      const { versions, failure } = await downloadPackages([...wanted, OPENSSL], work, env, { settings })
      if (failure) throw unavailable(specs, failure.why, { output: failure.output })
      const root = join(work, 'root')
      // Documentation and data that no proxy reads. Each start computes a checksum of all files.
      rmSync(join(root, 'usr/share'), { recursive: true, force: true })
      /** @type {Record<string, string>} */
      const programs = {}
      for (const spec of specs) programs[toCachedName(spec.program, release)] = await writeStarter(spec, root, env)
      return { versions, programs }
    }
  }, { env, printProgress })
}

/**
 * Writes a script that starts a program by the loader of its release. The script replaces itself, so that the process
 * has the PID and the environment of a program that was started directly.
 * @param {Resolved} spec
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string>} path relative to `root`
 * @throws {HopbenchError} release-unavailable
 */
async function writeStarter (spec, root, env) {
  const folders = findLibraryFolders(root)
  const program = findInside(spec, root)
  const isLoader = (/** @type {string} */ name) => /^ld-linux.*\.so\.\d+$/.test(name)
  const loader = folders.flatMap(folder => listNames(folder).filter(isLoader).map(name => join(folder, name)))
    .find(isProgram)
  if (!program || !loader) throw unavailable([spec], 'its packages contain neither the program nor a loader')
  const foreign = await findForeignLibraries([loader, '--inhibit-cache', '--library-path', folders.join(':'), '--list',
    join(root, program)], root, env)
  if (foreign) throw unavailable([spec], 'libraries of its release are missing', { output: foreign })
  const inRoot = (/** @type {string} */ path) => `"$root/${relative(root, path)}"`
  const script = `#!/bin/sh
# ${basename(program)} ${spec.found.version} of Debian ${spec.found.release}, with the libraries of that release.
root=\${0%/*/*}
export OPENSSL_CONF=${existsSync(join(root, 'etc/ssl/openssl.cnf')) ? '"$root/etc/ssl/openssl.cnf"' : '/dev/null'}
${toModules(folders, inRoot)}exec ${inRoot(loader)} --inhibit-cache --argv0 "$0" \\
  --library-path ${folders.map(inRoot).join(':')} ${inRoot(join(root, program))} "$@"
`
  makeFolder(join(root, STARTERS))
  const file = join(STARTERS, spec.program)
  writeFileSync(join(root, file), script)
  chmodSync(join(root, file), 0o755)
  return file
}

/**
 * Returns the line that names the modules of OpenSSL, because the compiled-in folder belongs to the system.
 * @param {string[]} folders of libraries
 * @param {(path: string) => string} inRoot
 */
function toModules (folders, inRoot) {
  const modules = folders.map(folder => join(folder, 'ossl-modules')).find(folder => existsSync(folder))
  return modules === undefined ? '' : `export OPENSSL_MODULES=${inRoot(modules)}\n`
}

/**
 * Returns the lines of the loader that name libraries outside the release, or none at all.
 * @param {string[]} argv
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 */
async function findForeignLibraries (argv, root, { PATH = '' }) {
  const { exit, stdout, stderr } = await run(argv, { env: { PATH } })
  if (exit !== 0) return stderr || stdout || 'its loader does not run'
  return stdout.split('\n').filter(line => line.includes('=>') && !line.includes(`=> ${root}/`)).join('\n')
}

/**
 * Lists the programs of releases in the cache.
 * @param {ToolSpec[]} specs of the installed programs and their variants
 * @param {NodeJS.ProcessEnv} env
 * @returns {(ToolSpec & { release: string, version: string })[]} release: its name
 */
export const listReleaseTools = (specs, env) => listCached(env).flatMap(note => {
  const [program, release] = note.split('@')
  const spec = specs.find(spec => spec.program === program)
  const found = spec && release && cached(note, env)
  return found ? [{ ...spec, release, version: found.versions[mainPackage(spec)] }] : []
})

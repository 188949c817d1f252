/** Finds programs that npm does not provide (nginx, Apache, wrk …): on PATH, in the cache, or by fetching them. */
import { delimiter, join } from 'node:path'
import { canFetch, fetchPackages } from './setup/apt.js'
import { HopbenchError } from '../errors.js'
import { writeLine } from './guard-output.js'
import { findInside, onPath, PROGRAM_FOLDERS } from './setup/path.js'
import { fetchReleaseTools, listReleaseTools, locateReleaseTool } from './setup/release.js'
import { run } from './process.js'
import { cached, findLibraryFolders, osRelease, provide, prune, writableCache } from './setup/tool-cache.js'
import { fetchWheel, locateWheel, toWheelName } from './setup/python.js'

/** @import { Packages } from '../types.js' */
/** @import { SetupOptions, Tool, ToolSpec } from './types.js' */

/** Names of programs on other systems, by Debian's name. @type {Record<string, string>} */
const ELSEWHERE = { apache2: 'httpd' }
const VERSION_SECONDS = 20 // A program that does not print its version by then does not run here.
/** Space that the largest program needs with its packages while it is unpacked. nginx and Apache need a tenth. */
const ENOUGH_MIB = 300

/**
 * @param {ToolSpec} spec
 * @param {SetupOptions} [options]
 * @throws {HopbenchError} tool-missing
 */
export async function findTool (spec, options) {
  const [tool] = await findTools([spec], options)
  return tool
}

/**
 * Finds several programs, in the order of `specs`. Fetches all missing ones together.
 * @param {ToolSpec[]} specs
 * @param {SetupOptions} [options]
 * @throws {HopbenchError} tool-missing, release-unavailable, and those of fetchWheel()
 */
export async function findTools (specs, { env = process.env, printProgress = writeLine } = {}) {
  const missing = specs.filter(spec => !locateTool(spec, env))
  const ofReleases = missing.filter(({ release }) => release !== undefined)
  const others = missing.filter(({ release, wheel }) => release === undefined && !wheel)
  if (others.length > 0) await fetchTools(others, { env, printProgress })
  for (const spec of missing) {
    if (spec.wheel) await fetchWheel(spec.program, spec.wheel, { env, printProgress, remedy: installHint([spec]) })
  }
  if (ofReleases.length > 0) await fetchReleaseTools(ofReleases, { env, printProgress })
  return specs.flatMap(spec => locateTool(spec, env) ?? [])
}

/**
 * Finds a program without fetching it.
 * @param {ToolSpec} spec
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Tool | null}
 */
export function locateTool (spec, env = process.env) {
  const { program, release } = spec
  if (release !== undefined) return locateReleaseTool(spec, env)
  const installed = onPath(program, env) ?? (program in ELSEWHERE ? onPath(ELSEWHERE[program], env) : null)
  if (installed) return { program, path: installed, env: {}, from: 'path', root: '/' }
  if (spec.wheel) return locateWheel(program, spec.wheel, env)
  const found = cached(program, env)
  if (!found) return null
  const { path, root, libraries } = found
  return { program, path, env: { ...libraryPath(libraries, env), ...programPath(root, env) }, from: 'cache', root }
}

/**
 * @param {string} path
 * @param {{ args: string[], parse: (output: string) => string | null }} version
 * @param {Record<string, string>} [env]
 * @returns {Promise<string>} "1.22.1"
 * @throws {HopbenchError} tool-broken
 */
export async function toolVersion (path, version, env = {}) {
  const { exit, stdout, stderr, timedOut } =
    await run([path, ...version.args], { env, timeoutSeconds: VERSION_SECONDS })
  const output = `${stdout}\n${stderr}`.trim()
  const parsed = timedOut ? null : version.parse(output)
  if (parsed) return parsed
  const why = timedOut
    ? 'it does not end when it is run for its version'
    : exit === null
      ? 'it could not be started'
      : 'it does not print its version'
  throw new HopbenchError('tool-broken', { path, why, output })
}

/**
 * Fetches cached programs again, because the cache gets no security updates by itself. Programs that cannot be fetched
 * stay. Removes all others from the cache; they are fetched when they are needed.
 * @param {ToolSpec[]} specs
 * @param {Required<SetupOptions> & { keep?: string[] }} options keep: names in the cache
 * @throws {HopbenchError} tool-missing, cache-nearly-full
 */
export async function refreshTools (specs, { env, printProgress, keep = [] }) {
  // A wheel has a pinned version and does not change.
  const old = specs.filter(spec => !spec.wheel && locateTool(spec, env)?.from === 'cache')
  if (old.length > 0) await fetchTools(old, { env, printProgress, anew: true })
  const ofReleases = listReleaseTools(specs, env)
  if (ofReleases.length > 0) await fetchReleaseTools(ofReleases, { env, printProgress, anew: true })
  const cache = writableCache(env)
  if (!cache) return
  const kept = [...keep, ...specs.map(({ program, wheel }) => wheel ? toWheelName(program, wheel) : program),
    ...ofReleases.map(({ program, release }) => `${program}@${release}`)]
  const dropped = await prune(cache, program => kept.includes(program))
  for (const program of dropped) printProgress(`Removed ${program}: it is fetched again when it is needed.`)
}

/**
 * @param {ToolSpec[]} specs
 * @param {SetupOptions & { env: NodeJS.ProcessEnv, anew?: boolean }} options anew: fetch programs that are already in
 * the cache
 * @throws {HopbenchError} tool-missing, cache-nearly-full
 */
async function fetchTools (specs, { env, printProgress, anew = false }) {
  const names = specs.map(spec => spec.program).join(', ')
  const missing = (/** @type {string} */ why, /** @type {string} */ output = '') =>
    new HopbenchError('tool-missing', { program: names, why, output, remedy: installHint(specs) })
  const packages = specs.flatMap(spec => spec.packages?.debian ?? [])
  if (specs.some(spec => !spec.packages?.debian?.length) || !canFetch(env)) {
    throw missing('there is no package that hopbench could fetch on this system')
  }
  await provide({
    what: names,
    doing: `Fetching ${names}${anew ? ' again' : ''}`,
    mib: ENOUGH_MIB,
    anew,
    locate: () => specs.every(spec => locateTool(spec, env)) || null,
    reject: why => missing(why),
    fetch: async work => {
      const { versions, failure } = await fetchPackages(packages, work, env)
      if (failure) throw missing(failure.why, failure.output)
      const root = join(work, 'root')
      const programs = specs.map(spec => {
        const path = findInside(spec, root)
        if (!path) throw missing(`the packages ${packages.join(', ')} do not contain ${spec.program}`)
        return [spec.program, path]
      })
      const unmet = await unmetLibraries(programs.map(([, path]) => join(root, path)), root, env)
      if (unmet) throw missing('libraries that it needs were not fetched', unmet)
      return { versions, programs: Object.fromEntries(programs) }
    }
  }, { env, printProgress })
}

/**
 * Returns the lines of ldd that name missing libraries.
 * @param {string[]} paths
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 */
async function unmetLibraries (paths, root, env) {
  const { stdout } = await run(['ldd', ...paths], { env: libraryPath(findLibraryFolders(root), env) })
  return stdout.split('\n').filter(line => line.includes('not found')).join('\n')
}

/** @returns {Record<string, string>} */
function libraryPath (/** @type {string[]} */ folders, /** @type {NodeJS.ProcessEnv} */ env) {
  if (folders.length === 0) return {}
  return { LD_LIBRARY_PATH: [...folders, ...(env.LD_LIBRARY_PATH ? [env.LD_LIBRARY_PATH] : [])].join(delimiter) }
}

/**
 * Adds the folders of fetched programs to PATH, because a program can start others from its packages: Varnish starts a
 * compiler. The system's folders come first.
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ PATH: string }}
 */
const programPath = (root, { PATH = '' }) =>
  ({ PATH: [PATH, ...PROGRAM_FOLDERS.map(folder => join(root, folder))].filter(Boolean).join(delimiter) })

/**
 * Describes in one sentence how to install programs on a system.
 * @param {ToolSpec[]} specs
 * @param {{ platform: string, likes: string[] }} [system] likes: ID and ID_LIKE of os-release(5)
 * @returns {string}
 */
export function installHint (specs, system = thisSystem()) {
  /** @type {[keyof Packages, string, string[]][]} */
  const commands = [
    ['debian', 'sudo apt-get install', ['debian', 'ubuntu']],
    ['fedora', 'sudo dnf install', ['fedora', 'rhel', 'centos']],
    ['alpine', 'sudo apk add', ['alpine']],
    ['brew', 'brew install', ['darwin']]
  ]
  const ids = [system.platform, ...system.likes]
  const known = commands.find(([, , systems]) => systems.some(id => ids.includes(id)))
  const programs = specs.map(spec => spec.program).join(', ')
  // Programs without a package on this system are installed in another way.
  const elsewhere = specs.filter(spec => spec.install && !(known && spec.packages?.[known[0]]?.length))
  if (elsewhere.length > 0) {
    const others = specs.filter(spec => !elsewhere.includes(spec))
    return [...elsewhere.map(spec => spec.install), ...others.length > 0 ? [installHint(others, system)] : []].join(' ')
  }
  if (!known || specs.some(({ packages }) => !packages || packages[known[0]]?.length === 0)) {
    return `Install ${programs} so that it is on PATH.`
  }
  const [name, command] = known
  const packages = specs.flatMap(spec => spec.packages?.[name] ?? [spec.program])
  return `Install it: ${command} ${packages.join(' ')}`
}

function thisSystem () {
  const { ID = '', ID_LIKE = '' } = osRelease()
  return { platform: process.platform, likes: [ID, ...ID_LIKE.split(' ')] }
}

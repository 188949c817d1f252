/**
 * Fetches runtimes for servers as npm packages into the cache, with pinned versions and checksums. Changes nothing on
 * the system and runs no scripts of packages.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { run } from '../process.js'
import { npmErrors } from './install.js'
import { unpackRelease } from './npm-pack.js'
import { cached, provide } from './tool-cache.js'

/**
 * @import { FoundRuntime, Runtime } from '../../types.js'
 * @import { SetupOptions } from '../types.js'
 */

const DOWNLOAD_SECONDS = 300 // The largest archive over a slow network.
const START_SECONDS = 20 // A runtime that does not print its version by then does not run here.
const ENOUGH_MIB = 600 // Deno unpacked takes 190, and its archive is beside it.
/** Errors of npm when no registry can be reached. All other errors come from a registry. */
const OFFLINE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ENOTCACHED/

/** Returns the platform's name in builds: "linux-x64", or "linux-x64-musl" without glibc. */
export const platformName = () => {
  const isMusl = process.platform === 'linux' && readdirSync('/lib').some(name => name.startsWith('ld-musl-'))
  return `${process.platform}-${process.arch}${isMusl ? '-musl' : ''}`
}

/**
 * Returns the name in the cache, which contains the version so that two versions do not mix.
 * @param {string} name
 * @param {Runtime} runtime
 */
export const cachedName = (name, { version }) => `${name}-${version}`

/**
 * Finds a runtime without fetching it.
 * @param {string} name
 * @param {Runtime} runtime
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string | null} absolute path of the program
 */
export const locateRuntime = (name, runtime, env = process.env) => cached(cachedName(name, runtime), env)?.path ?? null

/**
 * @param {string} name value of `+runtime=`
 * @param {Runtime} runtime
 * @param {SetupOptions & { platform?: string, anew?: boolean, purpose?: string, retries?: number }} [options] platform:
 *   as platformName() returns it; purpose: printed after the title; retries: of a request to the registry
 * @returns {Promise<FoundRuntime>}
 * @throws {HopbenchError} runtime-no-build, runtime-not-fetched, runtime-checksum, tool-broken, cache-nearly-full
 */
export async function findRuntime (name, runtime, options = {}) {
  const { env = process.env, platform = platformName(), anew = false, purpose = '', retries = 1 } = options
  const title = `${runtime.title} (${runtime.version})`
  const build = runtime.builds[platform]
  if (!build) throw new HopbenchError('runtime-no-build', { title, platform, known: Object.keys(runtime.builds) })
  const program = await provide({
    what: title,
    doing: `Fetching ${title}${purpose && ` ${purpose}`}`,
    mib: ENOUGH_MIB,
    anew,
    locate: () => locateRuntime(name, runtime, env),
    reject: why => new HopbenchError('runtime-not-fetched', { title, why }),
    fetch: async work => {
      await fetchBuild(build, { title, version: runtime.version, work, env, retries })
      await requireVersion(join(work, 'root/package', runtime.program), runtime)
      const key = cachedName(name, runtime)
      return { versions: { [build.package]: runtime.version }, programs: { [key]: join('package', runtime.program) } }
    }
  }, options)
  return { name, runtime, program }
}

/**
 * @param {Runtime['builds'][string]} build
 * @param {{ title: string, version: string, work: string, env: NodeJS.ProcessEnv, retries: number }} of
 * @throws {HopbenchError} runtime-not-fetched, runtime-checksum, install-failed
 */
async function fetchBuild ({ package: name, integrity }, { title, version, work, env, retries }) {
  const { fault, output } =
    await unpackRelease({ name, version, integrity }, { work, env, timeoutSeconds: DOWNLOAD_SECONDS, retries })
  if (fault === null) return
  if (fault === 'checksum') throw new HopbenchError('runtime-checksum', { title, name, found: output, integrity })
  const why = {
    timeout: `npm had not fetched ${name} after ${DOWNLOAD_SECONDS} s`,
    npm: OFFLINE.test(output)
      ? 'the npm registry cannot be reached: this machine may be offline'
      : `the npm registry does not give ${name}@${version}`,
    archive: 'its archive could not be unpacked'
  }[fault]
  throw new HopbenchError('runtime-not-fetched', { title, why, output: npmErrors(output) })
}

/**
 * Runs the program once, to detect a missing library or an unsupported CPU.
 * @param {string} program
 * @param {Runtime} runtime
 * @throws {HopbenchError} tool-broken
 */
async function requireVersion (program, { version, env }) {
  const { exit, stdout, stderr, signal } = await run([program, '--version'], { env, timeoutSeconds: START_SECONDS })
  if (exit === 0 && stdout.includes(version)) return
  const why = signal ? `it was ended by ${signal}` : `it does not report version ${version}`
  throw new HopbenchError('tool-broken', { path: program, why, output: `${stdout}\n${stderr}`.trim() })
}

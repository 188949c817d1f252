/**
 * Fetches runtimes for servers as npm packages into the cache, with pinned versions and checksums. Changes nothing on
 * the system and runs no scripts of packages.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { run } from '../process.js'
import { npmPack } from './npm-pack.js'
import { cached, fill, writableCache } from './tool-cache.js'

/**
 * @import { FoundRuntime, Runtime, RuntimeBuild } from '../../types.js'
 * @import { SetupOptions } from '../shapes.js'
 */

const DOWNLOAD_SECONDS = 300
const UNPACK_SECONDS = 120
const START_SECONDS = 20
const ENOUGH_MIB = 600 // Deno unpacked takes 190, and its archive is beside it.
const TELLING_LINES = 6
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
export function locateRuntime (name, runtime, env = process.env) {
  const found = cached(cachedName(name, runtime), env)
  return found && join(found.folder, found.path)
}

/**
 * @param {string} name value of `+runtime=`
 * @param {Runtime} runtime
 * @param {SetupOptions & { platform?: string, anew?: boolean }} [options] platform: as platformName() returns it
 * @returns {Promise<FoundRuntime>}
 * @throws {HopbenchError} runtime-no-build, runtime-not-fetched, runtime-checksum, tool-broken, cache-nearly-full
 */
export async function findRuntime (name, runtime, options = {}) {
  const {
    env = process.env, platform = platformName(), anew = false, say = line => process.stderr.write(`${line}\n`)
  } = options
  const title = `${runtime.title} (${runtime.version})`
  const build = runtime.builds[platform]
  if (!build) throw new HopbenchError('runtime-no-build', { title, platform, known: Object.keys(runtime.builds) })
  if (anew || !locateRuntime(name, runtime, env)) {
    const cache = writableCache(env)
    if (!cache) {
      const why = 'there is no cache folder that only this account can write (HOPBENCH_CACHE can name one)'
      throw new HopbenchError('runtime-not-fetched', { title, why })
    }
    await fill(cache, async work => {
      say(`Fetching ${title} into ${cache}: nothing on the system is changed.`)
      await unpack(await download(build, { title, version: runtime.version, work, env }), { title, work, build })
      const program = join(work, 'root/package', runtime.program)
      await requireVersion(program, runtime)
      const key = cachedName(name, runtime)
      return { versions: { [build.package]: runtime.version }, programs: { [key]: join('package', runtime.program) } }
    }, {
      what: title,
      mib: ENOUGH_MIB,
      needed: () => anew || !locateRuntime(name, runtime, env),
      waiting: () => say(`Another start is fetching ${title} or another program: waiting for it.`)
    })
  }
  return { name, runtime, program: String(locateRuntime(name, runtime, env)) }
}

/**
 * @param {RuntimeBuild} build
 * @param {{ title: string, version: string, work: string, env: NodeJS.ProcessEnv }} of
 * @returns {Promise<string>} the archive
 * @throws {HopbenchError} runtime-not-fetched, install-failed
 */
async function download (build, { title, version, work, env }) {
  const { archive, said, timedOut } = await npmPack(`${build.package}@${version}`, {
    work, env, timeoutSeconds: DOWNLOAD_SECONDS
  })
  if (archive) return archive
  const why = timedOut
    ? `npm had not fetched ${build.package} after ${DOWNLOAD_SECONDS} s`
    : OFFLINE.test(said)
      ? 'the npm registry cannot be reached: this machine may be offline'
      : `the npm registry does not give ${build.package}@${version}`
  throw new HopbenchError('runtime-not-fetched', { title, why, output: telling(said) })
}

const telling = (/** @type {string} */ output) => output.split('\n')
  .filter(line => /^npm (error|ERR!)(?!\s+(at |A complete log))/.test(line)).slice(0, TELLING_LINES).join('\n')

/**
 * Compares the archive with the pinned checksum and unpacks it. npm has compared it with the registry's checksum.
 * @param {string} archive
 * @param {{ title: string, work: string, build: RuntimeBuild }} of
 * @throws {HopbenchError} runtime-checksum, runtime-not-fetched
 */
async function unpack (archive, { title, work, build: { package: name, integrity } }) {
  const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
  if (found !== integrity) throw new HopbenchError('runtime-checksum', { title, name, found, integrity })
  mkdirSync(join(work, 'root'))
  const { exit, stderr } = await run(['tar', '-xzf', archive, '-C', join(work, 'root')], {
    timeoutSeconds: UNPACK_SECONDS
  })
  if (exit === 0) return
  throw new HopbenchError('runtime-not-fetched', { title, why: 'its archive could not be unpacked', output: stderr })
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
  const why = signal ? `it is ended by ${signal}` : `it does not say that it is ${version}`
  throw new HopbenchError('tool-broken', { path: program, why, output: `${stdout}\n${stderr}`.trim() })
}

/**
 * Fetches releases of npm packages without their dependencies, and compares their checksums with pinned ones.
 */
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HopbenchError } from '../../errors.js'
import { run } from '../process.js'
import { listNames } from '../files/system-files.js'
import { findNpm, NPM_FLAGS, npmErrors, npmFolders } from './install.js'
import { cached, provide } from './tool-cache.js'

/** @import { SetupOptions } from '../types.js' */

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url))
const UNPACK_SECONDS = 120 // The largest archive has 190 MB (Deno), unpacked on a slow disk.

/**
 * Fetches a release and unpacks it into `root/package` of a folder.
 * @param {{ name: string, version: string, integrity: string }} release integrity: "sha512-…"
 * @param {{ work: string, env: NodeJS.ProcessEnv, timeoutSeconds: number, retries?: number }} options work: an empty
 * folder; env: with the caller's settings of npm, such as a registry or a proxy; retries: of a request
 * @returns {Promise<{ fault: 'timeout' | 'npm' | 'checksum' | 'archive' | null, output: string }>} timeout: of npm;
 * npm: npm failed; archive: tar failed; output: of the program that failed, or the found checksum
 * @throws {HopbenchError} install-failed: there is no npm
 */
export async function unpackRelease ({ name, version, integrity }, { work, env, timeoutSeconds, retries = 1 }) {
  const argv = [...findNpm(env), 'pack', `${name}@${version}`, '--pack-destination', work, ...NPM_FLAGS,
    `--fetch-retries=${retries}`]
  const npm = await run(argv, { cwd: work, env: { ...env, ...npmFolders(PROJECT, env) }, timeoutSeconds })
  const file = listNames(work).find(name => name.endsWith('.tgz'))
  if (npm.exit !== 0 || file === undefined) {
    return { fault: npm.timedOut ? 'timeout' : 'npm', output: `${npm.stdout}\n${npm.stderr}` }
  }
  const [algorithm] = integrity.split('-', 1)
  const checksum = createHash(algorithm).update(readFileSync(join(work, file))).digest('base64')
  const found = `${algorithm}-${checksum}`
  if (found !== integrity) return { fault: 'checksum', output: found }
  mkdirSync(join(work, 'root'))
  const tar = await run(['tar', '-xzf', join(work, file), '-C', join(work, 'root')], { timeoutSeconds: UNPACK_SECONDS })
  return tar.exit === 0 ? { fault: null, output: '' } : { fault: 'archive', output: tar.stderr }
}

const FETCH_SECONDS = 120 // An archive of a few megabytes over a slow network.
const ENOUGH_MIB = 50
const CONNECT = "Connect to the network once, or check npm's settings."

/** Reasons and remedies by the fault that unpackRelease() returns. */
const FAULTS = {
  timeout: { why: 'npm took too long', remedy: CONNECT },
  npm: { why: 'npm could not fetch it', remedy: CONNECT },
  checksum: {
    why: 'the download has another checksum than the pinned one',
    remedy: "Check the registry in npm's settings: its package differs from the published one."
  },
  archive: { why: 'it could not be unpacked', remedy: 'Install tar.' }
}

/**
 * Fetches a package into the cache when it is first needed.
 * @param {{ name: string, version: string, integrity: string, main: string }} spec integrity: "sha512-…"; main: a file
 * that the package must contain
 * @param {SetupOptions} [options]
 * @returns {Promise<string>} the package's folder
 * @throws {HopbenchError} install-failed, cache-nearly-full, still-installing
 */
export function npmTarball (spec, options = {}) {
  const { env = process.env } = options
  const { name, version, main } = spec
  const note = `${name}-${version}`
  const fail = (/** @type {string} */ why, /** @type {string} */ remedy, output = '') =>
    new HopbenchError('install-failed', { why: `${name} ${version}: ${why}`, remedy, output })
  return provide({
    what: name,
    doing: `Fetching ${name} ${version}`,
    mib: ENOUGH_MIB,
    reject: fail,
    locate: () => {
      const found = cached(note, env)
      return found && join(found.root, 'package')
    },
    fetch: async work => {
      const { fault, output } = await unpackRelease(spec, { work, env, timeoutSeconds: FETCH_SECONDS })
      if (fault) throw fail(FAULTS[fault].why, FAULTS[fault].remedy, npmErrors(output))
      // The cache requires an executable file.
      chmodSync(join(work, 'root/package', main), 0o755)
      return { versions: { [name]: version }, programs: { [note]: join('package', main) } }
    }
  }, options)
}

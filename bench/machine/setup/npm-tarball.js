/**
 * Fetches an npm package without its dependencies into the cache when it is first needed, and compares its checksum
 * with a recorded one.
 */
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { npmErrors } from './install.js'
import { unpackRelease } from './npm-pack.js'
import { cached, provide } from './tool-cache.js'

/** @import { SetupOptions } from '../types.js' */

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
      return found && join(found.folder, found.root, 'package')
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

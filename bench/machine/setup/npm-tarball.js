/**
 * Fetches an npm package without its dependencies into the cache when it is first needed, and compares its checksum
 * with a recorded one.
 */
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { run } from '../process.js'
import { npmPack } from './npm-pack.js'
import { cached, fill, writableCache } from './tool-cache.js'

/** @import { SetupOptions } from '../shapes.js' */

const FETCH_SECONDS = 120
const ENOUGH_MIB = 50
const TELLING_LINES = 8

/**
 * @typedef {{ name: string, version: string, integrity: string, main: string }} Tarball integrity: "sha512-…"; main: a
 * file that the package must contain
 */

/**
 * @param {Tarball} spec
 * @param {SetupOptions} [options]
 * @returns {Promise<string>} the package's folder
 * @throws {HopbenchError} install-failed, cache-nearly-full, still-installing
 */
export async function npmTarball (
  spec,
  { env = process.env, say = line => process.stderr.write(`${line}\n`) } = {}
) {
  const note = `${spec.name}-${spec.version}`
  const locate = () => {
    const found = cached(note, env)
    return found && join(found.folder, found.root, 'package')
  }
  const found = locate()
  if (found) return found
  const cache = writableCache(env)
  if (!cache) throw failed(spec, 'there is no folder for it', 'Name one that can be written with HOPBENCH_CACHE.')
  await fill(cache, async work => {
    say(`Fetching ${spec.name} ${spec.version} into ${cache}: nothing on the system is changed.`)
    await unpack(spec, await fetchTo(work, spec, env), join(work, 'root'))
    return { versions: { [spec.name]: spec.version }, programs: { [note]: join('package', spec.main) } }
  }, {
    what: spec.name,
    mib: ENOUGH_MIB,
    needed: () => !locate(),
    waiting: () => say(`Another start is fetching ${spec.name}: waiting for it.`)
  })
  return String(locate())
}

/**
 * @param {string} work
 * @param {Tarball} spec
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string>} the file
 */
async function fetchTo (work, spec, env) {
  const { archive, said, timedOut } = await npmPack(`${spec.name}@${spec.version}`, {
    work, env, timeoutSeconds: FETCH_SECONDS
  })
  if (archive) return archive
  throw failed(spec, timedOut ? 'npm took too long' : 'npm could not fetch it',
    'Connect to the network once; or check npm\'s settings.', said.trim().split('\n').slice(-TELLING_LINES).join('\n'))
}

/**
 * @param {Tarball} spec
 * @param {string} file
 * @param {string} into
 */
async function unpack (spec, file, into) {
  const [kind, wanted] = spec.integrity.split('-', 2)
  if (createHash(kind).update(readFileSync(file)).digest('base64') !== wanted) {
    throw failed(spec, 'what came has another checksum than it should have',
      'Look at the registry in npm\'s settings: it does not hand out what its author has published.')
  }
  mkdirSync(into, { recursive: true })
  const { exit, stderr } = await run(['tar', '-xzf', file, '-C', into])
  if (exit !== 0) throw failed(spec, 'it could not be unpacked', 'Install tar.', stderr)
  // The cache requires an executable file.
  chmodSync(join(into, 'package', spec.main), 0o755)
}

/**
 * @param {Tarball} spec
 * @param {string} why
 * @param {string} remedy
 * @param {string} [output]
 */
const failed = ({ name, version }, why, remedy, output = '') =>
  new HopbenchError('install-failed', { why: `${name} ${version}: ${why}`, remedy, output })

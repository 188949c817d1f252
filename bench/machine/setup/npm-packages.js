/**
 * Installs npm packages that are only compared with others. A clone has them in node_modules. An installed hopbench
 * installs each into the cache when a topology uses it, in the versions of its lock file.
 */
import { chmodSync, copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HopbenchError } from '../../errors.js'
import { sha256 } from '../../shared/sha256.js'
import { run } from '../process.js'
import { findNpm, NPM_FLAGS, npmErrors, npmFolders } from './install.js'
import { cached, provide } from './tool-cache.js'
import { makeFolder } from '../files/make-folder.js'

/** @import { SetupOptions } from '../types.js' */

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url))
/**
 * Lock files by preference. A published package contains only compared-lock.json, which test/compared-lock.js makes.
 */
const LOCKS = ['compared-lock.json', 'package-lock.json']
const NPM_SECONDS = 600 // PM2, the largest, over a slow network.
const ENOUGH_MIB = 100 // PM2, the largest, takes 30.

/**
 * Finds the folder of a package as Node does.
 * @param {string} name
 * @param {string} [from] absolute path of the importing file; left out: a file of the project
 * @returns {string | null} null: the package is not installed
 */
export const packageFolder = (name, from = fileURLToPath(import.meta.url)) =>
  (createRequire(from).resolve.paths(name) ?? []).map(folder => join(folder, name))
    .find(folder => existsSync(join(folder, 'package.json'))) ?? null

/**
 * Returns a folder with packages in its node_modules, and with the copy of a module that imports them.
 * @param {{ name: string, packages: string[], file?: string }} spec name: of what needs them; file: a module that
 * imports them, which is copied beside them
 * @param {SetupOptions} [options]
 * @returns {Promise<string>} the folder, in the cache
 * @throws {HopbenchError} npm-packages-failed, install-failed, cache-nearly-full, still-installing
 */
export function packagesInCache ({ name, packages, file }, options = {}) {
  const { env = process.env } = options
  const lock = extractSubset(projectLock(), packages)
  const source = file === undefined ? '' : readFileSync(file, 'utf8')
  const note = `npm-${name}-${sha256(JSON.stringify(lock) + source).slice(0, 12)}`
  return provide({
    what: `the packages of ${name}`,
    doing: `Installing ${packages.join(' and ')} for ${name}`,
    mib: ENOUGH_MIB,
    reject: (why, remedy) => new HopbenchError('npm-packages-failed', { name, why, remedy }),
    locate: () => cached(note, env)?.root ?? null,
    fetch: async work => {
      const root = join(work, 'root')
      const program = file === undefined ? 'package.json' : `servers/${basename(file)}`
      makeFolder(join(root, 'servers'))
      writeFileSync(join(root, 'package.json'), JSON.stringify({ type: 'module', ...lock.packages[''] }))
      writeFileSync(join(root, 'package-lock.json'), JSON.stringify(lock))
      if (file !== undefined) copyFileSync(file, join(root, program))
      // The cache requires an executable file.
      chmodSync(join(root, program), 0o755)
      await npmCi(name, root, env)
      const versions = packages.map(name => [name, lock.packages[''].dependencies?.[name] ?? ''])
      return { versions: Object.fromEntries(versions), programs: { [note]: program } }
    }
  }, options)
}

/** @returns {Lock} */
function projectLock () {
  const file = LOCKS.map(name => join(PROJECT, name)).find(path => existsSync(path)) ?? join(PROJECT, LOCKS[0])
  return JSON.parse(readFileSync(file, 'utf8'))
}

/**
 * @param {string} name of what needs the packages
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 * @throws {HopbenchError} npm-packages-failed
 */
async function npmCi (name, folder, env) {
  const { exit, stdout, stderr, timedOut } = await run([...findNpm(env), 'ci', '--omit=dev', ...NPM_FLAGS],
    { cwd: folder, env: npmFolders(PROJECT, env), timeoutSeconds: NPM_SECONDS })
  if (exit === 0) return
  const why = timedOut ? 'npm took too long' : `npm ci ended with ${exit ?? 'an error'}`
  throw new HopbenchError('npm-packages-failed', { name, why, output: npmErrors(`${stdout}\n${stderr}`) })
}

/**
 * A lock file of npm.
 * @typedef {object} Lock
 * @property {number} lockfileVersion
 * @property {Record<string, { version?: string, integrity?: string, dev?: boolean, optional?: boolean,
 *   devOptional?: boolean, inBundle?: boolean, dependencies?: Record<string, string>,
 *   optionalDependencies?: Record<string, string>, peerDependencies?: Record<string, string> }>} packages
 */

/**
 * Makes a lock file for some packages and their dependencies, each at its original path.
 * @param {Lock} lock
 * @param {string[]} names packages at the top level
 * @returns {Lock} requires exactly these versions
 */
export function extractSubset ({ packages, lockfileVersion }, names) {
  /** @type {Set<string>} */
  const needed = new Set()
  const add = (/** @type {string | null} */ path) => {
    if (path === null || needed.has(path)) return
    needed.add(path)
    const { dependencies, optionalDependencies, peerDependencies } = packages[path]
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      add(findPlace(packages, path, name))
    }
  }
  for (const name of names) add(findPlace(packages, '', name))
  const dependencies = Object.fromEntries(names.map(name => [name, packages[`node_modules/${name}`].version ?? '']))
  const kept = Object.keys(packages).filter(path => needed.has(path)).map(path => {
    const { dev, devOptional, inBundle, ...entry } = packages[path]
    return [path, entry]
  })
  return { lockfileVersion, packages: { '': { dependencies }, ...Object.fromEntries(kept) } }
}

/**
 * Finds a dependency as Node does: in the package's own node_modules, else further up.
 * @param {Lock['packages']} packages
 * @param {string} from "node_modules/a/node_modules/b"; "": the project
 * @param {string} name
 * @returns {string | null} null: an optional dependency that npm has left out
 */
function findPlace (packages, from, name) {
  const path = `${from === '' ? '' : `${from}/`}node_modules/${name}`
  if (packages[path]) return path
  if (from === '') return null
  return findPlace(packages, from.slice(0, Math.max(0, from.lastIndexOf('node_modules/') - 1)), name)
}

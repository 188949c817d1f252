/**
 * Installs npm packages that are only compared with others. A clone has them in node_modules. An installed hopbench
 * installs each into the cache when a topology uses it, in the versions of its lock file.
 */
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HopbenchError } from '../../errors.js'
import { run } from '../process.js'
import { findNpm, npmErrors, npmFolders } from './install.js'
import { subsetOf } from './lock-subset.js'
import { cached, fill, writableCache } from './tool-cache.js'

/**
 * @import { SetupOptions } from '../shapes.js'
 * @import { Lock } from './lock-subset.js'
 */

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url))
/**
 * Lock files by preference. A published package contains only compared-lock.json, which test/compared-lock.js makes.
 */
const LOCKS = ['compared-lock.json', 'package-lock.json']
const NPM_SECONDS = 600
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
export async function packagesInCache (
  { name, packages, file },
  { env = process.env, say = line => process.stderr.write(`${line}\n`) } = {}
) {
  const lock = subsetOf(projectLock(), packages)
  const source = file === undefined ? '' : readFileSync(file, 'utf8')
  const note = `npm-${name}-${createHash('sha256').update(JSON.stringify(lock) + source).digest('hex').slice(0, 12)}`
  const located = () => {
    const found = cached(note, env)
    return found && join(found.folder, found.root)
  }
  const there = located()
  if (there) return there
  const failed = (/** @type {{ why: string, output?: string, remedy?: string }} */ details) =>
    new HopbenchError('npm-packages-failed', { name, ...details })
  const cache = writableCache(env)
  if (!cache) {
    throw failed({
      why: 'there is no folder that they could be put into',
      remedy: 'Name one that can be written with HOPBENCH_CACHE.'
    })
  }
  await fill(cache, async work => {
    say(`Installing ${packages.join(' and ')} for ${name} into ${cache}: nothing else is changed.`)
    const root = join(work, 'root')
    const program = file === undefined ? 'package.json' : `servers/${basename(file)}`
    mkdirSync(join(root, 'servers'), { recursive: true })
    writeFileSync(join(root, 'package.json'), JSON.stringify({ type: 'module', ...lock.packages[''] }))
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify(lock))
    if (file !== undefined) copyFileSync(file, join(root, program))
    // The cache requires an executable file.
    chmodSync(join(root, program), 0o755)
    const output = await npmCi(root, env)
    if (output !== null) throw failed(output)
    const versions = packages.map(name => [name, lock.packages[''].dependencies?.[name] ?? ''])
    return { versions: Object.fromEntries(versions), programs: { [note]: program } }
  }, {
    what: `the packages of ${name}`,
    mib: ENOUGH_MIB,
    needed: () => !located(),
    waiting: () => say(`Another start is installing the packages of ${name}: waiting for it.`)
  })
  return String(located())
}

/** @returns {Lock} */
function projectLock () {
  const file = LOCKS.map(name => join(PROJECT, name)).find(path => existsSync(path)) ?? join(PROJECT, LOCKS[0])
  return JSON.parse(readFileSync(file, 'utf8'))
}

/**
 * Runs npm ci without the scripts of packages.
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<{ why: string, output: string } | null>} null: npm ci succeeded
 */
async function npmCi (folder, env) {
  const argv = [...findNpm(env), 'ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--no-progress',
    '--no-update-notifier', '--loglevel=error']
  const { exit, stdout, stderr, timedOut } = await run(argv, {
    cwd: folder,
    env: npmFolders(PROJECT, env),
    timeoutSeconds: NPM_SECONDS
  })
  if (exit === 0) return null
  return {
    why: timedOut ? 'npm took too long' : `npm ci ended with ${exit ?? 'an error'}`,
    output: npmErrors(`${stdout}\n${stderr}`)
  }
}

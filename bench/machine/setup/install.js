/**
 * Checks the version of Node, and installs the npm packages of package-lock.json. Imports only node: modules, because
 * it runs when node_modules is missing.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, delimiter, dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HopbenchError } from '../../errors.js'
import { attempt } from '../../shared/attempt.js'
import { readJson } from '../files/system-files.js'
import { writeLine } from '../guard-output.js'
import { withLock } from './lock.js'
import { homeFolder, isWritable } from './path.js'

/** @import { Lock } from './npm-packages.js' */
/** @import { Work } from './lock.js' */

/** Flags of every call of npm. No package needs its scripts. */
export const NPM_FLAGS = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-progress', '--no-update-notifier',
  '--loglevel=error']
const NPM_SECONDS = 1800 // A fresh clone takes half a minute, a slow network a few minutes.
const LATE = 'no end' // In place of an exit code.

/**
 * Returns whether a version is in a range.
 * @param {string} version "20.19.1" or "v20.19.1"
 * @param {string} range `^a.b` or `>=a.b`, several joined by `||`
 */
export function satisfies (version, range) {
  const [major, minor] = numbers(version)
  return range.split('||').some(part => {
    const [wantedMajor, wantedMinor] = numbers(part)
    if (major === wantedMajor) return minor >= wantedMinor
    return part.trim().startsWith('>=') && major > wantedMajor
  })
}

/**
 * @param {string} project folder
 * @param {string} [version] of Node
 * @throws {HopbenchError} node-too-old
 */
export function checkNode (project, version = process.version) {
  const { engines } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
  if (!satisfies(version, engines.node)) {
    throw new HopbenchError('node-too-old', { found: version, wanted: engines.node })
  }
}

/**
 * @param {string} text
 * @returns {number[]} major and minor
 */
function numbers (text) {
  const [, major, minor = '0'] = /(\d+)(?:\.(\d+))?/.exec(text) ?? ['', '0']
  return [Number(major), Number(minor)]
}

/**
 * Returns why node_modules differs from package-lock.json. Compares npm's own record of installed packages, and looks
 * for each package, so that no marker file can be wrong.
 * @param {string} project folder
 * @returns {string | null} null: node_modules is complete
 */
export function whatIsMissing (project) {
  if (!existsSync(join(project, 'package-lock.json'))) return null
  if (!existsSync(join(project, 'node_modules'))) return 'there is no node_modules yet'
  const wanted = readPackages(join(project, 'package-lock.json'))
  const installed = readPackages(join(project, 'node_modules/.package-lock.json'))
  if (!installed) return 'an earlier npm ci did not end'
  const wrong = Object.entries(wanted ?? {}).flatMap(([path, entry]) =>
    path === '' || isInstalled(project, path, entry, installed[path]) ? [] : [path])
  if (wrong.length === 0) return null
  const first = wrong[0].replace(/^.*node_modules\//, '')
  return wrong.length === 1
    ? `${first} is missing or not the version of package-lock.json`
    : `${first} and ${wrong.length - 1} more are missing or not the versions of package-lock.json`
}

/**
 * @param {string} project
 * @param {string} path "node_modules/express"
 * @param {Lock['packages'][string]} wanted
 * @param {Lock['packages'][string] | undefined} installed
 */
function isInstalled (project, path, wanted, installed) {
  // npm leaves out optional packages for other platforms.
  if (!installed) return Boolean(wanted.optional || wanted.devOptional)
  if (wanted.version !== installed.version) return false
  if (wanted.integrity && installed.integrity && wanted.integrity !== installed.integrity) return false
  return statSync(join(project, path, 'package.json'), { throwIfNoEntry: false }) !== undefined
}

/** Returns the packages of a lock file; null if the file cannot be read. @returns {Lock['packages'] | null} */
function readPackages (/** @type {string} */ file) {
  const lock = readJson(file)
  return lock && (lock.packages ?? {})
}

/**
 * Runs npm ci if packages are missing. A second start at the same time waits for the first.
 * @param {string} project folder
 * @param {{ env?: NodeJS.ProcessEnv, printProgress?: (line: string) => void, limitSeconds?: number }} [options]
 *   limitSeconds: of
 * npm ci
 * @throws {HopbenchError} install-failed, still-installing
 */
export async function bringDependencies (project, options = {}) {
  const { env = process.env, printProgress = writeLine, limitSeconds = NPM_SECONDS } = options
  if (!whatIsMissing(project)) return
  if (!isWritable(join(project, 'node_modules'))) {
    throw new HopbenchError('install-failed', {
      why: `${whatIsMissing(project)}, and ${resolve(project)} cannot be written`,
      remedy: 'Start hopbench once as the owner of the folder, or use a clone of your own.'
    })
  }
  await withLock(join(project, '.tools/npm-ci.lock'), async work => {
    const reason = whatIsMissing(project)
    if (!reason) return
    const from = performance.now()
    printProgress(`Installing the npm packages of package-lock.json with npm ci: ${reason}.`)
    await npmCi(project, env, { ...work, limitSeconds })
    printProgress(`Installed in ${Math.round((performance.now() - from) / 1000)} s.`)
    const still = whatIsMissing(project)
    if (still) {
      throw new HopbenchError('install-failed', {
        why: `npm ci succeeded, but ${still}`,
        remedy: 'Delete node_modules and try again.'
      })
    }
  }, { waiting: () => printProgress('Another start is installing the npm packages: waiting for it.') })
}

/**
 * @param {string} project
 * @param {NodeJS.ProcessEnv} env
 * @param {Work & { limitSeconds: number }} limits
 */
async function npmCi (project, env, limits) {
  // NODE_ENV=production would leave out development packages, and each start would find them missing.
  const argv = [...findNpm(env), 'ci', '--include=dev', '--include=optional', ...NPM_FLAGS]
  const { code, output } = await runInGroup(argv, project, { ...env, ...npmFolders(project, env) }, limits)
  if (code === 0) return
  throw new HopbenchError('install-failed', {
    why: `npm ci ${code === LATE ? `did not end within ${limits.limitSeconds} s` : `ended with ${code}`}`,
    output: npmErrors(output)
  })
}

/**
 * Returns the lines in which npm explains a failure: its first errors, or the end of other output.
 * @param {string} output
 */
export function npmErrors (output) {
  const lines = output.split('\n').filter(line => line.trim())
  const errors = lines.filter(line => /^npm (error|ERR!)(?!\s+(at |A complete log))/.test(line)).slice(0, 8)
  return (errors.length > 0 ? errors : lines.slice(-8)).join('\n')
}

/**
 * Runs npm in a process group, which is killed at the limit, when the lock is lost, and when this process exits.
 * @param {string[]} argv
 * @param {string} cwd
 * @param {NodeJS.ProcessEnv} env
 * @param {Work & { limitSeconds: number }} limits
 * @returns {Promise<{ code: number | string, output: string }>}
 */
async function runInGroup (argv, cwd, env, { lost, writer, limitSeconds }) {
  let output = ''
  const child = spawn(argv[0], argv.slice(1), { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  // The group may have ended.
  const kill = () => { if (child.pid) attempt(() => process.kill(-Number(child.pid), 'SIGKILL'), () => {}) }
  const exitOnSignal = (/** @type {NodeJS.Signals} */ signal) => process.exit(signal === 'SIGINT' ? 130 : 143)
  process.on('SIGINT', exitOnSignal).on('SIGTERM', exitOnSignal).on('exit', kill)
  writer(child.pid ?? null)
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', data => { output += data })

  const closed = new Promise(resolve => {
    child.on('error', error => { output += error.message; resolve('an error') })
    child.on('close', (code, signal) => resolve(code ?? signal ?? 'an error'))
  })
  // After the limit, do not wait for the pipes: a process outside the group can keep them open.
  const timer = new AbortController()
  const limit = sleep(limitSeconds * 1000, LATE, { signal: AbortSignal.any([lost, timer.signal]) }).catch(() => LATE)
  const code = await Promise.race([closed, limit])
  timer.abort()

  process.off('SIGINT', exitOnSignal).off('SIGTERM', exitOnSignal).off('exit', kill)
  kill()
  writer(null)
  return { code, output }
}

/**
 * Returns the argv of npm: the one that started hopbench, on PATH, or beside this Node.
 * @throws {HopbenchError} install-failed
 */
export function findNpm (/** @type {NodeJS.ProcessEnv} */ env) {
  const starter = env.npm_execpath
  if (starter && basename(starter) === 'npm-cli.js' && existsSync(starter)) return [process.execPath, starter]
  const folders = [...(env.PATH ?? '').split(delimiter).filter(Boolean), dirname(process.execPath)]
  const npm = folders.map(folder => join(folder, 'npm')).find(file => existsSync(file))
  if (npm) return [npm]
  throw new HopbenchError('install-failed', {
    why: 'npm is neither on PATH nor beside node',
    remedy: 'Install npm, or run npm ci in the project by hand.'
  })
}

/**
 * Returns npm's folders for cache and logs if the default ones cannot be written, as for an account without a home.
 * @returns {Record<string, string>} variables for npm; empty where the defaults can be written
 */
export function npmFolders (/** @type {string} */ project, /** @type {NodeJS.ProcessEnv} */ env) {
  const home = homeFolder(env)
  const cache = env.npm_config_cache ?? (home && join(home, '.npm'))
  if (cache && [cache, join(cache, '_cacache'), join(cache, '_logs')].every(isWritable)) return {}
  const own = join(project, '.tools/npm-cache')
  return { npm_config_cache: own, npm_config_logs_dir: join(own, '_logs') }
}

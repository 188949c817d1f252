/**
 * Whether this Node will do, and the npm packages that package-lock.json asks for. node: imports only: it runs when
 * node_modules is missing.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, delimiter, dirname, join, resolve } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { withLock } from './lock.js'
import { homeFolder, isWritable } from './path.js'

/** @import { Work } from './lock.js' */

const NPM_SECONDS = 1800 // A fresh clone takes half a minute; a slow network a few minutes.
const LATE = 'no end' // In place of an exit code.

/** @typedef {{ version?: string, integrity?: string, optional?: boolean, devOptional?: boolean }} LockEntry */

/**
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
 * Why node_modules is not what package-lock.json says, or null when it is. Reads npm's own record of what it installed
 * and looks for each package: no stamp of ours that could be wrong.
 * @param {string} project folder
 * @returns {string | null}
 */
export function whatIsMissing (project) {
  if (!existsSync(join(project, 'package-lock.json'))) return null
  if (!existsSync(join(project, 'node_modules'))) return 'there is no node_modules yet'
  const wanted = readPackages(join(project, 'package-lock.json'))
  const installed = readPackages(join(project, 'node_modules/.package-lock.json'))
  if (!installed) return 'an earlier npm ci did not end'
  const wrong = Object.keys(wanted ?? {}).filter(path =>
    path !== '' && !isInstalled(project, path, /** @type {any} */ (wanted)[path], installed[path])
  )
  if (wrong.length === 0) return null
  const first = wrong[0].replace(/^.*node_modules\//, '')
  return wrong.length === 1
    ? `${first} is missing or not the version of package-lock.json`
    : `${first} and ${wrong.length - 1} more are missing or not the versions of package-lock.json`
}

/**
 * @param {string} project
 * @param {string} path "node_modules/express"
 * @param {LockEntry} wanted
 * @param {LockEntry | undefined} installed
 */
function isInstalled (project, path, wanted, installed) {
  // npm leaves out optional packages that are made for other platforms.
  if (!installed) return Boolean(wanted.optional || wanted.devOptional)
  if (wanted.version !== installed.version) return false
  if (wanted.integrity && installed.integrity && wanted.integrity !== installed.integrity) return false
  return statSync(join(project, path, 'package.json'), { throwIfNoEntry: false }) !== undefined
}

function readPackages (/** @type {string} */ file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? {}
  } catch {
    return null
  }
}

/**
 * Runs npm ci where it is needed; a second start at the same time waits for the first.
 * @param {string} project folder
 * @param {{ env?: NodeJS.ProcessEnv, say?: (line: string) => void, limitSeconds?: number }} [options] limitSeconds: of
 * npm ci
 * @throws {HopbenchError} install-failed, still-installing
 */
export async function bringDependencies (
  project,
  { env = process.env, say = line => process.stderr.write(`${line}\n`), limitSeconds = NPM_SECONDS } = {}
) {
  if (!whatIsMissing(project)) return
  if (!isWritable(join(project, 'node_modules'))) {
    throw new HopbenchError('install-failed', {
      why: `${whatIsMissing(project)}, and ${resolve(project)} cannot be written`,
      remedy: 'Run it once as the owner of the folder, or from a clone of your own.'
    })
  }
  await withLock(join(project, '.tools/npm-ci.lock'), async work => {
    const reason = whatIsMissing(project)
    if (!reason) return
    const from = performance.now()
    say(`Installing the npm packages of package-lock.json with npm ci: ${reason}.`)
    await npmCi(project, env, { ...work, limitSeconds })
    say(`Installed in ${Math.round((performance.now() - from) / 1000)} s.`)
    const still = whatIsMissing(project)
    if (still) {
      throw new HopbenchError('install-failed', {
        why: `npm ci ended well, yet ${still}`,
        remedy: 'Delete node_modules and try again.'
      })
    }
  }, { waiting: () => say('Another start is installing the npm packages: waiting for it.') })
}

/** @typedef {Work & { limitSeconds: number }} Limits */

/**
 * @param {string} project
 * @param {NodeJS.ProcessEnv} env
 * @param {Limits} limits
 */
async function npmCi (project, env, limits) {
  // NODE_ENV=production would leave out what npm test needs, and then be found incomplete each time. No package has
  // to run anything.
  const argv = [...findNpm(env), 'ci', '--include=dev', '--include=optional', '--ignore-scripts', '--no-audit',
    '--no-fund', '--no-progress', '--no-update-notifier', '--loglevel=error']
  const { code, output } = await quietly(argv, project, { ...env, ...npmFolders(project, env) }, limits)
  if (code === 0) return
  throw new HopbenchError('install-failed', {
    why: `npm ci ${code === LATE ? `did not end within ${limits.limitSeconds} s` : `ended with ${code}`}`,
    output: npmErrors(output)
  })
}

/**
 * The lines of npm that say what failed: its errors start with it, other output ends with it.
 * @param {string} output
 */
export function npmErrors (output) {
  const lines = output.split('\n').filter(line => line.trim())
  const errors = lines.filter(line => /^npm (error|ERR!)(?!\s+at )/.test(line)).slice(0, 8)
  return (errors.length > 0 ? errors : lines.slice(-8)).join('\n')
}

/**
 * npm and whatever it starts are one group, which ends with the limit, the lock, and this process.
 * @param {string[]} argv
 * @param {string} cwd
 * @param {NodeJS.ProcessEnv} env
 * @param {Limits} limits
 * @returns {Promise<{ code: number | string, output: string }>}
 */
function quietly (argv, cwd, env, { lost, writer, limitSeconds }) {
  return new Promise(resolve => {
    let output = ''
    const child = spawn(argv[0], argv.slice(1), { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    const kill = () => { if (child.pid) killGroup(child.pid) }
    const stop = (/** @type {NodeJS.Signals} */ signal) => process.exit(signal === 'SIGINT' ? 130 : 143)
    let over = false
    const done = (/** @type {number | string} */ code) => {
      if (over) return
      over = true
      process.off('SIGINT', stop).off('SIGTERM', stop).off('exit', kill)
      lost.removeEventListener('abort', end)
      clearTimeout(timer)
      kill()
      writer(null)
      resolve({ code, output })
    }
    // Its pipes may be held by whom no signal reaches: nobody waits for them.
    const end = () => done(LATE)
    const timer = setTimeout(end, limitSeconds * 1000)
    lost.addEventListener('abort', end)
    process.on('SIGINT', stop).on('SIGTERM', stop).on('exit', kill)
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', data => { output += data })
    child.on('error', error => { output += error.message; done('an error') })
    child.on('close', (code, signal) => done(code ?? signal ?? 'an error'))
    writer(child.pid ?? null)
  })
}

function killGroup (/** @type {number} */ pid) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** npm as argv: the one that started us, on PATH, or beside this Node. @throws {HopbenchError} install-failed */
export function findNpm (/** @type {NodeJS.ProcessEnv} */ env) {
  const starter = env.npm_execpath
  if (starter && basename(starter) === 'npm-cli.js' && existsSync(starter)) return [process.execPath, starter]
  const folders = [...(env.PATH ?? '').split(delimiter).filter(Boolean), dirname(process.execPath)]
  const npm = folders.map(folder => join(folder, 'npm')).find(file => existsSync(file))
  if (npm) return [npm]
  throw new HopbenchError('install-failed', {
    why: 'npm is neither on PATH nor beside node',
    remedy: 'Install npm, or run npm ci in the project by other means.'
  })
}

/**
 * Where npm keeps its cache and logs when its own place cannot be written, as under an account whose home does not
 * exist.
 * @returns {Record<string, string>} environment for npm; empty where nothing needs changing
 */
export function npmFolders (/** @type {string} */ project, /** @type {NodeJS.ProcessEnv} */ env) {
  const home = homeFolder(env)
  const cache = env.npm_config_cache ?? (home && join(home, '.npm'))
  if (cache && [cache, join(cache, '_cacache'), join(cache, '_logs')].every(isWritable)) return {}
  const own = join(project, '.tools/npm-cache')
  return { npm_config_cache: own, npm_config_logs_dir: join(own, '_logs') }
}

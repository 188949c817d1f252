/** Finds an engine's program, or another engine if the program is not available. */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { HopbenchError, isHopbenchError } from '../errors.js'
import { startGenerator } from './generator.js'
import { loadPlugin } from '../plan/plugins.js'
import { pythonEnvironment } from '../machine/setup/python.js'
import { findTool, toolVersion } from '../machine/tools.js'

/** @import { EngineAbout, EnginePlugin } from '../types.js' */
/** @import { Engines, FoundEngine } from './types.js' */

/** The engine that replaces the default one if it is too slow: about three times as fast on one core. */
export const FASTER = 'wrk'
/** The engine that comes with the project, and is always available. */
export const DEFAULT = 'autocannon'

/**
 * Returns engines that are found by this function.
 * @param {Engines['find']} find
 * @param {string} [fallback] the engine that replaces another one which is not available
 * @returns {Engines}
 */
export function enginesFrom (find, fallback = DEFAULT) {
  const findFaster = () => find(FASTER).catch(nullWhenMissing)
  return {
    find,
    findFaster,
    async findOrNext (wanted, { insist }) {
      try {
        return { ...await find(wanted), instead: null }
      } catch (error) {
        const { default: { about } } = await loadPlugin('engine', wanted)
        // Another engine would not make users that wait.
        const isReplaceable = !insist && wanted !== fallback && !about.users
        if (!isReplaceable || !isHopbenchError(error)) throw error
        return { ...await findFaster() ?? await find(fallback), instead: { wanted, why: error.message } }
      }
    }
  }
}

/**
 * Finds an engine on this machine.
 * @param {string} name
 * @returns {Promise<FoundEngine>}
 * @throws {HopbenchError} unknown-plugin; tool-missing, python-missing and similar ones: the program is not available
 */
export async function findEngine (name) {
  const found = await findProgram(name)
  const { plugin, program, env } = found
  return { ...found, start: async options => startGenerator({ plugin, program, env }, options) }
}

/**
 * @param {string} name
 * @returns {Promise<Omit<FoundEngine, 'start'>>}
 */
async function findProgram (name) {
  /** @type {{ default: EnginePlugin }} */
  const { default: plugin } = await loadPlugin('engine', name)
  if (plugin.version === 'own') {
    return { name, plugin, program: process.execPath, env: {}, version: process.versions.node }
  }
  if ('npm' in plugin.version) {
    const { version } = createRequire(import.meta.url)(`${plugin.version.npm}/package.json`)
    return { name, plugin, program: fileURLToPath(import.meta.resolve(plugin.version.npm)), env: {}, version }
  }
  const { title, python } = plugin.about
  if (python) return { name, plugin, ...await findPythonProgram(title, python, plugin.version) }
  const tool = await findTool({
    program: plugin.about.program,
    packages: plugin.about.packages ?? { debian: [] },
    install: plugin.about.install
  })
  return {
    name,
    plugin,
    program: tool.path,
    env: tool.env,
    version: await toolVersion(tool.path, plugin.version, tool.env)
  }
}

/**
 * @param {string} title of the engine
 * @param {NonNullable<EngineAbout['python']>} python
 * @param {{ args: string[], parse: (output: string) => string | null }} version
 * @returns {Promise<Pick<FoundEngine, 'program' | 'env' | 'version'>>}
 * @throws {HopbenchError} python-missing, python-without-venv, python-packages-failed, python-environment-broken
 */
async function findPythonProgram (title, { requirements, least }, version) {
  const made = await pythonEnvironment({
    program: title,
    requirements: fileURLToPath(new URL(`generators/${requirements}`, import.meta.url)),
    least
  })
  try {
    return { program: made.python, env: {}, version: await toolVersion(made.python, version) }
  } catch (error) {
    if (!isHopbenchError(error)) throw error
    throw new HopbenchError('python-environment-broken', {
      program: title,
      folder: made.folder,
      output: error.details.output
    }, { cause: error })
  }
}

/** @type {Engines} */
export const localEngines = enginesFrom(findEngine)

/** @param {unknown} error */
function nullWhenMissing (error) {
  if (isHopbenchError(error)) return null
  throw error
}

/** Finds an engine's program, and another one where it is not available. */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { HopbenchError } from '../errors.js'
import { startGenerator } from './generator.js'
import { loadPlugin } from '../plugins.js'
import { pythonEnvironment } from '../machine/setup/python.js'
import { findTool, toolVersion } from '../machine/tools.js'

/** @import { EngineAbout, EnginePlugin } from '../types.js' @import * as Shapes from './shapes.js' */

/** The engine that takes over from the default one: about three times as fast on one core. */
export const FASTER = 'wrk'
/** Comes with the project: it is always there. */
export const DEFAULT = 'autocannon'

/** @typedef {Shapes.FoundEngine} FoundEngine */
/** @typedef {Shapes.Engines} Engines */

/** @param {Engines['find']} find @returns {Engines} */
export function enginesFrom (find) {
  const findFaster = () => find(FASTER).catch(nullWhenMissing)
  return {
    find,
    findFaster,
    async findOrNext (wanted, { insist }) {
      try {
        return { ...await find(wanted), instead: null }
      } catch (error) {
        // No other engine makes users that wait.
        const { default: { about } } = await loadPlugin('engine', wanted)
        if (insist || !(error instanceof HopbenchError) || wanted === DEFAULT || about.users ||
          error.code === 'host-lost') throw error
        return { ...await findFaster() ?? await find(DEFAULT), instead: { wanted, why: error.message } }
      }
    }
  }
}

/** On this machine. @param {string} name @returns {Promise<FoundEngine>}
 * @throws {HopbenchError} unknown-plugin; tool-missing, python-missing and the like: the program is not available
 */
export async function findEngine (name) {
  const found = await locate(name)
  const { plugin, program, env } = found
  return { ...found, start: async order => startGenerator({ plugin, program, env }, order) }
}

/** @param {string} name @returns {Promise<Omit<FoundEngine, 'start'>>} */
async function locate (name) {
  const { default: plugin } = /** @type {{ default: EnginePlugin }} */ (await loadPlugin('engine', name))
  if (plugin.version === 'own') {
    return { name, plugin, program: process.execPath, env: {}, version: process.versions.node }
  }
  if ('npm' in plugin.version) {
    const { version } = createRequire(import.meta.url)(`${plugin.version.npm}/package.json`)
    return { name, plugin, program: fileURLToPath(import.meta.resolve(plugin.version.npm)), env: {}, version }
  }
  if (plugin.about.python) return { name, plugin, ...await fromPython(plugin.about, plugin.version) }
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

/** @param {EngineAbout} about @param {{ args: string[], parse: (output: string) => string | null }} version
 * @returns {Promise<Pick<FoundEngine, 'program' | 'env' | 'version'>>}
 * @throws {HopbenchError} python-missing, python-without-venv, python-packages-failed, python-environment-broken */
async function fromPython ({ title, python }, version) {
  const { requirements, least } = /** @type {NonNullable<typeof python>} */ (python)
  const made = await pythonEnvironment({
    program: title,
    requirements: fileURLToPath(new URL(`generators/${requirements}`, import.meta.url)),
    least
  })
  try {
    return { program: made.python, env: {}, version: await toolVersion(made.python, version) }
  } catch (error) {
    if (!(error instanceof HopbenchError)) throw error
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
  if (error instanceof HopbenchError) return null
  throw error
}

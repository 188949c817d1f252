/** Finds the loadable modules of a program such as Apache. */
import { join } from 'node:path'
import { run } from '../process.js'
import { listNames } from '../files/system-files.js'

/**
 * @import { Modules, ProxyPlugin } from '../../types.js'
 * @import { Tool } from '../types.js'
 */

/**
 * @param {ProxyPlugin} plugin
 * @param {Tool} tool
 * @returns {Promise<Modules | null>} null: the program has none
 */
export async function findModules ({ modules }, tool) {
  if (!modules) return null
  const { stdout } = await run([tool.path, ...modules.builtIn.args], { env: tool.env })
  const listModules = (/** @type {string} */ folder) =>
    listNames(join(tool.root, folder)).filter(file => file.endsWith('.so'))
  const found = modules.folders.map(folder => ({ folder, files: listModules(folder) }))
    .find(({ files }) => files.length > 0)
  return {
    folder: found ? join(tool.root, found.folder) : null,
    installed: join('/', found?.folder ?? modules.folders[0]),
    files: found?.files ?? [],
    builtIn: modules.builtIn.parse(stdout)
  }
}

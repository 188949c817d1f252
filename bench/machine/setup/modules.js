/** Finds the loadable modules of a program such as Apache. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../process.js'

/**
 * @import { Modules, ProxyPlugin } from '../../types.js'
 * @import { Tool } from '../shapes.js'
 */

/**
 * @param {ProxyPlugin} plugin
 * @param {Tool} tool
 * @returns {Promise<Modules | null>} null: the program has none
 */
export async function findModules ({ modules }, tool) {
  if (!modules) return null
  const { stdout } = await run([tool.path, ...modules.builtIn.args], { env: tool.env })
  const found = modules.folders.map(folder => ({ folder, files: listOf(join(tool.root, folder)) }))
    .find(({ files }) => files.length > 0)
  return {
    folder: found ? join(tool.root, found.folder) : null,
    installed: join('/', found?.folder ?? modules.folders[0]),
    files: found?.files ?? [],
    builtIn: modules.builtIn.parse(stdout)
  }
}

function listOf (/** @type {string} */ folder) {
  try {
    return readdirSync(folder).filter(file => file.endsWith('.so'))
  } catch {
    return []
  }
}

/** Selects the build of a proxy's program: the usual one, or one with modules from other packages. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { locateTool } from '../machine/tools.js'

/** @import { Tool, ToolSpec } from '../machine/shapes.js' */
/** @import { Arm, Modules, ProxyPlugin, ProxyVariant } from '../types.js' */

/**
 * Returns the variant that any arm needs. All arms use it, because their programs must not differ.
 * @param {string} name of the proxy
 * @param {ProxyPlugin} plugin
 * @param {Pick<Arm, 'topology'>[]} arms
 * @returns {ProxyVariant | null}
 */
export const variantFor = (name, plugin, arms) =>
  arms.flatMap(({ topology: { proxy, server } }) => [proxy, server])
    .map(hop => hop?.name === name ? plugin.variant?.(hop.options) ?? null : null).find(Boolean) ?? null

/**
 * @param {ProxyPlugin} plugin
 * @param {ProxyVariant | null} variant
 * @returns {ToolSpec}
 */
export function getOptionSpec ({ about: { program, packages } }, variant) {
  const usual = locateTool({ program, packages })
  if (!variant || (usual && variant.files.every(file => existsSync(join(usual.root, variant.folder, file))))) {
    return { program, packages }
  }
  return { program: variant.program, packages: variant.packages, inside: variant.inside }
}

/**
 * @param {ProxyVariant} variant
 * @param {Tool} tool
 * @returns {Modules}
 */
export const modulesOfVariant = ({ folder, files }, tool) =>
  ({ folder: join(tool.root, folder), installed: join('/', folder), files, builtIn: [] })

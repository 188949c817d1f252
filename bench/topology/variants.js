/** Selects the build of a proxy's program: the usual one, or one with modules from other packages. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { locateTool } from '../machine/tools.js'
import { print } from '../plan/spec.js'
import { getProgramKey } from '../shared/releases.js'
import { hasProxyOrigin } from './proxy-origin.js'

/** @import { Tool, ToolSpec } from '../machine/types.js' */
/** @import { Arm, Modules, OptionValue, ProxyPlugin, ProxyVariant } from '../types.js' */

/**
 * Returns the variant that any arm needs. All arms use it, because their programs must not differ.
 * @param {string} key of the program, as getProgramKey returns it
 * @param {ProxyPlugin} plugin
 * @param {Pick<Arm, 'topology'>[]} arms
 * @returns {ProxyVariant | null}
 */
export const variantFor = (key, plugin, arms) =>
  arms.flatMap(({ topology: { proxy, server } }) => [proxy, server])
    .map(hop => hop && getProgramKey(hop) === key ? plugin.variant?.(hop.options) ?? null : null).find(Boolean) ?? null

/**
 * @param {ProxyPlugin} plugin
 * @param {ProxyVariant | null} variant
 * @param {string} [release] value of the option; left out: the installed program
 * @returns {ToolSpec}
 */
export function getOptionSpec ({ about: { program, packages, wheel } }, variant, release) {
  if (release !== undefined) {
    const { inside, ...spec } = variant ?? { program, packages, inside: undefined }
    return { program: spec.program, packages: spec.packages, inside, release }
  }
  const usual = { program, packages, ...wheel && { wheel } }
  const here = locateTool(usual)
  if (!variant || (here && variant.files.every(file => existsSync(join(here.root, variant.folder, file))))) return usual
  return { program: variant.program, packages: variant.packages, inside: variant.inside }
}

/**
 * @param {ProxyVariant} variant
 * @param {Tool} tool
 * @returns {Modules}
 */
export const modulesOfVariant = ({ folder, files }, tool) =>
  ({ folder: join(tool.root, folder), installed: join('/', folder), files, builtIn: [] })

/**
 * Returns an arm whose proxies have the programs of a release, unless they name one themselves.
 * @template {Pick<Arm, 'topology' | 'spec'>} T
 * @param {T} arm
 * @param {string} release
 * @returns {T}
 */
export function withRelease (arm, release) {
  const { topology } = arm
  const { proxy, server } = topology
  const hasOrigin = hasProxyOrigin(topology)
  if (!proxy && !hasOrigin) return arm
  const add = (/** @type {Record<string, OptionValue>} */ options) => ({ release, ...options })
  const changed = {
    ...topology,
    proxy: proxy && { ...proxy, options: add(proxy.options) },
    server: hasOrigin && server ? { ...server, options: add(server.options) } : server
  }
  return { ...arm, topology: changed, spec: print(changed) }
}

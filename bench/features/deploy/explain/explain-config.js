/** Compares the measured configuration of a topology with the recommended one, directive by directive. */
import { compareDirectives, readArguments, readDirectives } from './config-directives.js'
import { getProgramKey } from '../../../shared/releases.js'
import { describeAtHome } from '../../../topology/describe/recommended-config.js'

/** @import { ConfigChange, ConfigDifference, ConfigExplanation } from '../types.js' */
/** @import { ProxyDescription } from '../../../types.js' */
/** @import { ProxyPlugin, ProxyProgram, Topology } from '../../../types.js' */

/**
 * Renders both configurations for the same server, and explains where they differ.
 * @param {Topology} topology
 * @param {{ clients: number, programs: Map<string, ProxyProgram> }} options
 * @returns {ConfigExplanation[]} of the proxy, and of a proxy in the server's place
 * @throws {HopbenchError} bad-option
 */
export function explainConfig (topology, { clients, programs }) {
  // Modules are looked up where a package installs them, so that their folders on this machine are no difference.
  const installed = new Map([...programs].map(([name, program]) => [name, {
    ...program, modules: program.modules && { ...program.modules, folder: program.modules.installed }
  }]))
  const measured = describeAtHome(topology, { clients, programs: installed }, 'measure')
  const recommended = describeAtHome(topology, { clients, programs: installed }, 'home')
  const { proxy, server } = topology
  const explain = (/** @type {Topology['proxy' | 'server']} */ hop, /** @type {'proxy' | 'origin'} */ role) => {
    const plugin = hop && installed.get(getProgramKey(hop))?.plugin
    const [before, after] = [measured[role], recommended[role]]
    if (!plugin?.explain || !before || !after) return []
    return [{ title: plugin.about.title, differences: toDifferences(plugin.explain, before, after) }]
  }
  return [...explain(proxy, 'proxy'), ...explain(server, 'origin')]
}

/**
 * @param {NonNullable<ProxyPlugin['explain']>} explain
 * @param {ProxyDescription} measured
 * @param {ProxyDescription} recommended
 * @returns {ConfigDifference[]}
 */
function toDifferences ({ syntax, reasons }, measured, recommended) {
  const changes = [
    ...Object.entries(syntax).flatMap(([file, kind]) => compareDirectives(
      readDirectives(measured.files[file] ?? '', kind), readDirectives(recommended.files[file] ?? '', kind))),
    ...compareDirectives(readArguments(measured.argv), readArguments(recommended.argv))
  ]
  /** @type {Map<string, ConfigChange[]>} */
  const byName = new Map()
  for (const change of changes) {
    const name = findName(change.text, reasons) ?? change.text
    byName.set(name, [...byName.get(name) ?? [], change])
  }
  return [...byName].map(([name, all]) => ({
    name,
    measured: all.filter(({ only }) => only === 'measured').map(({ text }) => text),
    recommended: all.filter(({ only }) => only === 'recommended').map(({ text }) => text),
    reason: reasons[name] ?? null
  }))
}

/**
 * Returns the longest name in the reasons with which a directive begins.
 * @param {string} text
 * @param {Record<string, string>} reasons
 * @returns {string | null}
 */
const findName = (text, reasons) =>
  Object.keys(reasons).filter(name => text.startsWith(name) && !/^[\w-]/.test(text.slice(name.length)))
    .sort((a, b) => b.length - a.length)[0] ?? null

/** Brings what a run needs on this machine, before its wall time begins, and removes what earlier ones have left. */
import { findEngine } from '../../load/find-engine.js'
import { findTools } from '../../machine/tools.js'
import { loadPlugin, PROJECT } from '../../plugins.js'
import { holdFolder, sweepLeftovers } from './leftovers.js'

/** @import { HopbenchError } from '../../errors.js' @import { Needs } from './types.js' */

/** @param {Needs} needs @throws {HopbenchError} tool-missing and its like */
export async function prepareTools ({ proxies, engines }) {
  holdFolder(PROJECT)
  sweepLeftovers(PROJECT)
  const plugins = await Promise.all(proxies.map(name => loadPlugin('proxy', name)))
  await findTools(plugins.map(({ default: { about: { program, packages } } }) => ({ program, packages })))
  for (const name of engines) await findEngine(name)
}

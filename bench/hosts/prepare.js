/** Brings what a run needs on this machine, before its wall time begins. */
import { findEngine } from '../find-engine.js'
import { loadPlugin } from '../plugins.js'
import { findTools } from '../tools.js'

/**
 * @param {{ proxies: string[], engines: string[] }} names
 * @throws {import('../errors.js').HopbenchError} tool-missing and its like
 */
export async function prepareTools ({ proxies, engines }) {
  const plugins = await Promise.all(proxies.map(name => loadPlugin('proxy', name)))
  await findTools(plugins.map(({ default: { about: { program, packages } } }) => ({ program, packages })))
  for (const name of engines) await findEngine(name)
}

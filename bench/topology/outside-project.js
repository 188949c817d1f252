/** Whether the server that a stored run names is the project's own code or not (pure). */
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { isPath } from '../plan/word.js'

const PLUGIN = /^[a-z][a-z0-9_-]*$/ // A plug-in's name, as the grammar of words has it: one file of servers/ or proxy/.
/** Folders of the project that hold what came from elsewhere: a run that was downloaded may bring a module along. */
const FOREIGN = ['results', 'node_modules', '.tools']

/** Links are not followed: ask with a path that has none. @param {string} name of a topology's server
 * @param {{ cwd: string, project: string }} where what the name is relative to; the project's folder; absolute both */
export function leadsOutside (name, { cwd, project }) {
  if (PLUGIN.test(name)) return false
  // Neither a path nor a plug-in's name: no word says it.
  if (!isPath(name) || /\p{Cc}/u.test(name)) return true
  const inside = relative(project, resolve(cwd, name))
  return isAbsolute(inside) || ['', '..', ...FOREIGN].includes(inside.split(sep)[0])
}

/**
 * Foreign plans: those of runs that this account has not made on this machine. All texts of a foreign run are data. The
 * code that it names is printed as its statement, in quotes and in no command (pure).
 */
import { withoutControls } from '../errors.js'
import { listing } from '../shared/format.js'
import { isPath, parse } from './spec.js'

/** @import { Plan, Topology } from '../types.js' */

/** @typedef {{ spec: string, topology: Pick<Topology, 'server' | 'url' | 'files'> }} NamedTopology */

/** Name of the mark. A symbol, because no file contains or removes one, and copies of the plan keep it. */
const FOREIGN = Symbol.for('hopbench.foreign')
const MARK = { [FOREIGN]: true }

/**
 * Returns a plan with the mark of a foreign one.
 * @param {Plan} plan
 * @returns {Plan}
 */
export const asForeign = plan => ({ ...plan, ...MARK })

/** Returns whether a plan has the mark of a foreign one. @param {Plan} plan */
export const isForeign = plan => FOREIGN in plan

/** Quotes a text that is printed as data. @param {string} text */
export const quoteData = text => JSON.stringify(withoutControls(text))

/**
 * Describes the code and the folders that arms name and that are no part of hopbench, as the end of a sentence.
 * @param {NamedTopology[]} arms
 * @param {string} [root] folder that servers of static files serve
 * @returns {string | null} null: there are none
 */
export function stateCode (arms, root) {
  // A record can state a spec and a topology that differ.
  const topologies = arms.flatMap(({ spec, topology }) => [topology, parse(spec)])
  const programs = [...new Set(topologies.flatMap(findPrograms))]
  const folders = [...new Set([...root === undefined ? [] : [root], ...topologies.flatMap(findFolders)])]
  const statements = [
    ...programs.length > 0 ? [`started ${listing(programs.map(quoteData))}`] : [],
    ...folders.length > 0 ? [`served the files in ${listing(folders.map(quoteData))}`] : []
  ]
  return statements.length === 0 ? null : `states that it ${listing(statements)}`
}

/**
 * Returns the command, the module or the address of an app.
 * @param {NamedTopology['topology']} topology
 * @returns {string[]} one at most
 */
function findPrograms ({ server, url }) {
  if (server?.command) return [server.command.run]
  if (server && isPath(server.name)) return [server.name]
  return url === undefined ? [] : [url]
}

/**
 * Returns the folders of files. Those of a built-in server are below the files of hopbench, and are left out.
 * @param {NamedTopology['topology']} topology
 */
const findFolders = ({ files = [] }) => files.map(({ folder }) => folder)
  .filter(folder => folder.startsWith('/') || folder.split('/').includes('..'))

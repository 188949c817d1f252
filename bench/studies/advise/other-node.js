/** Starts the app under another line of Node, which hopbench keeps in its cache. */
import { dirname } from 'node:path'
import { shellWord } from '../../errors.js'
import { findRuntime } from '../../machine/setup/runtime.js'
import { OTHER_NODE } from '../../plan/changed-spec.js'
import { runtimes } from '../../plan/runtimes.js'

/** @import { HopbenchError } from '../../errors.js' */

/**
 * Returns the options that start the app under the line of Node for production. That Node precedes the one on PATH, so
 * that npm and its scripts use it, too.
 *
 * @param {number} line
 * @param {string} run command of the app
 * @param {(line: string) => void} say prints that Node is fetched
 * @returns {Promise<string[]>}
 * @throws {HopbenchError} those of fetching a runtime
 */
export async function toOtherNode (line, run, say) {
  const name = `node-${line}`
  const { program } = await findRuntime(name, runtimes[name], { say })
  return ['--app', `${OTHER_NODE}=export PATH=${shellWord(dirname(program))}:"$PATH"; ${run}`]
}

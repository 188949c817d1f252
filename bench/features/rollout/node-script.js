/** Finds the Node script of a command, for ways in which node:cluster starts it, and a link that leads to its build. */
import { renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { readManifest } from '../../request/project-paths.js'
import { listStarted } from '../deploy/index.js'

/** @import { Build } from './types.js' */

/** @typedef {{ nodeArgs: string[], script: string, args: string[], env: Record<string, string> }} NodeScript */

/**
 * Returns the script that a build's command starts under Node.
 * @param {Build} build
 * @returns {NodeScript | null} null: the command starts something else, or several programs
 */
export function findNodeScript ({ start, folder }) {
  const [started, ...others] = listStarted(start, readManifest(folder))
  if (!started) return null
  const { program, args, env, inherited, isBackground } = started
  const at = args.findIndex(word => !word.startsWith('-'))
  if (others.length > 0 || program !== 'node' || isBackground || at === -1) return null
  return { nodeArgs: args.slice(0, at), script: args[at], args: args.slice(at + 1), env: { ...inherited, ...env } }
}

/**
 * Returns why a way that starts scripts in node:cluster cannot replace builds.
 * @param {{ old: Build, new: Build }} builds
 * @returns {Promise<string | null>} null: it can
 */
export async function findOtherCommand ({ old, new: next }) {
  const other = [old, next].find(build => findNodeScript(build) === null)
  if (other) return `"${other.start}" is not the start of one script by node`
  const [first, second] = [old, next].map(build => JSON.stringify(findNodeScript(build)))
  return first === second ? null : 'both builds start different scripts'
}

/**
 * Lets the link "current" lead to a build, as tools of deployments do, at once.
 * @param {string} dir of the link
 * @param {Build} build
 * @returns {string} path of the link
 */
export function linkCurrent (dir, { folder }) {
  const link = join(dir, 'current')
  symlinkSync(folder, `${link}.new`)
  renameSync(`${link}.new`, link)
  return link
}

/** The way in which hopbench is started here, for commands that are printed to be copied. */
import { resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { callerCwd } from './caller-cwd.js'
import { shellWord } from '../errors.js'
import { withOwnCommand } from '../shared/commands.js'
import { isWithin } from '../shared/paths.js'

const PROJECT = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Returns the words that start hopbench from the folder in which it was started.
 *
 * @param {{ project?: string, cwd?: string }} [options] project: folder of hopbench; cwd: where it was started
 * @returns {string} `npx hopbench` where it is installed, `npm run hopbench --` in a clone, otherwise its path
 */
export function ownCommand ({ project = PROJECT, cwd = callerCwd() } = {}) {
  if (project.includes(`${sep}node_modules${sep}`)) return 'npx hopbench'
  if (isWithin(resolve(project), resolve(cwd))) return 'npm run hopbench --'
  return `node ${shellWord(`${project}bench/bootstrap.js`)}`
}

/** Replaces the commands of hopbench in a text by those that work here. @param {string} text */
export const inOwnWords = text => withOwnCommand(text, ownCommand())

/** The way in which hopbench is started here, for commands that are printed to be copied. */
import { basename, delimiter, dirname, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { callerCwd } from './caller-cwd.js'
import { shellWord } from '../errors.js'
import { ANYWHERE, IN_CLONE, withOwnCommand } from '../shared/commands.js'
import { isWithin } from '../shared/paths.js'
import { textWithoutSecrets } from '../shared/secrets.js'

const PROJECT = fileURLToPath(new URL('../../', import.meta.url))
/** Variable with the name or path by which a shell started hopbench, for the processes that this one starts. */
const STARTED_BY = 'HOPBENCH_STARTED_BY'

/**
 * Returns the words that start hopbench from the folder in which it was started.
 *
 * @param {{ project?: string, cwd?: string, env?: NodeJS.ProcessEnv }} [options] project: folder of hopbench; cwd:
 * folder in which it was started
 * @returns {string} `hopbench` if it was started by this name, `npm run hopbench --` in a clone, otherwise a path
 */
export function ownCommand ({ project = PROJECT, cwd = callerCwd(), env = process.env } = {}) {
  if (env[STARTED_BY]) return env[STARTED_BY]
  if (isWithin(resolve(project), resolve(cwd))) return IN_CLONE
  return `node ${shellWord(`${project}bench/bootstrap.js`)}`
}

/**
 * Keeps the name by which a shell started hopbench: that of a link to bench/bootstrap.js.
 *
 * @param {string} program path, as in argv
 * @param {NodeJS.ProcessEnv} [env]
 */
export function keepOwnName (program, env = process.env) {
  if (basename(program) !== 'hopbench') return
  env[STARTED_BY] = isOnPath(dirname(program), env) ? ANYWHERE : shellWord(program)
}

/**
 * Whether a shell finds the programs of a folder. npm adds node_modules/.bin to PATH only for the programs it starts.
 *
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 */
const isOnPath = (folder, { PATH = '' }) =>
  PATH.split(delimiter).includes(folder) && !folder.endsWith(`node_modules${sep}.bin`)

/** Options that a command takes once. */
const ONCE = ['--path', '--ready-within', '--listen', '--results']

/**
 * Returns the typed command with one option more.
 *
 * @param {string[]} argv as typed, without node and the script
 * @param {{ add?: string[] }} remedy of an error
 * @returns {string | null} for a shell, secrets excluded; null: the remedy has no option
 */
export function repeatWith (argv, { add = [] }) {
  if (add.length === 0) return null
  const [option] = add
  const isReplaced = (/** @type {string | undefined} */ word) => ONCE.includes(option) && word === option
  const typed = argv.filter((word, i) => !isReplaced(word) && !isReplaced(argv[i - 1]) &&
    !(ONCE.includes(option) && word.startsWith(`${option}=`)) && !(option === '--no-lab' && word === '--lab'))
  // up has no private network by default.
  const added = option === '--no-lab' && typed.length < argv.length ? [] : add
  const words = [...typed.map(word => textWithoutSecrets(word)), ...added].map(shellWord)
  return `${ownCommand()} ${words.join(' ')}`
}

/** Replaces the commands of hopbench in a text by those that work here. @param {string} text */
export const inOwnWords = text => withOwnCommand(text, ownCommand())

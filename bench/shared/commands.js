/** Commands that are printed to be copied (pure). */

/** @import { AppCommand, Topology } from '../types.js' */

/** Beginning of hopbench's own commands in records and texts. It is right in a clone. */
export const IN_CLONE = 'npm run hopbench --'
/** Beginning of hopbench's own commands on pages, which are read anywhere. */
export const ANYWHERE = 'hopbench'

/** A run or its folder as `shellWord` prints it, without control characters and quotes. */
const RUN = /[\w./-]+|'[^'\p{C}\p{Zl}\p{Zp}]+'/u.source
/** Options with secrets, which a resumed run takes again. "…" replaces the secret. */
const AGAIN = "( --header …| --header '[\\w-]+: …'| --body-file …| --path …| --app '[a-z][\\w-]*=…')*"

/** All commands that a record can hold. */
const SUGGESTED = new RegExp('^(' + [
  'npm run hopbench -- check( [a-z][a-z0-9_-]*)+',
  `npm run hopbench -- run --resume (${RUN})${AGAIN}`,
  'npm run hopbench -- config \\./static-server\\.mjs --target docker',
  'npm run hopbench -- doctor',
  'cpupower frequency-set -g performance',
  String.raw`ulimit -n \d+`
].join('|') + ')$', 'u')

/**
 * Returns whether a command of a record is one that hopbench suggests. A record can come from a stranger, and a reader
 * copies what is printed as a command.
 *
 * @param {string} command
 */
export const isSuggested = command => SUGGESTED.test(command)

/**
 * Replaces the beginning of hopbench's own commands in a text.
 *
 * @param {string} text
 * @param {string} [own] words that start hopbench (default: for a page)
 */
export const withOwnCommand = (text, own = ANYWHERE) => text.replaceAll(IN_CLONE, own)

/**
 * Returns an option as it is typed.
 *
 * @param {string} name of its value in the options of a command, as in maxRps
 */
export const toOption = name => `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`

/** @type {Record<string, string>} */
const LISTEN = { tcp: '$PORT', unix: '$SOCKET' }

/** Returns where an app listens, as --listen takes it. @param {AppCommand['listen']} listen */
export const printListen = listen => listen.map(way => LISTEN[way] ?? String(way)).join(',')

/**
 * Returns the options that start an app again: --app, and --listen unless the app listens on $PORT.
 *
 * @param {string} name of the app in topologies
 * @param {AppCommand} command
 * @returns {string[]} words without quotes
 */
export function toAppOptions (name, { run, listen }) {
  const ways = printListen(listen)
  return ['--app', name === 'app' ? run : `${name}=${run}`, ...ways === LISTEN.tcp ? [] : ['--listen', ways]]
}

/**
 * Returns the options that name the folders of files of an app. Those of a built-in server are relative, and known.
 *
 * @param {Pick<Topology, 'files'>} topology
 * @returns {string[]} words without quotes
 */
export const toFilesOptions = ({ files = [] }) =>
  files.flatMap(({ prefix, folder }) => folder.startsWith('/') ? ['--files', `${prefix || '/'}=${folder}`] : [])

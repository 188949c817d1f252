/** Options that several commands have. */
import { badOption } from '../../errors.js'
import { WARM_UP_SECONDS } from '../../plan/targets.js'
import { IGNORE_HIDDEN } from '../../studies/own-prefixes.js'
import { oneOf, release, seconds, seed } from './option-values.js'

/** @import { Command } from 'commander' */
/** @import { HopbenchError } from '../../errors.js' */

/** @type {[flags: string, description: string]} */
export const RESULTS = ['-o, --results <folder>', 'folder of runs (default: ./results)']
/** @type {[flags: string, description: string]} */
export const NO_LAB = ['--no-lab', "use the host's loopback instead of private networks"]
/** @type {[flags: string, description: string]} */
export const NO_WAIT = ['--no-wait', 'fail if another hopbench is measuring on this machine, instead of waiting']
/** @type {[flags: string, description: string]} */
export const DETAILS = ['--details', 'print everything: claims, starts, intervals, conditions, response times']
/** @type {[flags: string, description: string]} */
export const JSON_RECORD = ['--json', 'print the record as JSON; progress goes to stderr']
/** @type {[flags: string, description: string, parse: (text: string) => number]} */
export const SEED = ['--seed <number>', 'seed of the random order and of the load', seed('--seed')]

/** @type {[flags: string, description: string, parse: (text: string) => number]} */
export const WARM_UP = ['--warm-up <time>',
  'longest warm-up of a topology, which ends by itself when the CPU time per request no longer falls ' +
  `(default: ${WARM_UP_SECONDS.full}s; with --quick ${WARM_UP_SECONDS.quick}s)`, seconds('--warm-up')]

/** @type {[flags: string, description: string]} */
export const OWN_NODE = ['--own-node',
  'run built-in servers under the Node that runs hopbench, even past its end of life (default there: the current LTS)']

/** @type {[flags: string, description: string, parse: (text: string) => string]} */
export const RELEASE = ['--release <name>',
  'Debian release, or version, of all proxies: bookworm, trixie, trixie-backports, sid; current: the newest version ' +
  'of each (default: the installed programs)', release('--release')]

/**
 * Collects the values of an option that can be repeated.
 *
 * @param {string} value
 * @param {string[]} [earlier]
 */
export const collect = (value, earlier = []) => [...earlier, value]

/**
 * Rejects a second --path, because only the last one would be requested.
 *
 * @param {string} path
 * @param {string} [earlier]
 * @returns {string}
 * @throws {HopbenchError} bad-option
 */
export function onlyPath (path, earlier) {
  if (earlier === undefined) return path
  throw badOption('--path', path, `it follows --path ${earlier}, and one path is requested`,
    'Write several paths into a file, one per line, and name it with --paths.')
}

const ONE_APP = "command that starts your app, called app in topologies: 'node dist/main.js'"
const SEVERAL_APPS = `${ONE_APP}; can be repeated with names: --app old='node old.js' --app new='node new.js'`

/**
 * Adds the options that start apps of your own.
 *
 * @param {Command} command
 * @param {{ isSingle?: boolean }} [options] isSingle: whether the command takes one app only
 * @returns {Command}
 */
export const appOptions = (command, { isSingle = false } = {}) => command
  .option('--app <command>', isSingle ? ONE_APP : SEVERAL_APPS, collect)
  .option('--listen <addresses>', "with --app: '$PORT', '$SOCKET', '$PORT,$SOCKET' or a port (default: '$PORT')")
  .option('--ready-within <time>', 'with --app: time limit for its first response (default: 60s)',
    seconds('--ready-within'))
  .option('--quiet-app', 'with --app: discard its output, in place of keeping it with the run')
  .option('--files <prefix=folder>', 'paths of your app that are files, as in /assets=./public; can be repeated; a ' +
    'proxy with +static serves them itself', collect)
  .option('--files-hidden <ignore>', 'ignore: a folder of --files may hold hidden files, which no proxy serves',
    oneOf('--files-hidden', [IGNORE_HIDDEN]))

/**
 * Adds the options about an app: how it is started, and the requests it gets.
 *
 * @param {Command} command
 * @returns {Command}
 */
export const requestOptions = command => contentOptions(appOptions(command)
  .option('--path <path>', 'path to request, as in /api/items (default: /)', onlyPath))

/**
 * Adds the options that name several requests to an app.
 *
 * @param {Command} command
 * @returns {Command}
 */
export const mixOptions = command => command
  .option('--paths <file>', 'with your app: paths to request, one per line, or an access log')
  .option('--har <file>', 'with your app: the GET requests of a page, as browsers save them')
  .option('--har-methods <list>', 'with --har: methods to repeat besides GET, as in POST,PUT')

/**
 * Adds the options about the content of requests and responses.
 *
 * @param {Command} command
 * @returns {Command}
 */
export const contentOptions = command => command
  .option('--method <method>', 'method of the requests (default: GET, with a body POST)')
  .option('--header <header>', "header of the requests: 'Accept: text/html'; can be repeated; secrets are not stored",
    collect)
  .option('--body <text>', 'body of the requests')
  .option('--body-file <file>', 'file with the body of the requests')
  .option('--ignore-body <regex>', 'pattern of varying parts of responses, which are removed before the comparison')
  .option('--compare <parts>', 'compare status, length, or status,length of responses instead of all bytes')

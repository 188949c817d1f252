/** Options that several commands have. */
import { badOption } from '../errors.js'
import { WARM_UP_SECONDS } from '../plan/targets.js'
import { IGNORE_HIDDEN } from './user-prefixes.js'
import { oneOf, release, seconds, seed } from './option-values.js'

/** @import { Command } from 'commander' */
/** @import { HopbenchError } from '../errors.js' */

/** @type {[flags: string, description: string]} */
export const RESULTS = ['-o, --results <folder>', 'folder of runs (default: ./results)']
/** @type {[flags: string, description: string]} */
export const NO_LAB = ['--no-lab', "use the host's loopback instead of private networks"]
/** @type {[flags: string, description: string]} */
export const NO_WAIT = ['--no-wait', 'fail if another hopbench is measuring, instead of waiting']
/** @type {[flags: string, description: string]} */
export const DETAILS = ['--details', 'also print claims, starts, conditions and response times']
/** @type {[flags: string, description: string]} */
export const JSON_RECORD = ['--json', 'print JSON']
/** @type {[flags: string, description: string, parse: (text: string) => number]} */
export const SEED = ['--seed <number>', 'seed of the random order and of the load', seed('--seed')]

/** @type {[flags: string, description: string, parse: (text: string) => number]} */
export const WARM_UP = ['--warm-up <time>',
  'limit of the warm-up, which ends at the steady state ' +
  `(default: ${WARM_UP_SECONDS.full}s; with --quick ${WARM_UP_SECONDS.quick}s)`, seconds('--warm-up')]

/** @type {[flags: string, description: string]} */
export const OWN_NODE = ['--own-node',
  'run built-in servers under this Node, even past its end of life (default there: the current LTS)']

/** @type {[flags: string, description: string, parse: (text: string) => string]} */
export const RELEASE = ['--release <name>',
  'Debian release of all proxies (bookworm, trixie, trixie-backports, sid), a version, or current: the newest ' +
  '(default: the installed programs)', release('--release')]

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

const ONE_APP = "command that starts your app, named app in topologies: 'node dist/main.js'"
const SEVERAL_APPS = `${ONE_APP}; several with names: --app old='node old.js'`

/**
 * Adds the options that start apps of your own.
 *
 * @param {Command} command
 * @param {{ isSingle?: boolean }} [options] isSingle: whether the command takes one app only
 * @returns {Command}
 */
export const appOptions = (command, { isSingle = false } = {}) => command
  .option('--app <command>', isSingle ? ONE_APP : SEVERAL_APPS, collect)
  .option('--listen <addresses>', "'$PORT', '$SOCKET', '$PORT,$SOCKET' or a port (default: '$PORT')")
  .option('--ready-within <time>', 'time limit for its first response (default: 60s)', seconds('--ready-within'))
  .option('--quiet-app', 'discard its output')
  .option('--files <prefix=folder>', 'paths of your app that are files, as in /assets=./public; can be repeated',
    collect)
  .option('--files-hidden <ignore>', 'ignore: allow hidden files in --files, which no proxy serves',
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
  .option('--paths <file>', 'paths to request, one per line, or an access log')
  .option('--log-format <format>', 'log_format of nginx, for --paths')
  .option('--har <file>', 'the GET requests of a page, as browsers save them')
  .option('--har-origin <url>', 'host in --har to request (default: that of most pages)')
  .option('--har-methods <list>', 'methods of --har besides GET, as in POST,PUT')

/**
 * Adds the options about the content of requests and responses.
 *
 * @param {Command} command
 * @returns {Command}
 */
export const contentOptions = command => command
  .option('--method <method>', 'method of the requests (default: GET, with a body POST)')
  .option('--header <header>', "header of the requests: 'Accept: text/html'; can be repeated", collect)
  .option('--body <text>', 'body of the requests')
  .option('--body-file <file>', 'file with the body of the requests')
  .option('--ignore-body <regex>', 'pattern of varying parts of responses, which are not compared')
  .option('--compare <parts>', 'parts of responses to compare: status, length, or status,length (default: all bytes)')

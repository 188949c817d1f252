/** Options about an app of your own: how it is started, and what is requested. */
import { seconds } from './option-values.js'

/** @import { Command } from 'commander' */

/**
 * @param {string} value
 * @param {string[]} [before]
 */
export const more = (value, before = []) => [...before, value]

/**
 * @param {Command} command
 * @returns {Command}
 */
export const requestOptions = command => command
  .option('--app <command>', "what starts your app, called app in topologies: 'node dist/main.js'")
  .option('--listen <where>', "with --app: '$PORT', '$SOCKET', '$PORT,$SOCKET' or a port (default: '$PORT')")
  .option('--ready-within <time>', 'with --app: until it answers (default: 60s)', seconds('--ready-within'))
  .option('--path <path>', 'what is requested, for an app of your own, as in /api/items (default: /)')
  .option('--method <method>', 'of the requests (default: GET, with a body POST)')
  .option('--header <header>', "of the requests, once for each: 'Accept: text/html'; secrets are not stored", more)
  .option('--body <text>', 'what each request carries')
  .option('--body-file <file>', 'the same, from a file')
  .option('--ignore-body <regex>', 'what varies in answers by nature: cut out before they are compared')
  .option('--compare <parts>', 'compare status, length, or status,length of answers, and not their bytes')

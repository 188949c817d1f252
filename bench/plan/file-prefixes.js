/**
 * URL prefixes of an app that are folders of files, as in `--files /assets=./public` (pure). Other paths below a prefix
 * are those of the app.
 */
import { badOption } from '../errors.js'
import { attempt } from '../shared/attempt.js'
import { isWithin } from '../shared/paths.js'
import { isOn, servesStatics } from './predicates.js'
import { findMix } from './request-mix.js'

/** @import { HopbenchError } from '../errors.js' */
/** @import { FilePrefix, Load, MixedRequest, Topology } from '../types.js' */

/** Signs that no proxy's configuration and no URL interprets. A segment does not begin with a dot. */
const PREFIX = /^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/
const EXAMPLE = 'Write a prefix and its folder, as in --files /assets=./public.'

/**
 * Parses the values of --files.
 *
 * @param {string[]} texts "/assets=./public"
 * @returns {FilePrefix[]} folder: as typed
 * @throws {HopbenchError} bad-option
 */
export function parsePrefixes (texts) {
  const prefixes = texts.map(text => {
    const equals = text.indexOf('=')
    const folder = text.slice(equals + 1)
    if (equals === -1 || folder === '') throw badOption('--files', text, 'it has no folder', EXAMPLE)
    return { prefix: parsePrefix(text.slice(0, equals)), folder }
  })
  const overlap = findOverlap(prefixes)
  if (overlap === null) return prefixes
  const [earlier, prefix] = overlap
  if (earlier === prefix) throw badOption('--files', prefix || '/', 'this prefix is typed twice', 'Name it once.')
  throw badOption('--files', prefix || '/', `it and ${earlier || '/'} overlap, so a file could come from either folder`,
    'Name prefixes that do not contain each other.')
}

/**
 * Finds two prefixes of which one contains the other.
 *
 * @param {Pick<FilePrefix, 'prefix'>[]} prefixes
 * @returns {[earlier: string, later: string] | null}
 */
export function findOverlap (prefixes) {
  for (const [i, { prefix }] of prefixes.entries()) {
    const earlier = prefixes.slice(0, i).find(other => isWithin(other.prefix, prefix) || isWithin(prefix, other.prefix))
    if (earlier) return [earlier.prefix, prefix]
  }
  return null
}

/** @param {string} text */
function parsePrefix (text) {
  const reject = (/** @type {string} */ why, remedy = EXAMPLE) => badOption('--files', text, why, remedy)
  if (!text.startsWith('/')) throw reject('a prefix begins with /')
  const prefix = text.endsWith('/') ? text.slice(0, -1) : text
  // The whole site.
  if (text === '/') return ''
  if (prefix.includes('%')) throw reject('a prefix is written without percent signs')
  if (PREFIX.test(prefix)) return prefix
  throw reject('a prefix has only letters, digits, ".", "_", "~", "-" and single slashes, and no segment that begins ' +
    'with a dot')
}

/**
 * Returns whether files are those of the whole site.
 *
 * @param {Pick<FilePrefix, 'prefix'>} prefix
 */
export const isWholeSite = ({ prefix }) => prefix === ''

/**
 * Prints a prefix as --files takes it.
 *
 * @param {Pick<FilePrefix, 'prefix' | 'folder'>} prefix
 */
export const printPrefix = ({ prefix, folder }) => `${prefix || '/'}=${folder}`

/**
 * Returns whether a request is for a file of the prefixes.
 *
 * @param {Pick<FilePrefix, 'prefix' | 'paths'>[]} prefixes
 * @param {Pick<MixedRequest, 'path' | 'method'>} request
 */
export const isFileRequest = (prefixes, { path, method = 'GET' }) => prefixes.some(({ prefix, paths }) =>
  paths ? method === 'GET' && paths.includes(toListed(path)) : path.startsWith(`${prefix}/`))

/** Returns a path as `paths` lists it, encoded in the same way. @param {string} path of a request */
const toListed = path => path.split('?', 1)[0].split('/')
  .map(part => attempt(() => encodeURIComponent(decodeURIComponent(part)), () => part)).join('/')

/**
 * Returns the prefixes whose files the proxy serves itself: those of a topology with the option `static`.
 *
 * @param {Pick<Topology, 'proxy' | 'server' | 'files'>} topology
 * @returns {FilePrefix[]} empty: every request goes to the server
 */
export const getServedPrefixes = ({ proxy, server, files = [] }) => {
  if (!server || !servesStatics(proxy)) return []
  // The page of a single-page app is sent for every path.
  return isOn(proxy?.options.spa) ? files.map(({ prefix, folder }) => ({ prefix, folder })) : files
}

/**
 * Computes the share of a load's requests that the proxy passes on to the server.
 *
 * @param {Parameters<typeof getServedPrefixes>[0]} topology
 * @param {Load} load
 * @returns {number} 0 to 1; 1: the proxy serves no files itself
 */
export function computeAppShare (topology, load) {
  const prefixes = getServedPrefixes(topology)
  if (prefixes.length === 0) return 1
  const mix = findMix(load)
  const requests = mix ? mix.sequence.map(index => mix.requests[index]) : [load]
  return requests.filter(request => !isFileRequest(prefixes, request)).length / requests.length
}

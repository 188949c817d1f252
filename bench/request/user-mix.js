/** Sends many requests to an app in place of one: those of a page (--har), or of an access log (--paths). */
import { resolve } from 'node:path'
import { HopbenchError, badOption } from '../errors.js'
import { callerCwd } from '../machine/caller-cwd.js'
import { getAcceptEncoding, makesOwnContent } from '../measure/gate/reference.js'
import { compresses, usesBrotli } from '../plan/predicates.js'
import { nameRequest, toMixLoad } from '../plan/request-mix.js'
import { MAX_SEQUENCE, mixForApp, printLeftOut, sequenceOf } from './user-paths.js'
import { listMethods, toBody } from './user-request.js'
import { plural } from '../shared/format.js'
import { groupBy, mostFrequent } from '../shared/group-by.js'
import { mergeHeaders } from '../shared/http/merge-headers.js'
import { hasUrlSecret } from '../shared/url-secrets.js'
import { readEntries } from './har-file.js'
import { compileLogFormat } from './log-formats.js'

/** @import { Arm, MixedRequest } from '../types.js' */
/** @import { RunFlags } from './types.js' */
/** @import { Entry } from './har-file.js' */

/** Options that describe one request. */
const OF_ONE_REQUEST = /** @type {const} */ ([
  ['path', '--path'], ['method', '--method'], ['body', '--body'], ['bodyFile', '--body-file']
])

/**
 * Requests in their proportions.
 *
 * @typedef {object} Mix
 * @property {Map<MixedRequest, number>} mix number of equal requests
 * @property {string | null} about format of a log, and number of its lines
 * @property {string[]} notes what is left out, and how often
 * @property {boolean} [hasSecrets] cookies or credentials are left out of requests
 */

/** Options of a file by the option that they require, with the contents of that file. */
const OF_FILE = /** @type {const} */ ([
  ['harMethods', '--har-methods', 'har', '--har, the file with the requests'],
  ['harOrigin', '--har-origin', 'har', '--har, the file with the requests'],
  ['logFormat', '--log-format', 'paths', '--paths, the access log']
])

/** Options that name several requests. */
export const MIX_OPTIONS = /** @type {const} */ (['har', 'harMethods', 'harOrigin', 'paths', 'logFormat'])

/**
 * Rejects options of a file without the option that names the file, and a log format without a request.
 *
 * @param {Pick<RunFlags, 'har' | 'harMethods' | 'harOrigin' | 'paths' | 'logFormat'>} options
 * @throws {HopbenchError} bad-option
 */
export function rejectWithoutFile (options) {
  for (const [field, option, file, what] of OF_FILE) {
    const value = options[field]
    if (value !== undefined && options[file] === undefined) throw badOption(option, value, `it requires ${what}`)
  }
  const { logFormat } = options
  if (logFormat === undefined || compileLogFormat(logFormat) !== null) return
  throw badOption('--log-format', logFormat, 'it has neither $request nor $request_uri',
    "Copy the format of log_format in nginx's configuration, in single quotes.")
}

/**
 * Reads the requests.
 *
 * @param {Pick<RunFlags, 'har' | 'harMethods' | 'harOrigin' | 'paths' | 'logFormat' | 'path' | 'method' | 'body' |
 *   'bodyFile'>} options
 * @returns {Mix | null} null: one path is requested
 * @throws {HopbenchError} bad-option, har-unreadable, har-empty, paths-unreadable, paths-empty
 */
export function readMix (options) {
  const { har, harMethods, harOrigin, paths, logFormat } = options
  rejectWithoutFile(options)
  if (har === undefined && paths === undefined) return null
  if (har !== undefined && paths !== undefined) throw badOption('--har', har, 'it and --paths are mutually exclusive')
  const [option, file] = har === undefined ? ['--paths', String(paths)] : ['--har', har]
  const other = OF_ONE_REQUEST.find(([field]) => options[field] !== undefined)
  if (other) {
    throw badOption(option, file, `its requests have paths and methods of their own, so ${other[1]} has no effect`)
  }
  const from = resolve(callerCwd(), file)
  if (har !== undefined) {
    const methods = harMethods === undefined ? [] : listMethods('--har-methods', harMethods)
    return readPage(from, { methods, typedOrigin: harOrigin })
  }
  const { mix, ...described } = mixForApp(from, logFormat)
  return { mix: new Map([...mix].map(([path, times]) => [{ path }, times])), ...described }
}

/**
 * Describes where the requests come from, and what is left out, as sentences.
 *
 * @param {Pick<Mix, 'about' | 'notes'>} mix
 * @returns {string[]}
 */
export const describeMix = ({ about, notes }) => [
  ...about === null ? [] : [`Format of the requests: ${about}.`],
  ...notes.length === 0 ? [] : [`Left out of the requests: ${notes.join(', ')}.`]
]

/**
 * Whether the sequence of requests has each request of the page exactly as often as the page, so that one pass through
 * it is a page view.
 *
 * @param {Mix} mix of a HAR file
 */
export const isWholePage = ({ mix }) => [...mix.values()].reduce((sum, times) => sum + times, 0) <= MAX_SEQUENCE

/**
 * Returns arms that send the requests of a mix.
 *
 * @param {Arm[]} arms
 * @param {number} seed of the sequence of requests
 * @param {Mix} mix
 * @returns {Promise<Arm[]>}
 * @throws {HopbenchError} bad-option, if a topology has no app
 */
export async function toMixedArms (arms, seed, { mix }) {
  for (const arm of arms) {
    if (!arm.topology.url && await makesOwnContent(arm)) continue
    throw badOption('--har or --paths', arm.name, 'only an app of your own has pages',
      "Name the app, as in --app 'npm start', or the folder of static files with --root.")
  }
  const drawn = sequenceOf(mix, seed)
  const isBrowser = [...mix.keys()].some(({ headers }) => headers?.['Accept-Encoding'] !== undefined)
  return (isBrowser ? arms : acceptCompression(arms)).map(arm =>
    ({ ...arm, load: { ...arm.load, ...toMixLoad(drawn, arm.load.headers) } }))
}

/**
 * Lets all clients accept compression if one of the arms compresses, because its option would have no effect. Leaves
 * arms as they are if one names the encodings itself, or plays a scenario, which has headers of its own.
 *
 * @param {Arm[]} arms
 * @returns {Arm[]}
 */
export function acceptCompression (arms) {
  const hops = arms.flatMap(({ topology: { proxy, server } }) => [proxy, server])
  const isDecided = arms.some(({ load }) => load.scenario || getAcceptEncoding(load) !== null)
  if (isDecided || !hops.some(compresses)) return arms
  const accepted = { 'Accept-Encoding': hops.some(usesBrotli) ? 'gzip, br' : 'gzip' }
  return arms.map(arm => ({ ...arm, load: { ...arm.load, headers: mergeHeaders(accepted, arm.load.headers) } }))
}

const MIB = 2 ** 20
/** Limit of one response, because a single large file would take up most of the load. Also that of the bodies of all
 * requests, because engines hold them in memory once per connection. */
const MAX_BODY_BYTES = 10 * MIB

/**
 * @param {string} file
 * @param {{ methods?: string[], typedOrigin?: string }} [options] methods: that are repeated besides GET; typedOrigin:
 *   of the requests that are repeated
 * @returns {Mix}
 * @throws {HopbenchError} har-unreadable, har-empty, bad-option
 */
export function readPage (file, { methods = [], typedOrigin } = {}) {
  const { entries, faults } = readEntries(file)
  const origin = originOf(entries, typedOrigin)
  const page = entries.filter(({ url }) => url.origin === origin)
  const { kept, notes } = selectRequests(page, ['GET', ...methods])
  const others = entries.filter(({ url }) => url.origin !== origin).map(({ url }) => url.origin)
  if (others.length > 0) {
    const hint = typedOrigin === undefined ? ` (--har-origin ${mostFrequent(others)} takes others)` : ''
    notes.push(`${plural(others.length, 'request')} to other hosts than ${origin}${hint}`)
  }
  if (faults.length > 0) notes.push(`${plural(faults.length, 'item')} of log.entries without a request (${faults[0]})`)
  if (kept.length === 0) throw new HopbenchError('har-empty', { file, leftOut: notes })
  const bytes = [...countEntries(kept).keys()].reduce((sum, { body }) => sum + (body?.bytes ?? 0), 0)
  if (bytes > MAX_BODY_BYTES) {
    const why = `the bodies of its requests have ${bytes} bytes together, and the limit is ${MAX_BODY_BYTES / MIB} MiB`
    throw new HopbenchError('har-unreadable', { file, why })
  }
  const secret = kept.filter(({ hasSecret }) => hasSecret).length
  if (secret > 0) notes.push(`cookies and credentials of ${plural(secret, 'request')} (--header sends them)`)
  const unread = [...new Set(kept.flatMap(({ unread }) => unread))]
  if (unread.length > 0) notes.push(`${unread.join(', ')} in Accept-Encoding, which hopbench cannot decode`)
  return { mix: countEntries(kept), about: null, notes, hasSecrets: secret > 0 }
}

/**
 * Returns the typed origin, or else that of most requests among those with an HTML page, or else that of most requests.
 * @param {Entry[]} entries
 * @param {string} [typed]
 * @returns {string}
 */
function originOf (entries, typed) {
  const origins = entries.map(({ url }) => url.origin)
  const pages = new Set(entries.filter(entry => hasGoodStatus(entry) && entry.type.startsWith('text/html'))
    .map(({ url }) => url.origin))
  const most = mostFrequent(pages.size > 0 ? origins.filter(origin => pages.has(origin)) : origins)
  if (typed === undefined) return most
  const origin = URL.canParse(typed) ? new URL(typed).origin : typed
  if (origins.includes(origin)) return origin
  throw badOption('--har-origin', typed, `the file has no request to it, but to ${[...new Set(origins)].join(', ')}`,
    `Name one of them, as in --har-origin ${most}.`)
}

/**
 * Returns whether the response shows that the path exists. A browser gets 304 for a file that it has already.
 * @param {Entry} entry
 */
const hasGoodStatus = ({ method, status }) =>
  (status >= 200 && status < 300) || (method === 'GET' && status === 304)

/**
 * Splits the requests of the page's origin into those that can be repeated and those that are left out.
 * @param {Entry[]} entries
 * @param {string[]} methods
 * @returns {{ kept: Entry[], notes: string[] }}
 */
function selectRequests (entries, methods) {
  const allowed = [methods.slice(0, -1).join(', '), methods.at(-1)].filter(Boolean).join(' or ')
  /** @type {[what: string, isLeftOut: (entry: Entry) => boolean][]} */
  const rules = [
    [`with another method than ${allowed}`, ({ method }) => !methods.includes(method)],
    ['with a response that is an error or a redirect', entry => !hasGoodStatus(entry)],
    [`with a response of more than ${MAX_BODY_BYTES / MIB} MiB`, ({ bytes }) => bytes > MAX_BODY_BYTES],
    [`with a body of more than ${MAX_BODY_BYTES / MIB} MiB`, ({ body }) => (body?.length ?? 0) > MAX_BODY_BYTES],
    ['with a body that the file does not hold', ({ isBodyMissing }) => isBodyMissing],
    ['with a body in a GET', ({ method, body }) => method === 'GET' && body !== null],
    ['with a secret in the URL', ({ url }) => hasUrlSecret(url.pathname + url.search)]
  ]
  /** @type {Entry[]} */
  let kept = entries
  /** @type {string[]} */
  const notes = []
  for (const [what, isLeftOut] of rules) {
    const left = kept.filter(entry => !isLeftOut(entry))
    if (left.length < kept.length) notes.push(`${printLeftOut(kept.length - left.length, entries.length)} ${what}`)
    kept = left
  }
  return { kept, notes }
}

/**
 * Counts equal requests.
 * @param {Entry[]} entries
 * @returns {Map<MixedRequest, number>}
 */
function countEntries (entries) {
  const requests = entries.map(({ method, url, headers, body }) => ({
    path: url.pathname + url.search,
    ...method !== 'GET' && { method },
    ...Object.keys(headers).length > 0 && { headers },
    ...body && { body: toBody(body) }
  }))
  return new Map([...groupBy(requests, nameRequest).values()].map(equal => [equal[0], equal.length]))
}

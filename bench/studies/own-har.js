/** Reads the requests of a page from a HAR file, the format in which browsers save them (HAR 1.2). */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { HopbenchError } from '../errors.js'
import { describeFileError } from '../machine/file-failures.js'
import { attempt } from '../shared/attempt.js'
import { plural } from '../shared/format.js'
import { isTooDeep } from '../shared/nesting.js'
import { pathWithoutSecrets } from '../shared/secrets.js'

const MIB = 2 ** 20
/** Limit of the file. Browsers save the bodies of all responses in it. */
const MOST_FILE_BYTES = 200 * MIB
/** Limit of one response, because a single large file would take up most of the load. */
const MOST_BODY_BYTES = 10 * MIB
/** Responses that show that the path exists. A browser gets 304 for what it has already. */
const GOOD = [200, 304]

/** @import { Mix } from './own-mix.js' */
/**
 * A request of the page and its response.
 *
 * @typedef {object} Entry
 * @property {string} method
 * @property {URL} url
 * @property {string | null} accepted header Accept-Encoding
 * @property {number} status
 * @property {number} bytes of the decoded body
 * @property {string} type media type of the response
 */

/**
 * @param {string} file
 * @returns {Mix}
 * @throws {HopbenchError} har-unreadable, with the field; har-empty
 */
export function readPage (file) {
  const entries = entriesIn(file)
  const origin = originOf(entries)
  const page = entries.filter(({ url }) => url.origin === origin)
  const { kept, notes } = selectRequests(page)
  const others = entries.length - page.length
  if (others > 0) notes.push(`${plural(others, 'request')} to other hosts than ${origin}`)
  if (kept.length === 0) throw new HopbenchError('har-empty', { file, leftOut: notes })
  /** @type {Map<string, number>} */
  const mix = new Map()
  for (const { url: { pathname, search } } of kept) {
    mix.set(pathname + search, (mix.get(pathname + search) ?? 0) + 1)
  }
  return { mix, acceptEncoding: mostFrequent(kept.map(({ accepted }) => accepted)), notes }
}

/**
 * Returns the origin of the first HTML page, or else that of most requests.
 * @param {Entry[]} entries
 */
function originOf (entries) {
  const page = entries.find(({ status, type }) => GOOD.includes(status) && type.startsWith('text/html'))
  return page?.url.origin ?? mostFrequent(entries.map(({ url }) => url.origin))
}

/**
 * Splits the requests of the page's origin into those that can be repeated and those that are left out.
 * @param {Entry[]} entries
 * @returns {{ kept: Entry[], notes: string[] }}
 */
function selectRequests (entries) {
  /** @type {[what: string, isLeftOut: (entry: Entry) => boolean][]} */
  const rules = [
    ['with another method than GET', ({ method }) => method !== 'GET'],
    ['whose response was not 200 or 304', ({ status }) => !GOOD.includes(status)],
    [`with a response of more than ${MOST_BODY_BYTES / MIB} MiB`, ({ bytes }) => bytes > MOST_BODY_BYTES],
    ['with a secret in the query', ({ url }) => pathWithoutSecrets(url.search) !== url.search]
  ]
  /** @type {Entry[]} */
  let kept = entries
  /** @type {string[]} */
  const notes = []
  for (const [what, isLeftOut] of rules) {
    const left = kept.filter(entry => !isLeftOut(entry))
    if (left.length < kept.length) notes.push(`${plural(kept.length - left.length, 'request')} ${what}`)
    kept = left
  }
  return { kept, notes }
}

/**
 * @param {string} file
 * @returns {Entry[]}
 */
function entriesIn (file) {
  const refuse = (/** @type {string} */ why) => new HopbenchError('har-unreadable', { file, why })
  const text = attempt(() => readLimited(file), error => { throw refuse(describeFileError(error)) })
  if (text === null) throw refuse(`it is larger than ${MOST_FILE_BYTES / MIB} MiB`)
  const har = attempt(() => JSON.parse(text), () => { throw refuse('it is not JSON') })
  if (isTooDeep(har)) throw refuse('it is nested too deeply')
  if (!Array.isArray(har?.log?.entries)) throw refuse('log.entries is not a list')
  return har.log.entries.flatMap((/** @type {any} */ entry, /** @type {number} */ index) => {
    const found = toEntry(entry)
    if (typeof found === 'string') throw refuse(`log.entries.${index}.${found}`)
    // Pages hold images as data: URLs, which are not requested.
    return /^https?:$/.test(found.url.protocol) ? [found] : []
  })
}

/**
 * @param {any} entry of a HAR file
 * @returns {Entry | string} a string: the field that is wrong, and why
 */
function toEntry (entry) {
  const { request, response } = entry ?? {}
  if (typeof request?.method !== 'string') return 'request.method is not a text'
  const url = typeof request.url === 'string' && URL.canParse(request.url) && new URL(request.url)
  if (!url) return 'request.url is not a URL'
  if (!Array.isArray(request.headers)) return 'request.headers is not a list'
  if (!Number.isInteger(response?.status)) return 'response.status is not a number'
  const accepted = request.headers.find((/** @type {any} */ header) =>
    String(header?.name).toLowerCase() === 'accept-encoding')?.value
  return {
    method: request.method,
    url,
    accepted: typeof accepted === 'string' && /^[\w.,;= *-]+$/.test(accepted) ? accepted : null,
    status: response.status,
    bytes: Number(response.content?.size) || 0,
    type: String(response.content?.mimeType ?? '')
  }
}

/**
 * @param {string} file
 * @returns {string | null} null: it is too large
 */
function readLimited (file) {
  const handle = openSync(file, 'r')
  try {
    return fstatSync(handle).size > MOST_FILE_BYTES ? null : readFileSync(handle, 'utf8')
  } finally {
    closeSync(handle)
  }
}

/**
 * @template T
 * @param {T[]} values
 * @returns {T}
 */
function mostFrequent (values) {
  /** @type {Map<T, number>} */
  const times = new Map()
  for (const value of values) times.set(value, (times.get(value) ?? 0) + 1)
  return [...times].sort(([, a], [, b]) => b - a)[0]?.[0]
}

/** Reads the requests in a HAR file, the format in which browsers save them (HAR 1.2). Its content is untrusted. */
import { HopbenchError } from '../errors.js'
import { ENCODINGS } from '../machine/content-encoding.js'
import { describeFileError } from '../machine/files/file-failures.js'
import { readPlainFile } from '../machine/files/plain-files.js'
import { attempt } from '../shared/attempt.js'
import { isTooDeep } from '../shared/nesting.js'
import { hasSecret } from '../shared/url-secrets.js'

/** Limit of the file. Browsers save the bodies of all responses in it. */
const HAR_FILE = { maxBytes: 200 * 2 ** 20, followsLinks: true }
/** Request headers that are repeated, because responses depend on them. All others may hold a secret, or belong to the
 * connection. */
const KEPT_HEADERS = ['Accept', 'Accept-Encoding', 'Content-Type']
/** Request headers that carry a secret. */
const SECRET_HEADERS = ['authorization', 'cookie']
/** Values of Accept-Encoding whose responses can be compared. */
const ACCEPTED = [...ENCODINGS, 'identity', '*']

/**
 * A request and its response.
 *
 * @typedef {object} Entry
 * @property {string} field its place in the file, "log.entries.3"
 * @property {string} method
 * @property {URL} url
 * @property {Record<string, string>} headers those that are repeated
 * @property {string[]} unread encodings that are left out of Accept-Encoding, because hopbench cannot decode them
 * @property {boolean} hasSecret whether it has a header that is left out because it carries a secret
 * @property {Buffer | null} body null: none, or not in the file
 * @property {boolean} isBodyMissing it had a body that is not in the file
 * @property {number} status
 * @property {number} bytes of the response's decoded body
 * @property {string} type media type of the response
 */

/**
 * @param {string} file
 * @returns {Entry[]}
 * @throws {HopbenchError} har-unreadable, with the field
 */
export function readEntries (file) {
  const reject = (/** @type {string} */ why) => new HopbenchError('har-unreadable', { file, why })
  const text = attempt(() => readPlainFile(file, HAR_FILE).toString(), error => {
    throw reject(describeFileError(error))
  })
  const har = attempt(() => JSON.parse(text.replace(/^\uFEFF/, '')), () => { throw reject('it is not JSON') })
  if (isTooDeep(har)) throw reject('it is nested too deeply')
  if (!Array.isArray(har?.log?.entries)) throw reject('log.entries is not a list')
  return har.log.entries.flatMap((/** @type {any} */ entry, /** @type {number} */ index) => {
    const field = `log.entries.${index}`
    const found = toEntry(entry, field)
    if (typeof found === 'string') throw reject(`${field}.${found}`)
    // Pages hold images as data: URLs, which are not requested.
    return /^https?:$/.test(found.url.protocol) ? [found] : []
  })
}

/**
 * @param {any} entry of a HAR file
 * @param {string} field
 * @returns {Entry | string} a string: the field that is wrong, and why
 */
function toEntry (entry, field) {
  const { request, response } = entry ?? {}
  if (typeof request?.method !== 'string') return 'request.method is not a text'
  const url = typeof request.url === 'string' && URL.canParse(request.url) && new URL(request.url)
  if (!url) return 'request.url is not a URL'
  if (!Array.isArray(request.headers)) return 'request.headers is not a list'
  const wrong = request.headers.findIndex((/** @type {any} */ header) => typeof header?.name !== 'string')
  if (wrong >= 0) return `request.headers.${wrong}.name is not a text`
  if (!Number.isInteger(response?.status)) return 'response.status is not a number'
  const { postData, bodySize } = request
  const { size, mimeType } = response.content ?? {}
  const body = toBody(postData)
  const { headers, unread } = splitEncodings(
    toHeaders([...request.headers, { name: 'Content-Type', value: body && postData.mimeType }]))
  return {
    field,
    method: request.method.toUpperCase(),
    url,
    headers,
    unread,
    hasSecret: request.headers.some((/** @type {HarHeader} */ { name }) => SECRET_HEADERS.includes(name.toLowerCase())),
    body,
    isBodyMissing: body === null && (Boolean(postData) || (typeof bodySize === 'number' && bodySize > 0)),
    status: response.status,
    bytes: typeof size === 'number' ? size : 0,
    type: typeof mimeType === 'string' ? mimeType : ''
  }
}

/** @typedef {{ name: string, value: unknown }} HarHeader */

/**
 * @param {HarHeader[]} headers of a HAR file
 * @returns {Record<string, string>} those that are repeated
 */
const toHeaders = headers => Object.fromEntries(KEPT_HEADERS.flatMap(name => {
  const value = headers.find(header => header.name.toLowerCase() === name.toLowerCase())?.value
  return isSendable(value) ? [[name, value]] : []
}))

/**
 * Splits the encodings of Accept-Encoding into those that hopbench can decode and the others.
 * @param {Record<string, string>} headers that are repeated
 * @returns {{ headers: Record<string, string>, unread: string[] }}
 */
function splitEncodings ({ 'Accept-Encoding': accepted, ...others }) {
  if (accepted === undefined) return { headers: others, unread: [] }
  const all = accepted.split(/\s*,\s*/)
  const isRead = (/** @type {string} */ encoding) => ACCEPTED.includes(encoding.split(';')[0].trim().toLowerCase())
  const kept = all.filter(isRead).join(', ') || 'identity'
  return { headers: { ...others, 'Accept-Encoding': kept }, unread: all.filter(encoding => !isRead(encoding)) }
}

/**
 * Returns whether a header with this value can be sent and stored.
 * @param {unknown} value
 * @returns {value is string}
 */
const isSendable = value =>
  typeof value === 'string' && /^[\x21-\x7e][\x20-\x7e]{0,999}$/.test(value) && !hasSecret(value)

/**
 * @param {any} postData
 * @returns {Buffer | null} null: none, or not in the file
 */
function toBody (postData) {
  if (typeof postData?.text !== 'string' || postData.text === '') return null
  return Buffer.from(postData.text, postData.encoding === 'base64' ? 'base64' : 'utf8')
}

/** Reads the requests in a HAR file, the format in which browsers save them (HAR 1.2). Its content is untrusted. */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { HopbenchError } from '../errors.js'
import { describeFileError } from '../machine/file-failures.js'
import { attempt } from '../shared/attempt.js'
import { isTooDeep } from '../shared/nesting.js'
import { textWithoutSecrets } from '../shared/secrets.js'

const MIB = 2 ** 20
/** Limit of the file. Browsers save the bodies of all responses in it. */
const MOST_FILE_BYTES = 200 * MIB
/** Request headers that are repeated, because responses depend on them. All others may hold a secret, or belong to the
 * connection. */
const KEPT_HEADERS = ['Accept', 'Accept-Encoding', 'Content-Type']
/** Request headers that carry a secret. */
const SECRET_HEADERS = ['authorization', 'cookie']

/**
 * A request and its response.
 *
 * @typedef {object} Entry
 * @property {string} field its place in the file, "log.entries.3"
 * @property {string} method
 * @property {URL} url
 * @property {Record<string, string>} headers those that are repeated
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
  const refuse = (/** @type {string} */ why) => new HopbenchError('har-unreadable', { file, why })
  const text = attempt(() => readLimited(file), error => { throw refuse(describeFileError(error)) })
  if (text === null) throw refuse(`it is larger than ${MOST_FILE_BYTES / MIB} MiB`)
  const har = attempt(() => JSON.parse(text), () => { throw refuse('it is not JSON') })
  if (isTooDeep(har)) throw refuse('it is nested too deeply')
  if (!Array.isArray(har?.log?.entries)) throw refuse('log.entries is not a list')
  return har.log.entries.flatMap((/** @type {any} */ entry, /** @type {number} */ index) => {
    const field = `log.entries.${index}`
    const found = toEntry(entry, field)
    if (typeof found === 'string') throw refuse(`${field}.${found}`)
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
  if (!Number.isInteger(response?.status)) return 'response.status is not a number'
  const { postData } = request
  const body = toBody(postData)
  return {
    field,
    method: request.method.toUpperCase(),
    url,
    headers: toHeaders([...request.headers, { name: 'Content-Type', value: body && postData.mimeType }]),
    hasSecret: request.headers.some((/** @type {any} */ { name } = {}) =>
      SECRET_HEADERS.includes(String(name).toLowerCase())),
    body,
    isBodyMissing: body === null && (Boolean(postData) || request.bodySize > 0),
    status: response.status,
    bytes: Number(response.content?.size) || 0,
    type: String(response.content?.mimeType ?? '')
  }
}

/**
 * @param {any[]} headers of a HAR file
 * @returns {Record<string, string>} those that are repeated
 */
const toHeaders = headers => Object.fromEntries(KEPT_HEADERS.flatMap(name => {
  const value = headers.find(header => String(header?.name).toLowerCase() === name.toLowerCase())?.value
  return isSendable(value) ? [[name, value]] : []
}))

/**
 * Returns whether a header with this value can be sent and stored.
 * @param {unknown} value
 * @returns {value is string}
 */
const isSendable = value =>
  typeof value === 'string' && /^[\x21-\x7e][\x20-\x7e]{0,999}$/.test(value) && textWithoutSecrets(value) === value

/**
 * @param {any} postData
 * @returns {Buffer | null} null: none, or not in the file
 */
function toBody (postData) {
  if (typeof postData?.text !== 'string' || postData.text === '') return null
  return Buffer.from(postData.text, postData.encoding === 'base64' ? 'base64' : 'utf8')
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

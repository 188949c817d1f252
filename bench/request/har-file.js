/**
 * Reads the requests in a HAR file, the format in which browsers save them (HAR 1.2), also with gzip or in the ZIP
 * archive of Playwright. Its content is untrusted.
 */
import { gunzipSync } from 'node:zlib'
import { HopbenchError } from '../errors.js'
import { ENCODINGS } from '../machine/content-encoding.js'
import { describeFileError } from '../machine/files/file-failures.js'
import { readPlainFile } from '../machine/files/plain-files.js'
import { attempt } from '../shared/attempt.js'
import { isTooDeep } from '../shared/nesting.js'
import { hasSecret } from '../shared/url-secrets.js'
import { openZip } from './zip-file.js'

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
 * Entries of a HAR file.
 *
 * @typedef {object} HarEntries
 * @property {Entry[]} entries
 * @property {string[]} faults entries that are not requests, each as its wrong field and the reason
 */

/**
 * @param {string} file
 * @returns {HarEntries}
 * @throws {HopbenchError} har-unreadable
 */
export function readEntries (file) {
  const reject = (/** @type {string} */ why) => new HopbenchError('har-unreadable', { file, why })
  const { text, files } = attempt(() => readText(file), error => { throw reject(describeFileError(error)) })
  const har = attempt(() => JSON.parse(text.replace(/^\uFEFF/, '')), () => { throw reject('it is not JSON') })
  if (isTooDeep(har)) throw reject('it is nested too deeply')
  if (!Array.isArray(har?.log?.entries)) throw reject('log.entries is not a list')
  /** @type {HarEntries} */
  const found = { entries: [], faults: [] }
  for (const [index, raw] of har.log.entries.entries()) {
    const entry = toEntry(raw, files)
    if (typeof entry === 'string') found.faults.push(`log.entries.${index}.${entry}`)
    // Pages hold images as data: URLs, which are not requested.
    else if (/^https?:$/.test(entry.url.protocol)) found.entries.push(entry)
  }
  return found
}

/** Files of an archive. @typedef {Map<string, () => Buffer>} Files */

/**
 * Reads the text of a HAR file by the first bytes of the file.
 * @param {string} file
 * @returns {{ text: string, files: Files }} files: beside the HAR file in an archive, which hold bodies
 */
function readText (file) {
  const { maxBytes } = HAR_FILE
  const bytes = readPlainFile(file, HAR_FILE)
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    return { text: gunzipSync(bytes, { maxOutputLength: maxBytes }).toString(), files: new Map() }
  }
  if (bytes.toString('latin1', 0, 4) !== 'PK\x03\x04') return { text: bytes.toString(), files: new Map() }
  const files = openZip(bytes, maxBytes)
  const har = [...files].find(([name]) => name.endsWith('.har'))
  if (!har) throw new Error('its ZIP archive has no HAR file')
  return { text: har[1]().toString(), files }
}

/**
 * Reads an entry. Tools omit fields, so only the method and the URL are required.
 * @param {any} entry of a HAR file
 * @param {Files} files
 * @returns {Entry | string} a string: the field that is wrong, and why
 */
function toEntry (entry, files) {
  const { request, response } = entry ?? {}
  if (typeof request?.method !== 'string') return 'request.method is not a text'
  const url = typeof request.url === 'string' && URL.canParse(request.url) && new URL(request.url)
  if (!url) return 'request.url is not a URL'
  const { postData, bodySize } = request
  const { size, mimeType } = response?.content ?? {}
  const body = toBody(postData, files)
  const given = toHeaderList(request.headers)
  const { headers, unread } = splitEncodings(
    toHeaders([...given, { name: 'Content-Type', value: body && postData.mimeType }]))
  return {
    method: request.method.toUpperCase(),
    url,
    headers,
    unread,
    hasSecret: given.some(({ name }) => SECRET_HEADERS.includes(name.toLowerCase())),
    body,
    isBodyMissing: body === null && (Boolean(postData) || (typeof bodySize === 'number' && bodySize > 0)),
    status: ['number', 'string'].includes(typeof response?.status) ? Number(response.status) : 0,
    bytes: typeof size === 'number' ? size : 0,
    type: typeof mimeType === 'string' ? mimeType : ''
  }
}

/** @typedef {{ name: string, value: unknown }} HarHeader */

/**
 * Returns the headers that have a name.
 * @param {unknown} headers
 * @returns {HarHeader[]}
 */
const toHeaderList = headers =>
  Array.isArray(headers) ? headers.filter(header => typeof header?.name === 'string') : []

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
 * Returns the body of a request: its text, its file in the archive, or the fields of a form.
 * @param {any} postData
 * @param {Files} files
 * @returns {Buffer | null} null: none, or not in the file
 */
function toBody (postData, files) {
  const { text, encoding, params, mimeType, _file: file } = postData ?? {}
  if (typeof text === 'string' && text !== '') return Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8')
  if (typeof file === 'string') return attempt(() => files.get(file)?.() ?? null, () => null)
  const isForm = typeof mimeType === 'string' && mimeType.startsWith('application/x-www-form-urlencoded')
  if (!isForm || !Array.isArray(params) || params.length === 0) return null
  const form = new URLSearchParams()
  for (const { name, value } of params.filter(param => typeof param?.name === 'string')) {
    form.append(name, typeof value === 'string' ? value : '')
  }
  return Buffer.from(String(form))
}

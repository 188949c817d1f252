/** Cleans and validates data from other machines, which is untrusted: removes control characters, and rejects paths
 * that leave their folder (pure). */
import { catalog, HopbenchError } from '../../errors.js'

/** @import { Thrown } from '../../errors.js' */

/** Limit for nested values: deeper than any message, and too little to exhaust the stack. */
const MOST_LEVELS = 40
/** Length of a path segment on Linux (NAME_MAX). */
const MOST_NAME_BYTES = 255
/** Path segments of a kept file, with room to spare. */
const MOST_SEGMENTS = 12
/** Characters of a reported error's sentence. */
const MOST_SENTENCE = 500
/** Characters of a reported error's program output. */
const MOST_OUTPUT = 16_384

/** Control characters except tab and newline, because they move the cursor of a terminal or change its title, and
 * characters that reverse the direction of text (Unicode TR 36, 2.4). */
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** @param {string} text */
export const withoutAllControls = text => text.replace(CONTROLS, '')

/**
 * Converts a value to one line without control characters.
 *
 * @param {unknown} text
 * @param {number} [most] characters
 */
export const asLine = (text, most = MOST_SENTENCE) =>
  withoutAllControls(String(text).slice(0, most * 2)).replace(/\s+/g, ' ').trim().slice(0, most)

/**
 * Returns a message without control characters.
 *
 * @param {unknown} value from JSON.parse
 * @param {number} [level] of nesting
 * @returns {any}
 * @throws {RangeError} if the message is nested too deeply
 */
export function cleaned (value, level = 0) {
  if (level > MOST_LEVELS) throw new RangeError('it is nested too deeply')
  if (typeof value === 'string') return withoutAllControls(value)
  if (Array.isArray(value)) return value.map(item => cleaned(item, level + 1))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) =>
    [withoutAllControls(key), cleaned(item, level + 1)]))
}

/**
 * Returns whether a path consists of plain names, so that it stays inside its folder.
 *
 * @param {string} path relative
 */
export function isPlainPath (path) {
  const names = path.split('/')
  return names.length <= MOST_SEGMENTS && names.every(name =>
    name !== '' && name !== '.' && name !== '..' && !name.includes('\\') && withoutAllControls(name) === name &&
    !/[\t\n]/.test(name) && Buffer.byteLength(name) <= MOST_NAME_BYTES)
}

/**
 * @param {unknown} error
 * @returns {{ code: string | null, details: Record<string, any> }}
 */
export const packError = error =>
  error instanceof HopbenchError ? { code: error.code, details: error.details } : { code: null, details: {} }

/**
 * Restores an error that was thrown on another machine.
 *
 * @param {any} packed as received
 * @returns {HopbenchError | null} null: not an error of the catalog
 */
export function unpackError (packed) {
  const { code, details } = packed ?? {}
  if (typeof code !== 'string' || !Object.hasOwn(catalog, code)) return null
  try {
    const texts = Object.entries(cleaned(details ?? {})).map(([key, value]) => [key, shorten(key, value)])
    const thrown = /** @type {Thrown} */ ([code, Object.fromEntries(texts)])
    const error = new HopbenchError(...thrown)
    return error.message.length + error.remedy.length > 4 * MOST_SENTENCE ? null : error
  } catch {
    // The catalog's sentence requires other details than the received ones.
    return null
  }
}

/**
 * @param {string} key
 * @param {unknown} value
 */
function shorten (key, value) {
  if (typeof value !== 'string') return value
  return key === 'output' ? value.slice(-MOST_OUTPUT) : asLine(value)
}

/** What another machine sends is a stranger's: text without control characters, names that lead nowhere else (pure). */
import { catalog, HopbenchError } from '../../errors.js'

/** @import { Thrown } from '../../errors.js' */

const MOST_LEVELS = 40 // Deeper than any message; a walk through more would exhaust the stack.
const MOST_NAME_BYTES = 255 // A segment of a path on Linux (NAME_MAX); deeper folders are none of ours.
const MOST_SEGMENTS = 12
const MOST_SENTENCE = 500 // Of an error that another machine reports: its sentence, and its program's own lines.
const MOST_OUTPUT = 16_384

/** Control characters but for tab and newline: they would move a terminal's cursor, or change its title. So do marks
 * that reverse the order of what follows (Unicode TR 36, 2.4). */
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g

/** @param {string} text */
export const withoutControls = text => text.replace(CONTROLS, '')

/** @param {unknown} text @param {number} [most] characters */
export const asLine = (text, most = MOST_SENTENCE) =>
  withoutControls(String(text).slice(0, most * 2)).replace(/\s+/g, ' ').trim().slice(0, most)

/** A message with all its texts cleaned. @param {unknown} value as JSON.parse gives it @returns {any}
 * @throws {RangeError} it is nested more deeply than any message */
export function cleaned (value, level = 0) {
  if (level > MOST_LEVELS) throw new RangeError('it is nested too deeply')
  if (typeof value === 'string') return withoutControls(value)
  if (Array.isArray(value)) return value.map(item => cleaned(item, level + 1))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) =>
    [withoutControls(key), cleaned(item, level + 1)]))
}

/** Whether a path that another machine has named stays where it is put: plain names, a slash between them.
 * @param {string} path relative @param {number} [segments] how many there may be */
export function isPlainPath (path, segments = MOST_SEGMENTS) {
  const names = path.split('/')
  return names.length <= segments && names.every(name =>
    name !== '' && name !== '.' && name !== '..' && !name.includes('\\') && withoutControls(name) === name &&
    !/[\t\n]/.test(name) && Buffer.byteLength(name) <= MOST_NAME_BYTES)
}

/** @param {unknown} error @returns {{ code: string | null, details: Record<string, any> }} */
export const packError = error =>
  error instanceof HopbenchError ? { code: error.code, details: error.details } : { code: null, details: {} }

/** An error that was thrown on another machine: of the catalog, or null where it is none of it.
 * @param {any} packed as received @returns {HopbenchError | null} */
export function unpackError (packed) {
  const { code, details } = packed ?? {}
  if (typeof code !== 'string' || !Object.hasOwn(catalog, code)) return null
  try {
    const texts = Object.fromEntries(Object.entries(cleaned(details ?? {})).map(([key, value]) =>
      [key, typeof value !== 'string' ? value : key === 'output' ? value.slice(-MOST_OUTPUT) : asLine(value)]))
    const thrown = /** @type {Thrown} */ ([code, texts])
    const error = new HopbenchError(...thrown)
    return error.message.length + error.remedy.length > 4 * MOST_SENTENCE ? null : error
  } catch {
    // Its sentences are made of other details than those that came.
    return null
  }
}

/** Rejects values that would add a line to a proxy's configuration or that the proxy would interpret (pure). */
import { HopbenchError } from '../../errors.js'

/** @import { ProxyPlugin, RenderRequest } from '../../types.js' */

/** Includes Unicode's line separators, and the characters that reverse the direction of text. */
const CONTROL = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u
const HOST = /^[\w.:%-]+$/

/** @type {Partial<Record<keyof RenderRequest, string>>} */
const NAMES = {
  listen: 'The address to listen on',
  upstream: 'The address of the server',
  root: 'The folder of files (--root)',
  files: 'The folder of --files',
  dir: 'The temporary folder (TMPDIR)',
  memory: 'The temporary folder in memory',
  certificate: 'The path of the certificate',
  modules: 'The path of the modules'
}

/**
 * @param {Pick<ProxyPlugin, 'about' | 'interprets'>} plugin
 * @param {RenderRequest} request
 * @throws {HopbenchError} config-value
 */
export function rejectUnsafeValues ({ about, interprets }, request) {
  // Skips the folder of files behind a server, because the configuration does not contain it.
  const { dir, root, ...rest } = request
  for (const [key, value] of Object.entries({ dir, ...rest, ...!request.upstream && { root } })) {
    const field = /** @type {keyof RenderRequest} */ (key)
    const signs = !interprets?.in || interprets.in.includes(field) ? interprets?.signs ?? [] : []
    for (const { text, name } of findTexts(value)) {
      const why = findValueFault(text, signs, name === 'host' && field !== 'options')
      if (why === null) continue
      const what = field === 'options' ? `The option ${name}` : NAMES[field] ?? `The value of ${field}`
      throw new HopbenchError('config-value', { what, value: text, program: about.title, why })
    }
  }
}

/**
 * Rejects control characters in the values of a template.
 * @param {object} view
 * @param {string} program that reads the text
 * @throws {HopbenchError} config-value
 */
export function rejectControlCharacters (view, program) {
  for (const { text, name } of findTexts(view)) {
    const why = findValueFault(text, [], false)
    if (why === null) continue
    throw new HopbenchError('config-value', { what: `The value of ${name}`, value: text, program, why })
  }
}

/**
 * @param {string} text
 * @param {string[]} signs that the program interprets
 * @param {boolean} isHost
 */
function findValueFault (text, signs, isHost) {
  const control = CONTROL.exec(text)?.[0]
  if (control !== undefined) {
    const code = control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
    return `it contains the control character U+${code}, which could begin another line or hide text`
  }
  const sign = signs.find(sign => text.includes(sign))
  if (sign !== undefined) return `it contains ${sign}, which the proxy would interpret`
  return isHost && !HOST.test(text) ? 'it is not a host name or an address' : null
}

/**
 * Returns all texts in a value, each with the name of the nearest property.
 * @param {unknown} value
 * @param {string} [name]
 * @returns {{ text: string, name: string }[]}
 */
function findTexts (value, name = '') {
  if (typeof value === 'string') return [{ text: value, name }]
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, inner]) => findTexts(inner, Array.isArray(value) ? name : key))
}

/** Refuses what would end a line of a proxy's configuration, or be interpreted by it (pure). */
import { HopbenchError } from '../errors.js'

/** @import { ProxyPlugin, RenderRequest } from '../types.js' */

const CONTROL = /[\p{Cc}\u2028\u2029]/u // Line ends of other alphabets are no controls, and lines nevertheless.
const HOST = /^[\w.:%-]+$/ // An address or a name; anything else would be more than one word.

/** @type {Partial<Record<keyof RenderRequest, string>>} */
const NAMES = {
  listen: 'The address to listen on',
  upstream: 'The address of the server',
  root: 'The folder of files (--root)',
  dir: 'The temporary folder (TMPDIR)',
  memory: 'The temporary folder in memory',
  certificate: 'The path of the certificate',
  modules: 'The path of the modules'
}

/** @param {Pick<ProxyPlugin, 'about' | 'interprets'>} plugin @param {RenderRequest} request
 * @throws {HopbenchError} config-value */
export function refuseUnsafeValues ({ about, interprets }, request) {
  // With a server behind, its configuration has nothing to do with the files.
  const { dir, root, ...rest } = request
  for (const [key, value] of Object.entries({ dir, ...rest, ...!request.upstream && { root } })) {
    const field = /** @type {keyof RenderRequest} */ (key)
    const signs = !interprets?.in || interprets.in.includes(field) ? interprets?.signs ?? [] : []
    for (const { text, at } of textsIn(value)) {
      const why = faultOf(text, signs, at === 'host')
      if (why === null) continue
      const what = field === 'options' ? `The option ${at}` : NAMES[field] ?? `The value of ${field}`
      throw new HopbenchError('config-value', { what, value: text, program: about.title, why })
    }
  }
}

/** @param {string} text @param {string[]} signs @param {boolean} isHost */
function faultOf (text, signs, isHost) {
  const control = CONTROL.exec(text)?.[0]
  if (control !== undefined) {
    const code = control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
    return `it holds the control character U+${code}, which could begin another line`
  }
  const sign = signs.find(sign => text.includes(sign))
  if (sign !== undefined) return `it holds ${sign}, which has a meaning of its own there`
  return isHost && !HOST.test(text) ? 'it is no host name or address' : null
}

/** With their nearest name. @param {unknown} value @param {string} [at] @returns {{ text: string, at: string }[]} */
function textsIn (value, at = '') {
  if (typeof value === 'string') return [{ text: value, at }]
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, inner]) => textsIn(inner, Array.isArray(value) ? at : name))
}

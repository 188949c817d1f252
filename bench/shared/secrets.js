/** What is nobody else's to read: which headers, parameters and variables hold it, and text without it (pure). */

/** @import { Load } from '../types.js' */

/** What stands in its place in a report and in a stored run. */
export const REDACTED = '[redacted]'

/** Part of a name whose value is a secret. */
const SECRET = 'auth|cookie|token|secret|passw|pwd|api[-_]?key|private[-_]?key|access[-_]?key|session|signature|' +
  'credential|[cx]srf|jwt'
const SECRET_NAME = new RegExp(SECRET, 'i')
/** Shorter values occur in any text by chance. */
const SHORTEST = 6

/** What secrets look like in text that a program prints. @type {[RegExp, string][]} */
const PATTERNS = [
  [/\b(Bearer|Basic|Digest|Negotiate)\s+[\w.~+/=-]{4,}/gi, `$1 ${REDACTED}`],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, REDACTED],
  [/(\b[a-z][\w+.-]*:\/\/)[^\s/@]+@/gi, `$1${REDACTED}@`],
  [new RegExp(`(["']?[\\w.-]*(?:${SECRET})[\\w.-]*["']?\\s*[=:]\\s*)("[^"\\n]*"|'[^'\\n]*'|[^\\s,;&}]+)`, 'gi'),
    `$1${REDACTED}`]
]

/** @param {string} name of a header, a parameter or a variable */
export const isSecret = name => SECRET_NAME.test(name)

/**
 * @param {Record<string, string>} values
 * @returns {Record<string, string>}
 */
export const withoutSecretValues = values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isSecret(name) ? REDACTED : value]))

/** A path without the values of parameters whose names say that they are secret. @param {string} path */
export const pathWithoutSecrets = path => path.replace(/([?&])([^=&#]*)=([^&#]*)/g,
  (whole, sign, name) => isSecret(name) ? `${sign}${name}=${REDACTED}` : whole)

/**
 * What a program printed, or a command line.
 * @param {string} text
 * @param {string[]} [known] values that are secret wherever they stand
 */
export function textWithoutSecrets (text, known = []) {
  const plain = known.filter(value => value.length >= SHORTEST).sort((a, b) => b.length - a.length)
    .reduce((text, value) => text.replaceAll(value, REDACTED), text)
  return PATTERNS.reduce((text, [pattern, instead]) => text.replace(pattern, instead), plain)
}

/**
 * The secret ones of a set of values, such as the environment.
 * @param {Record<string, string | undefined>} values
 * @returns {string[]}
 */
export const secretValues = values =>
  Object.entries(values).flatMap(([name, value]) => isSecret(name) && value ? [value] : [])

/**
 * Whatever must not be shown of what a command prints.
 * @param {Pick<Load, 'headers' | 'path'>} load
 * @param {Record<string, string | undefined>} environment
 * @returns {string[]}
 */
export const secretsOf = ({ headers, path }, environment) => [
  ...secretValues(headers),
  // What stands behind the name of a scheme is the secret, with and without it.
  ...secretValues(headers).flatMap(value => value.split(/\s+/).slice(1)),
  ...secretValues(Object.fromEntries(new URLSearchParams(path.split('?')[1] ?? ''))),
  ...secretValues(environment)
]

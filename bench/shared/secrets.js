/** Detects secrets in headers, parameters, variables and text, and removes them (pure). */

/** @import { Load } from '../types.js' */

/** Printed and stored in place of a secret. */
export const REDACTED = '[redacted]'

/** Parts of names whose values are secret. */
const SECRET = 'auth|cookie|token|secret|passw|pwd|api[-_]?key|private[-_]?key|access[-_]?key|session|signature|' +
  'credential|[cx]srf|jwt'
const SECRET_NAME = new RegExp(SECRET, 'i')
/** Shortest secret that is removed from text, because shorter values occur by chance. */
const SHORTEST = 6

/** Forms of secrets in text that a program prints, with their replacements. @type {[RegExp, string][]} */
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

/** Removes the values of secret parameters from a path. @param {string} path */
export const pathWithoutSecrets = path => path.replace(/([?&])([^=&#]*)=([^&#]*)/g,
  (whole, sign, name) => isSecret(name) ? `${sign}${name}=${REDACTED}` : whole)

/**
 * Removes secrets from a program's output or a command line.
 * @param {string} text
 * @param {string[]} [known] values that are secret wherever they occur
 */
export function textWithoutSecrets (text, known = []) {
  const plain = known.filter(value => value.length >= SHORTEST).sort((a, b) => b.length - a.length)
    .reduce((text, value) => text.replaceAll(value, REDACTED), text)
  return PATTERNS.reduce((text, [pattern, instead]) => text.replace(pattern, instead), plain)
}

/**
 * Returns the secret values of a set such as the environment.
 * @param {Record<string, string | undefined>} values
 * @returns {string[]}
 */
export const secretValues = values =>
  Object.entries(values).flatMap(([name, value]) => isSecret(name) && value ? [value] : [])

/**
 * Returns all secrets that must not appear in a command's output.
 * @param {Pick<Load, 'headers' | 'path'>} load
 * @param {Record<string, string | undefined>} environment
 * @returns {string[]}
 */
export const secretsOf = ({ headers, path }, environment) => [
  ...secretValues(headers),
  // After the name of a scheme ("Bearer …") the rest is a secret, with and without the name.
  ...secretValues(headers).flatMap(value => value.split(/\s+/).slice(1)),
  ...secretValues(Object.fromEntries(new URLSearchParams(path.split('?')[1] ?? ''))),
  ...secretValues(environment)
]

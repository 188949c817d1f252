/**
 * Detects secrets in headers, parameters, variables and text, and removes them (pure).
 *
 * Every pattern takes time that grows linearly with the text. Names match only at their first character, and the text
 * between two parts of a pattern has a limited length.
 */

/** @import { Load } from '../types.js' */

/** Printed and stored in place of a secret. */
export const REDACTED = '[redacted]'

/** Parts of names whose values are secret. */
const SECRET_PART = new RegExp('auth|cookie|token|secret|passw|passphrase|pwd|api[-_]?key|private[-_]?key|' +
  'access[-_]?key|session|signature|credential|[cx]srf|jwt', 'i')
/** A word of a name that makes the name secret by its end: DB_PASS, STRIPE_KEY, X-Key, sig. */
const SECRET_END = /(?:pass|keys?|sig|pin|otp)$/i
/** The rule for names of headers as one pattern, for programs that match names. The words are separated by "-". */
export const SECRET_HEADER_NAME = `${SECRET_PART.source}|${SECRET_END.source.replace('$', '(?:-|$)')}`
/** Headers whose value is secret up to the end of the line, because it can contain spaces and separators. */
const SECRET_HEADER = /^(?:proxy-)?authorization$|^(?:set-)?cookie2?$/i
/** Length of the shortest known secret that is removed from text. Shorter values occur in text by chance. */
const SHORTEST = 6

/** A value: a text in quotes, which may contain escaped quotes, or a text up to the next separator. */
const VALUE = '"(?:[^"\\\\\\n]|\\\\.)*"|\'(?:[^\'\\\\\\n]|\\\\.)*\'|[^\\s,;&}]+'
/** A value in a shell command: adjacent texts with and without quotes. */
const SHELL_VALUE = '(?:"(?:[^"\\\\\\n]|\\\\.)*"|\'[^\'\\n]*\'|\\\\.|[^\\s;&|])+'
/** VALUE, and SHELL_VALUE, at the position `lastIndex`. */
const VALUE_HERE = new RegExp(VALUE, 'y')
const SHELL_VALUE_HERE = new RegExp(SHELL_VALUE, 'y')
/** The rest of the line from the position `lastIndex`. */
const LINE_HERE = /[^\n]*/y
/**
 * A name and the separator before its value: "=" or ":", both also percent-encoded. A closing quote or bracket of the
 * name may precede the separator, as in JSON.
 */
const ASSIGNMENT = /(?<![\w.-])([\w.-]+)(\\?["']?\]?[ \t]{0,8}(?:=|:|%3[DA])[ \t]{0,8})/gi
/** An option of a command line before its value: --password x. */
const OPTION = /(?<![\w.-])(--?[a-z][\w-]*)\s{1,8}(?!-)/gi

/** Secrets that are recognised by their form and not by a name, with their replacements. @type {[RegExp, string][]} */
const FORMS = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, REDACTED],
  [/\b(Bearer|Basic|Digest|Negotiate)\s{1,8}[\w.~+/=-]{4,}/gi, `$1 ${REDACTED}`],
  [/(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]*/g, REDACTED],
  [/((?<![\w+.-])[a-z][\w+.-]*:\/\/)[^\s/?#]+@/gi, `$1${REDACTED}@`],
  // Tokens with the prefix of their issuer: GitHub, GitLab, npm, Slack, Stripe, AWS, Google.
  [/(?<![\w-])(?:gh[pousr]_|github_pat_|glpat-|npm_|xox[abeprs]-|[rs]k_(?:live|test)_|AKIA|AIza)[\w-]{12,}/g, REDACTED],
  // OpenAI, Anthropic, Hugging Face, DigitalOcean, Shopify, PyPI, Google (OAuth), Stripe (webhooks).
  [/(?<![\w-])(?:sk-(?:proj|ant)-|hf_|dop_v1_|shp(?:at|ca|ss)_|pypi-AgE|ya29\.|whsec_)[\w-]{12,}/g, REDACTED],
  // AWS (temporary), SendGrid.
  [/(?<![\w-])(?:ASIA[A-Z\d]{16}|SG\.[\w-]{12,}\.[\w-]{12,})/g, REDACTED],
  // Passwords in short options.
  [/\b((?:mysql|mariadb)\w{0,16}\b[^\n|;]{0,200}?\s-p)(?!\s)\S+/g, `$1${REDACTED}`],
  [/\b(sshpass\s{1,8}-p\s{0,8}|redis-cli\b[^\n|;]{0,200}?\s-a\s{1,8})\S+/g, `$1${REDACTED}`],
  [/\b(curl\b[^\n|;]{0,200}?\s(?:-u\s{0,8}|--user[\s=]{1,8}))\S+/g, `$1${REDACTED}`]
]

/** Returns whether a value is secret by its name. @param {string} name of a header, a parameter or a variable */
export const isSecret = name => SECRET_PART.test(name) || toWords(name).some(word => SECRET_END.test(word))

/** Splits a name into its words. @param {string} name in camel case, or with "_", "-" or "." between its words */
const toWords = name => name.replace(/([a-z\d])([A-Z])/g, '$1 $2').split(/[^A-Za-z\d]+/)

/**
 * Replaces the values of secret names.
 * @param {Record<string, string>} values by name
 * @returns {Record<string, string>}
 */
export const withoutSecretValues = values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isSecret(name) ? REDACTED : value]))

/**
 * Removes the values of secret parameters from a path: those of its query, and path parameters (";token=…") up to the
 * next ";" or the query.
 * @param {string} path
 */
export const pathWithoutSecrets = path => [/([?&])([^=&#?]*)=([^&#]*)/g, /(;)([^=&#?;/]*)=([^&#?;]*)/g].reduce(
  (text, pattern) => text.replace(pattern, (whole, sign, name) =>
    isSecret(decoded(name)) ? `${sign}${name}=${REDACTED}` : whole), path)

/** Decodes a text. Returns invalid text unchanged. @param {string} text percent-encoded */
function decoded (text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Removes secrets from a program's output or a command line.
 * @param {string} text
 * @param {string[]} [secrets] values that are removed wherever they occur
 */
export function textWithoutSecrets (text, secrets = []) {
  // The longest first, because a secret can contain another one.
  const withoutKnown = secrets.filter(value => value.length >= SHORTEST).sort((a, b) => b.length - a.length)
    .reduce((text, value) => text.replaceAll(value, REDACTED), text)
  const withoutForms = FORMS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), withoutKnown)
  return withoutValues(withoutValues(withoutForms, ASSIGNMENT, findAssignedValue), OPTION, findOptionValue)
}

/**
 * Removes the values after the matches of a pattern. Skips matches inside a removed value.
 * @param {string} text
 * @param {RegExp} pattern
 * @param {(match: RegExpExecArray) => RegExp | null} findValue sticky pattern of the value; null: it is not secret
 */
function withoutValues (text, pattern, findValue) {
  let result = ''
  let end = 0
  for (const match of text.matchAll(pattern)) {
    const value = match.index < end ? null : findValue(match)
    if (!value) continue
    const start = match.index + match[0].length
    value.lastIndex = start
    const length = value.exec(text)?.[0].length ?? 0
    if (length === 0) continue
    result += text.slice(end, start) + REDACTED
    end = start + length
  }
  return result + text.slice(end)
}

/** @param {RegExpExecArray} match of OPTION */
const findOptionValue = ([, name]) => isSecret(name) ? SHELL_VALUE_HERE : null

/** @param {RegExpExecArray} match of ASSIGNMENT */
function findAssignedValue ({ 0: whole, 1: name, 2: separator, index, input }) {
  if (!isSecretAssignment(name, separator)) return null
  const isQuoted = /["']/.test(input[index + whole.length])
  if (SECRET_HEADER.test(name) && !isQuoted) return LINE_HERE
  const isShell = separator === '=' && (index === 0 || /[\s;&|(=]/.test(input[index - 1]))
  return isShell ? SHELL_VALUE_HERE : VALUE_HERE
}

/**
 * Returns whether the value after a name and a separator is secret. A single word such as "key" or "pass" before a bare
 * colon is taken for prose.
 * @param {string} name
 * @param {string} separator
 */
const isSecretAssignment = (name, separator) => isSecret(name) &&
  (SECRET_PART.test(name) || /["'=]|%3D/i.test(separator) || toWords(name).length > 1)

/**
 * Returns the secret values of a set such as the environment.
 * @param {Record<string, string | undefined>} values
 * @returns {string[]}
 */
const secretValues = values =>
  Object.entries(values).flatMap(([name, value]) => isSecret(name) && value ? [value] : [])

/**
 * Returns all secrets that must not appear in a command's output. Excludes the variables of a shell for folders, whose
 * names look like those of passwords.
 * @param {Pick<Load, 'headers' | 'path'>} load
 * @param {Record<string, string | undefined>} environment
 * @returns {string[]}
 */
export const secretsOf = ({ headers, path }, { PWD, OLDPWD, ...environment }) => [
  ...secretValues(headers),
  // The words after the name of a scheme ("Bearer …") are secrets too, because they may occur without the name.
  ...secretValues(headers).flatMap(value => value.split(/\s+/).slice(1)),
  ...secretValues(Object.fromEntries(new URLSearchParams(path.split('?')[1] ?? ''))),
  ...secretValues(environment)
]

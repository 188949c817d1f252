/**
 * Detects secrets in headers, parameters, variables and text, and removes them (pure).
 *
 * Every pattern takes time that grows linearly with the text. Names match only at their first character, and the text
 * between two parts of a pattern has a limited length.
 */
import { attempt } from './attempt.js'

/** @import { Load } from '../types.js' */

/** Printed and stored in place of a secret. */
export const REDACTED = '[redacted]'

/** Parts of names whose values are secret. */
const SECRET_PART = new RegExp('auth|cookie|token|secret|passw|passphrase|pwd|api[-_]?key|private[-_]?key|' +
  'access[-_]?key|session|signature|credential|[cx]srf|jwt', 'i')
/** A word of a name that makes the name secret by its end: DB_PASS, STRIPE_KEY, X-Key, sig. */
const SECRET_END = /(?:pass|keys?|sig|pin|otp)$/i
/**
 * Parameters that are secret only in URLs: results of logins (CAS, SAML, OpenID Connect), sessions (PHPSESSID,
 * connect.sid), invitations, e-mail addresses, and signatures of CDNs.
 */
const LOGIN = new RegExp('^(?:pgt(?:iou|id)?|saml(?:art|request|response)|relaystate|assertion|nonce|hmac|' +
  'hdn(?:ea|ts|tl)|invit(?:e|ation)|e[-_]?mail)$|sess_?id|(?:^|[-_.])sid$', 'i')
/** Parameters of logins (OAuth, CAS) that are also ordinary words, and values that no login has: short, or words. */
const LOGIN_WORD = /^(?:code|state|ticket)$/i
const ORDINARY_VALUE = /^(?:.{0,5}|[a-z _+-]{0,15})$/i
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

/** Sources of patterns for the first and the last line of a private key. */
export const KEY_BEGIN = '-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----'
export const KEY_END = KEY_BEGIN.replace('BEGIN', 'END')
/**
 * Prefixes of tokens, each with the rest of a real token. Names in code can begin with a prefix, too. null: the token
 * lasts an hour, is for tests, or is part of pages.
 *
 * @type {[prefix: string, rest: string | null][]}
 */
export const TOKENS = [
  // GitHub, GitLab, npm, PyPI, Slack.
  ['gh[pousr]_', '[A-Za-z0-9]{36}'], ['github_pat_', '\\w{22}'], ['glpat-', '[\\w-]{20}'], ['npm_', '[A-Za-z0-9]{36}'],
  ['pypi-AgE', '[\\w-]{50}'], ['xox[abeprs]-', '\\d[\\w-]{10}'],
  // AWS, Google, DigitalOcean, Stripe, Shopify.
  ['AKIA', '[A-Z\\d]{16}\\b'], ['AIza', null], ['ya29\\.', null], ['dop_v1_', '[\\da-f]{64}'],
  ['[rs]k_live_', '[A-Za-z0-9]{16}'], ['[rs]k_test_', null], ['whsec_', '[A-Za-z0-9]{32}'],
  ['shp(?:at|ca|ss)_', '[\\da-f]{32}'],
  // OpenAI, Anthropic, Hugging Face.
  ['sk-(?:proj|ant)-', '[\\w-]{40}'], ['hf_', '[A-Za-z0-9]{34}']
]
const PREFIXES = TOKENS.map(([prefix]) => prefix).join('|')

/** Secrets that are recognised by their form and not by a name, with their replacements. @type {[RegExp, string][]} */
const FORMS = [
  [new RegExp(`${KEY_BEGIN}[\\s\\S]*?(?:${KEY_END}|$)`, 'g'), REDACTED],
  [/\b(Bearer|Basic|Digest|Negotiate)\s{1,8}[\w.~+/=-]{4,}/gi, `$1 ${REDACTED}`],
  [/(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]*/g, REDACTED],
  [/((?<![\w+.-])[a-z][\w+.-]*:\/\/)[^\s/?#]+@/gi, `$1${REDACTED}@`],
  [new RegExp(`(?<![\\w-])(?:${PREFIXES})[\\w-]{12,}`, 'g'), REDACTED],
  // AWS (temporary), SendGrid.
  [/(?<![\w-])(?:ASIA[A-Z\d]{16}|SG\.[\w-]{12,}\.[\w-]{12,})/g, REDACTED],
  // Passwords in short options.
  [/\b((?:mysql|mariadb)\w{0,16}\b[^\n|;]{0,200}?\s-p)(?!\s)\S+/g, `$1${REDACTED}`],
  [/\b(sshpass\s{1,8}-p\s{0,8}|redis-cli\b[^\n|;]{0,200}?\s-a\s{1,8})\S+/g, `$1${REDACTED}`],
  [/\b(curl\b[^\n|;]{0,200}?\s(?:-u\s{0,8}|--user[\s=]{1,8}))\S+/g, `$1${REDACTED}`]
]

/** Returns whether a value is secret by its name. @param {string} name of a header, a parameter or a variable */
export const isSecret = name => SECRET_PART.test(name) || toWords(name).some(word => SECRET_END.test(word))

/**
 * Returns whether a parameter of a URL is secret: by its name, as a result of a login, or as a signature of a CDN.
 * @param {string} name
 * @param {string} value
 */
export const isSecretParameter = (name, value) =>
  isSecret(name) || LOGIN.test(name) || (LOGIN_WORD.test(name) && !ORDINARY_VALUE.test(value))

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
  (text, pattern) => text.replace(pattern, (whole, sign, name, value) =>
    isSecretParameter(decoded(name), decoded(value)) ? `${sign}${name}=${REDACTED}` : whole), path)

/** Decodes a text. Returns invalid text unchanged. @param {string} text percent-encoded */
const decoded = text => attempt(() => decodeURIComponent(text), () => text)

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
const secretValues = values => Object.entries(values).flatMap(([name, value]) => isSecret(name) && value ? [value] : [])

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
  ...[...new URLSearchParams(path.split('?')[1])].flatMap(pair => isSecretParameter(...pair) ? pair[1] : []),
  ...secretValues(environment)
]

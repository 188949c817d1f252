/**
 * Finds secrets in URLs and headers of files from outside: access logs and HAR files (pure). Their requests are left
 * out, because what is loaded is also stored and published.
 *
 * Every pattern takes time that grows linearly with the text, because each match has a limited length.
 */
import { isSecret, textWithoutSecrets } from './secrets.js'

/** Limit of a path with its query, in characters. Servers reject longer ones. */
const MAX_PATH = 8192
/** A name before "=", in a query, a path parameter, a path segment, or a parameter of a header. */
const NAMED = /(?:^|[?&;#/,\s[])([^?&;#/,=\s[\]]{1,100})\]?=/g
/**
 * Names of parameters that are secret only in URLs: results of logins (OAuth 2.0, OpenID Connect, SAML, CAS), sessions
 * (PHPSESSID, connect.sid), invitations, and signed URLs of networks that do not name a signature.
 */
const PARAMETER = new RegExp('^(?:code|state|nonce|ticket|pgt(?:iou|id)?|saml(?:art|request|response)|relaystate|' +
  'assertion|invit(?:e|ation)|e[-_]?mail|hmac|hdn(?:ea|ts|tl))$|sess_?id|(?:^|[-_.])sid$', 'i')
/** Start of an object of JSON in base64, as in JSON web tokens and signed sessions: {" and at least 7 bytes. */
const JSON_TOKEN = /eyJ[\w-]{10}/
/** Length from which a text of letters and digits counts as random. UUIDs have 36 characters and are no secrets. */
const MIN_RANDOM = 32
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
/**
 * Changes between digits, capitals and small letters per character. Random hexadecimal digits have 0.47 on average, so
 * that one in 10,000 texts of 32 has less than this. Lower values would match words with numbers.
 */
const MIN_CHANGES = 0.12
/** Files whose names and queries hold a hash of their content. */
const ASSET = /\.(?:m?js|css|map|wasm|woff2?|ttf|otf|eot|svg|png|jpe?g|gif|webp|avif|ico|mp4|webm)(?:\?|$)/i

/**
 * Returns whether a path with its query contains a secret, by the name of a parameter, by its form, or as a long random
 * text.
 *
 * @param {string} path
 */
export function hasUrlSecret (path) {
  if (path.length > MAX_PATH || hasSecret(path)) return true
  return !ASSET.test(path) && toDecoded(path).split(/[^\w-]+/).some(isRandom)
}

/**
 * Returns whether a text contains a secret, by the name of a parameter or by its form.
 *
 * @param {string} text of a URL or a header
 */
export const hasSecret = text => [text, decode(text), toDecoded(text)].some(decoded =>
  JSON_TOKEN.test(decoded) || textWithoutSecrets(decoded) !== decoded ||
  [...decoded.matchAll(NAMED)].some(([, name]) => isSecret(name) || PARAMETER.test(name)))

/** Decodes a text that may be encoded twice, as in a URL that is a parameter. @param {string} text */
const toDecoded = text => decode(decode(text))

/** Decodes the percent-encoded characters of ASCII, also in an invalid text. @param {string} text */
const decode = text => text.replace(/%([0-7][\da-f])/gi, (_, digits) => String.fromCharCode(parseInt(digits, 16)))

/** @param {string} text of letters, digits, "-" and "_" */
function isRandom (text) {
  if (text.length < MIN_RANDOM || UUID.test(text) || !/\d/.test(text) || !/[a-z]/i.test(text)) return false
  const classes = text.replace(/[-_]/g, '').replace(/\d/g, '0').replace(/[a-z]/g, 'a').replace(/[A-Z]/g, 'A')
  const changes = [...classes].filter((type, i) => i > 0 && type !== classes[i - 1]).length
  return changes >= classes.length * MIN_CHANGES
}

/**
 * Finds secrets in URLs and headers of files from outside: access logs and HAR files (pure). Their requests are left
 * out, because what is loaded is also stored and published.
 *
 * Every pattern takes time that grows linearly with the text, because each match has a limited length.
 */
import { isSecretParameter, textWithoutSecrets } from './secrets.js'

/** Limit of a path with its query, in characters. Servers reject longer ones. */
const MAX_PATH = 8192
/** A name, "=" and a value, in a query, a path parameter, a path segment, or a parameter of a header. */
const NAMED = /(?<=^|[?&;#/,\s[])([^?&;#/,=\s[\]]{1,100})\]?=([^?&;#/,\s]*)/g
/** Start of an object of JSON in base64, as in JSON web tokens and signed sessions: {" and at least 7 bytes. */
const JSON_TOKEN = /eyJ[\w-]{10}/
/** A long segment or value with a digit, after a word of links that act for a person, as reset or verify. */
const LINK = new RegExp('/[^/?#]{0,40}(?:(?<![bp])(?:reset|log-?in)|verif|confirm|activat|invit|magic-?link|' +
  'unsubscribe|share|passw)[^/?#]{0,40}(?:/|\\?[^#]{0,200}?=)(?=[a-z_-]*\\d)[\\w-]{16}', 'i')
/** Shortest text of letters and digits that can be random. Shorter ones are names of versions and products. */
const MIN_RANDOM = 32
/** Identifiers, and hashes of contents. */
const KNOWN = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|(?<![a-z\d])[\da-f]{32,}(?![a-z\d])/gi
/** A digit beside a letter, a capital that begins no word, or a single small letter. */
const CHANGE = /\d(?=[A-Za-z])|[A-Za-z](?=\d)|[a-z](?=[A-Z](?![a-z]))|[A-Z](?=[a-z](?![a-z]))/g
/** Changes per character. Random letters and digits have 0.47 on average, and names at most one for each word. */
const MIN_CHANGES = 0.15
/** Files whose names and queries hold a hash of their content. */
const ASSET = /^[^?]*\.(?:m?js|css|map|wasm|woff2?|ttf|otf|eot|svg|png|jpe?g|gif|webp|avif|ico|mp4|webm)(?:\?|$)/i

/**
 * Returns whether a path with its query contains a secret, by the name of a parameter, by its form, or as a long random
 * text.
 *
 * @param {string} path
 */
export function hasUrlSecret (path) {
  if (path.length > MAX_PATH || hasSecret(path)) return true
  const text = toDecoded(path)
  return LINK.test(text) || (!ASSET.test(path) && text.replace(KNOWN, '').split(/[^\w-]+/).some(isRandom))
}

/**
 * Returns whether a text contains a secret, by the name of a parameter or by its form.
 *
 * @param {string} text of a URL or a header
 */
export const hasSecret = text => [...new Set([text, decode(text), toDecoded(text)])].some(decoded =>
  JSON_TOKEN.test(decoded) || textWithoutSecrets(decoded) !== decoded ||
  [...decoded.matchAll(NAMED)].some(([, name, value]) => isSecretParameter(name, value)))

/** Decodes a text that may be encoded twice, as in a URL that is a parameter. @param {string} text */
const toDecoded = text => decode(decode(text))

/** Decodes the percent-encoded characters of ASCII, also in an invalid text. @param {string} text */
const decode = text => text.replace(/%([0-7][\da-f])/gi, (_, digits) => String.fromCharCode(parseInt(digits, 16)))

/** @param {string} text of letters, digits, "-" and "_" */
const isRandom = text => text.length >= MIN_RANDOM && (text.match(CHANGE) ?? []).length >= text.length * MIN_CHANGES

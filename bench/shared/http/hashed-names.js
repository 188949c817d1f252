/**
 * Recognises files whose names have a hash of their content, as builders write them (pure). Browsers keep such files
 * for good, so a name that may be made by hand is not recognised, even if some hashes look like it.
 */

/** @import { BuiltFolder } from '../../types.js' */

/** Pattern of pages, which browsers validate each time, independent of their names. */
export const PAGE = '(?:/|\\.html?)$'
/** End of a file of code. */
const CODE = '\\.(?:m?js|css)(?:\\.map)?$'
/** End of a file after a hexadecimal hash. */
const HEX_END = '(?:\\.(?:chunk|m?js|css))*\\.[a-z0-9]+$'
const END = '\\.[a-z0-9]+$'

/**
 * Rules for paths. A path has a hash if it matches all patterns of a rule. The later ones hold for the same part of the
 * name as the first one. They are without lookahead, which the regular expressions of Go lack.
 */
const RULES = [
  // Folders of builders alone: Astro, SvelteKit, Next, Nuxt (whose builds/latest.json changes), Gatsby.
  ['/(?:_astro|_app/immutable|_next/static|static/[0-9a-f]{32})/|/_nuxt/[^/]+$'],
  // Hexadecimal: webpack, Parcel, Create React App, Gatsby. A date has no letter.
  [`[._-][0-9a-f]{8,64}${HEX_END}`, `[0-9][0-9a-f]*${HEX_END}`, `[a-f][0-9a-f]*${HEX_END}`],
  // Digits alone, which are not a date, of Create React App.
  ['/static/(?:js|css)/[^/]+\\.[03-9][0-9]{7}(?:\\.chunk)?\\.(?:js|css)(?:\\.map)?$'],
  // Base64 of Vite and Rollup. Names that cameras write, such as IMG_1234, have no lower-case letter.
  [`/assets/.*[.-][\\w-]{8}${END}`, `[A-Z][\\w-]{0,6}${END}`, `[a-z][\\w-]{0,7}${END}`, `[0-9][\\w-]{1,7}${END}`],
  // Base32 of esbuild. Angular and Remix have parts of these names; others need a digit before a letter.
  [`/(?:main|polyfills|scripts|styles|chunk)-[A-Z2-7]{8}${CODE}`],
  [`[-/][A-Z2-7]{8}(?:${CODE}|\\.(?:woff2?|svg|png|webp|jpg)$)`, '[2-7][A-Z][A-Z2-7]*\\.[a-z0-9.]+$']
]

/** End of a file after a hash in a folder of a builder. */
const BUILT_END = '(?:\\.m?js|\\.css)?\\.[a-z0-9]+$'
/**
 * Rules for the last 8 characters of names in folders that a builder alone writes. Of base64url 99.2 % of the hashes
 * match, and no word that is in lower or upper case or capitalised, also with digits after it.
 * @type {Record<BuiltFolder['hash'], string[]>}
 */
const BUILT = {
  base64: [`-[\\w-]{8}${BUILT_END}`, `(?:[A-Z]|[0-9][A-Za-z])[\\w-]{0,6}${BUILT_END}`,
    `(?:[a-z]|[0-9][A-Z])[\\w-]{0,7}${BUILT_END}`],
  base32: [`-[A-Z2-7]{8}${BUILT_END}`]
}

/**
 * Returns the rules as lists of patterns, all of which a path matches, for the regular expressions of Go.
 * @param {BuiltFolder[]} [built]
 */
export const toHashRules = (built = []) =>
  [...RULES, ...built.map(({ path, hash }) => [`^${path.replaceAll('.', '\\.')}/`, ...BUILT[hash]])]

/**
 * Returns the rules as one pattern each, for the regular expressions of nginx and Apache.
 * @param {BuiltFolder[]} [built]
 */
export const toHashPatterns = built => toHashRules(built).map(patterns =>
  patterns.length === 1 ? patterns[0] : `^${patterns.map(pattern => `(?=.*(?:${pattern}))`).join('')}`)

/**
 * Returns whether a file has a hash of its content in its name, so that its content never changes.
 * @param {string} path of its URL, as in "/assets/app.3f2a91bc.js"
 * @param {BuiltFolder[]} [built]
 */
export const hasHashedName = (path, built) => !new RegExp(PAGE).test(path) &&
  toHashRules(built).some(patterns => patterns.every(pattern => new RegExp(pattern).test(path)))

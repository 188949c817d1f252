/** Finds the files of the same site to which pages, style sheets and scripts link (pure). Paths have their queries. */
import { attempt } from '../attempt.js'
import { hasHashedName } from './hashed-names.js'

const LINK = /<(?:script|link|img|source)\b[^>]*?\s(?:src|href)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi
const BASE = /<base\b[^>]*?\shref\s*=\s*["']?([^"'\s>]+)/i
const STYLE_LINK = /\burl\(\s*(?:"([^"]*)"|'([^']*)'|([^"'()\s]+))\s*\)|@import\s+(?:"([^"]*)"|'([^']*)')/gi
const IMPORT = /\b(?:import|from)\s*(?:"([^"\n]+)"|'([^'\n]+)')/g
/** Dynamic imports, in front of whose path Vite writes a comment. */
const LATE_IMPORT = /\bimport\(\s*(?:\/\*[^*]*\*\/\s*)?(?:"([^"\n]+)"|'([^'\n]+)'|`([^`\n$]+)`)/g
/** Strings that are names of files. Those in scripts of pages may be within another string. */
const NAME = new RegExp('["\'`](?!\\.\\w)([^"\'`\\\\\\s<>{}]{1,200}' +
  '\\.(?:m?js|css|json|wasm|woff2?|ttf|svg|png|jpe?g|gif|webp|avif))\\\\?["\'`]', 'gi')
/** Names of chunks in webpack: `"js/" + ({ 2: "about" }[e] || e) + "." + { 2: "5e8f5c2d" }[e] + ".js"`. */
const CHUNK = new RegExp('"([\\w./@~-]{0,80})"\\s*\\+\\s*' +
  '(?:\\(+(\\{[^{}]{0,9999}\\})\\)*\\[\\w+\\]\\s*\\|\\|\\s*\\w+\\)+|\\w+)\\s*\\+\\s*"([.~-])"\\s*\\+\\s*' +
  '\\(*(\\{[^{}]{0,9999}\\})\\)*\\[\\w+\\]\\s*\\+\\s*"([\\w.-]{1,40})"', 'g')
/** A looser rule than that of hashed-names.js, because the site shows whether there is such a file. */
const MAYBE_HASHED = /[-._][\w-]{8,}\.\w+$/
const ENTRY = /(?:"([^"]+)"|([\w$]+))\s*:\s*"([^"]+)"/g
/** Origin of a page, of which only the path matters. */
const ORIGIN = 'http://app.invalid'

/**
 * Lists the files that a browser requests with a page.
 * @param {string} html
 * @param {string} path of the page
 * @returns {string[]} each once
 */
export function listLinks (html, path) {
  const page = new URL(path, ORIGIN)
  const base = attempt(() => new URL(BASE.exec(html)?.[1] ?? '', page), () => page)
  const texts = matchTexts(html, LINK).map(text => text.replaceAll('&amp;', '&'))
  // Scripts within a page run at once, and SvelteKit begins with an import() there.
  const imports = matchTexts(html, LATE_IMPORT).filter(isPath)
  const links = resolve([...texts, ...imports], base)
  return unique([...links, ...listStyleLinks(html, base), ...listImports(html, base)]).filter(link => link !== path)
}

/**
 * Lists the files that a browser requests for a style sheet.
 * @param {string} css
 * @param {string | URL} path of the sheet
 */
export const listStyleLinks = (css, path) => resolve(matchTexts(css, STYLE_LINK), path)

/**
 * Lists the modules that a browser requests with a script.
 * @param {string} script
 * @param {string | URL} path of the script
 */
export const listImports = (script, path) => resolve(matchTexts(script, IMPORT).filter(isPath), path)

/**
 * Lists the files that a script may request later: its dynamic imports, and the names in it that may have hashes.
 * @param {string} script or a page with scripts
 * @param {string} path
 * @returns {string[]} each once; files that the site lacks are among them
 */
export function listLateLinks (script, path) {
  const imports = matchTexts(script, LATE_IMPORT).filter(isPath)
  const names = [...matchTexts(script, NAME), ...listChunks(script)]
  const hashed = names.flatMap(name => toBases(name, path).flatMap(base => resolve([name], base)))
    .filter(link => MAYBE_HASHED.test(link) || hasHashedName(link))
  return unique([...resolve(imports, path), ...hashed])
}

/**
 * Returns the paths to which a name may be relative. Builders write names with the folder of the script, as in
 * "assets/page.js" in /shop/assets/main.js, or relative to that folder, or to the root.
 * @param {string} name
 * @param {string} path of the script
 */
function toBases (name, path) {
  if (isPath(name)) return [path]
  const folders = path.split('/').slice(0, -1)
  const at = folders.indexOf(name.split('/')[0], 1)
  return name.includes('/') && at > 0 ? [`${folders.slice(0, at).join('/')}/`] : [path, '/']
}

/** @param {string} script */
const listChunks = script => [...script.matchAll(CHUNK)].flatMap(([, start, names = '', sign, hashes, end]) => {
  const nameOf = new Map(listEntries(names))
  return listEntries(hashes).map(([key, hash]) => `${start}${nameOf.get(key) ?? key}${sign}${hash}${end}`)
})

/**
 * @param {string} object as written in a script
 * @returns {[key: string, value: string][]}
 */
const listEntries = object =>
  [...object.matchAll(ENTRY)].map(([, quoted, plain, value]) => [quoted ?? plain, value])

/** Returns whether an import names a path, and no package. @param {string} text */
const isPath = text => /^(?:\.{0,2}\/|https?:)/.test(text)

/**
 * @param {string} text
 * @param {RegExp} pattern with alternatives
 */
const matchTexts = (text, pattern) =>
  [...text.matchAll(pattern)].flatMap(([, ...groups]) => groups.find(group => group !== undefined) ?? [])

/**
 * @param {string[]} texts
 * @param {string | URL} base
 */
const resolve = (texts, base) => texts.flatMap(text => attempt(() => {
  const { origin, pathname, search } = new URL(text, new URL(base, ORIGIN))
  return origin === ORIGIN ? [`${pathname}${search}`] : []
}, () => []))

/** @param {string[]} links */
const unique = links => [...new Set(links)]

/** Requested paths and their weights: from the folder of --root, or from the list or access log of --paths. */
import { statSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { HopbenchError } from '../errors.js'
import { checkRoot } from './user-files.js'
import { attempt } from '../shared/attempt.js'
import { plural } from '../shared/format.js'
import { randomFrom, shuffle } from '../shared/random.js'
import { hasUrlSecret } from '../shared/url-secrets.js'
import { describeFileError } from '../machine/files/file-failures.js'
import { readPlainFile } from '../machine/files/plain-files.js'

/** Largest list or access log, which is read as one text. */
const LIST = { maxBytes: 2 ** 28, followsLinks: true }
/**
 * Length of the sequence of requests that each connection repeats. Long enough to represent the weights, and short
 * enough for a command line.
 */
export const MAX_SEQUENCE = 300
/** Matches the request in a line of the common or the combined log format. */
const LOGGED = /"(?:GET|HEAD) (\/[^\s"]*) HTTP\/[\d.]+" (\d{3})/

/**
 * Returns every file of a folder with weight 1, so that sizes and types are as frequent as in the folder.
 *
 * @param {string} root absolute
 * @returns {Map<string, number>}
 * @throws {HopbenchError} root-missing, root-unreadable, root-empty
 */
export const mixOfFolder = root => new Map(checkRoot(root).map(({ path }) => [path, 1]))

/**
 * Counts the paths in a text: one path per line, or an access log of nginx or Apache. Of a log, only responses with
 * status 200 count.
 *
 * @param {string} text
 * @param {{ keepsQueries?: boolean }} [options] keepsQueries: an app may respond to them, files do not
 * @returns {Map<string, number>} number of requests by path; empty if the text has no path
 */
function mixOfText (text, { keepsQueries = false } = {}) {
  /** @type {Map<string, number>} */
  const mix = new Map()
  for (const line of text.split('\n')) {
    const [, logged, status] = LOGGED.exec(line) ?? []
    if (logged && status !== '200') continue
    if (!logged && !line.startsWith('/')) continue
    const path = encodeSpecial((logged ?? line.trim()).replace(keepsQueries ? /#.*$/ : /[?#].*$/, ''))
    mix.set(path, (mix.get(path) ?? 0) + 1)
  }
  return mix
}

/** Encodes characters that a request line cannot contain, such as spaces in a list of files. @param {string} path */
const encodeSpecial = path => path.replace(/[^\x21-\x7e]+/g, text => encodeURIComponent(text))

/**
 * Counts the paths in a file that exist below the root.
 *
 * @param {string} file
 * @param {string} root
 * @returns {{ mix: Map<string, number>, missing: number }} missing: number of paths without a file
 * @throws {HopbenchError} paths-unreadable, paths-empty
 */
export function mixOfFile (file, root) {
  const all = mixOfText(readList(file))
  const mix = new Map([...all].filter(([path]) => isFile(root, path)))
  if (mix.size === 0) throw new HopbenchError('paths-empty', { file, root, listed: all.size })
  return { mix, missing: all.size - mix.size }
}

/**
 * Counts the paths in a file whose responses come from an app.
 *
 * @param {string} file
 * @returns {{ mix: Map<string, number>, notes: string[] }} notes: what is left out
 * @throws {HopbenchError} paths-unreadable, paths-empty
 */
export function mixForApp (file) {
  const all = mixOfText(readList(file), { keepsQueries: true })
  const mix = new Map([...all].filter(([path]) => !hasUrlSecret(path)))
  if (mix.size === 0) throw new HopbenchError('paths-empty', { file, root: null, listed: all.size })
  const secret = all.size - mix.size
  return { mix, notes: secret > 0 ? [`${plural(secret, 'path')} with a secret in the URL`] : [] }
}

/** @param {string} file */
const readList = file => attempt(() => readPlainFile(file, LIST).toString(), error => {
  throw new HopbenchError('paths-unreadable', { file, why: describeFileError(error) }, { cause: error })
})

/**
 * Draws a sequence of requests in proportion to the weights, and shuffles it.
 *
 * @template {object | string} Request
 * @param {Map<Request, number>} mix number of equal requests, such as those of a path
 * @param {number} seed
 * @returns {Request[]}
 */
export function sequenceOf (mix, seed) {
  const random = randomFrom(seed, 'mix')
  const total = [...mix.values()].reduce((a, b) => a + b, 0)
  const most = Math.min(MAX_SEQUENCE, total)
  // Systematic sampling: each path gets its share to within one request.
  const entries = shuffle([...mix], random)
  const start = random()
  /** @type {Request[]} */
  const sequence = []
  let reached = 0
  for (const [request, weight] of entries) {
    reached += weight / total * most
    while (sequence.length + start < reached && sequence.length < most) sequence.push(request)
  }
  return shuffle(sequence, random)
}

/**
 * @param {string} root
 * @param {string} path
 */
const isFile = (root, path) => attempt(() => {
  const file = resolve(root, `.${decodeURIComponent(path)}`)
  return file.startsWith(resolve(root) + sep) && statSync(file).isFile()
}, () => false)

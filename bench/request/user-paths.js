/** Requested paths and their weights: from the folder of --root, or from the list or access log of --paths. */
import { statSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { HopbenchError } from '../errors.js'
import { checkRoot, listOddNames, listPrecompressed } from './user-files.js'
import { attempt } from '../shared/attempt.js'
import { percent, plural } from '../shared/format.js'
import { sum } from '../shared/group-by.js'
import { randomFrom, shuffle } from '../shared/random.js'
import { hasUrlSecret } from '../shared/url-secrets.js'
import { readLog } from './log-file.js'

/**
 * Length of the sequence of requests that each connection repeats. Long enough to represent the weights, and short
 * enough for a command line.
 */
export const MAX_SEQUENCE = 300

/** Largest requested file, in bytes, because a single larger one would take up most of the load. */
export const MAX_FILE_BYTES = 10 * 2 ** 20

/**
 * Requests of a list or an access log.
 * @typedef {object} PathMix
 * @property {Map<string, number>} mix number of requests by path
 * @property {string | null} about format of the log, and number of its lines
 * @property {string[]} notes what is left out, with its share
 */

/**
 * Returns the files of a folder with weight 1, so that sizes and types are as frequent as in the folder. Leaves out
 * files that a browser does not request, and large ones, of which a single one would take up most of the load.
 *
 * @param {string} root absolute
 * @returns {PathMix}
 * @throws {HopbenchError} root-missing, root-unreadable, root-empty
 */
export function mixOfFolder (root) {
  const files = checkRoot(root)
  const large = files.filter(({ bytes }) => bytes > MAX_FILE_BYTES)
  const packed = listPrecompressed(files.map(({ path }) => path))
  const odd = listOddNames(root)
  const mix = new Map(files.flatMap(file => large.includes(file) || packed.has(file.path) ? [] : [[file.path, 1]]))
  /** @type {[string[], string][]} */
  const leftOut = [
    [[...packed], 'that a server sends in place of another one'],
    [large.map(({ path }) => path), `of more than ${MAX_FILE_BYTES / 2 ** 20} MiB`],
    [odd, 'with a name that some servers do not find']
  ]
  if (mix.size === 0) throw new HopbenchError('root-empty', { dir: root })
  return {
    mix,
    about: null,
    notes: leftOut.flatMap(([list, what]) => list.length === 0
      ? []
      : `${plural(list.length, 'file')} (${percent(list.length / (files.length + odd.length))}) ${what}, as ${list[0]}`)
  }
}

/**
 * Counts the paths in a file that exist below the root.
 *
 * @param {string} file
 * @param {string} root
 * @param {string} [logFormat]
 * @returns {PathMix}
 * @throws {HopbenchError} paths-unreadable, paths-empty
 */
export const mixOfFile = (file, root, logFormat) =>
  selectPaths(file, { root, logFormat, what: `without a file below ${root}`, isKept: path => isFile(root, path) })

/**
 * Counts the paths in a file whose responses come from an app.
 *
 * @param {string} file
 * @param {string} [logFormat]
 * @returns {PathMix}
 * @throws {HopbenchError} paths-unreadable, paths-empty
 */
export const mixForApp = (file, logFormat) =>
  selectPaths(file, { root: null, logFormat, what: 'with a secret in the URL', isKept: path => !hasUrlSecret(path) })

/**
 * @param {string} file
 * @param {{ root: string | null, logFormat?: string, what: string, isKept: (path: string) => boolean }} options root:
 *   null for an app; what: describes requests that are not kept
 * @returns {PathMix}
 */
function selectPaths (file, { root, logFormat, what, isKept }) {
  const { mix: all, about, notes } = readLog(file, { keepsQueries: root === null, logFormat })
  const mix = new Map([...all].filter(([path]) => isKept(path)))
  if (mix.size === 0) throw new HopbenchError('paths-empty', { file, root, listed: all.size, leftOut: notes })
  const total = sum([...all.values()])
  const left = total - sum([...mix.values()])
  return { mix, about, notes: left > 0 ? [...notes, `${printLeftOut(left, total)} ${what}`] : notes }
}

/**
 * Prints the requests that are left out and their share.
 * @param {number} left
 * @param {number} total
 */
export const printLeftOut = (left, total) => `${plural(left, 'request')} (${percent(left / total)})`

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
  const total = sum([...mix.values()])
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
  const file = resolve(root, `.${decodeURIComponent(path)}${path.endsWith('/') ? 'index.html' : ''}`)
  return file.startsWith(resolve(root) + sep) && statSync(file).isFile()
}, () => false)

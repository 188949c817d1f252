/** A person's own files as a load: which paths, and how often each, from their folder or from a list or an access log
 * of theirs. */
import { readFileSync, statSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { HopbenchError } from '../errors.js'
import { checkRoot } from './own-files.js'
import { randomFrom, shuffle } from '../shared/random.js'
import { describeFileError } from '../machine/file-failures.js'

/** @import { Mix } from './types.js' */

/** Requests in the sequence that every connection repeats: enough for the weights, and little enough for a command
 * line. */
const SEQUENCE = 300
/** The request in a line of the common and the combined log format. */
const LOGGED = /"(?:GET|HEAD) (\/[^\s"]*) HTTP\/[\d.]+" (\d{3})/

/**
 * Every file of a folder once, so that sizes and types weigh as often as they occur.
 *
 * @param {string} root absolute
 * @returns {Mix}
 * @throws {HopbenchError} root-missing, root-unreadable, root-empty
 */
export const mixOfFolder = root => new Map(checkRoot(root).map(({ path }) => [path, 1]))

/**
 * Paths from a text: one per line, or an access log of nginx or Apache, of which the answers with 200 count. Queries
 * are cut off.
 *
 * @param {string} text
 * @returns {Mix} empty where there is none
 */
export function mixOfText (text) {
  /** @type {Mix} */
  const mix = new Map()
  for (const line of text.split('\n')) {
    const [, logged, status] = LOGGED.exec(line) ?? []
    const path = logged ? (status === '200' ? logged : null) : line.startsWith('/') ? line.trim() : null
    if (!path) continue
    const plain = path.replace(/[?#].*$/, '')
    mix.set(plain, (mix.get(plain) ?? 0) + 1)
  }
  return mix
}

/**
 * Paths from a file of a person's own, as far as they exist below the root.
 *
 * @param {string} file
 * @param {string} root
 * @returns {{ mix: Mix, missing: number }} missing: how many paths of the list are no file there
 * @throws {HopbenchError} paths-unreadable, paths-empty
 */
export function mixOfFile (file, root) {
  let text
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new HopbenchError('paths-unreadable', { file, why: describeFileError(error) },
      { cause: error })
  }
  const all = mixOfText(text)
  const mix = new Map([...all].filter(([path]) => isFile(root, path)))
  if (mix.size === 0) throw new HopbenchError('paths-empty', { file, root, listed: all.size })
  return { mix, missing: all.size - mix.size }
}

/**
 * The mix as a sequence of requests, drawn in proportion to the weights and shuffled.
 *
 * @param {Mix} mix
 * @param {number} seed
 * @returns {string[]}
 */
export function sequenceOf (mix, seed) {
  const random = randomFrom(seed, 'mix')
  const total = [...mix.values()].reduce((a, b) => a + b, 0)
  const most = Math.min(SEQUENCE, total)
  // Systematic sampling: every path has its share to within one request, whatever its place.
  const entries = shuffle([...mix], random)
  const start = random()
  /** @type {string[]} */
  const sequence = []
  let reached = 0
  for (const [path, weight] of entries) {
    reached += weight / total * most
    while (sequence.length + start < reached && sequence.length < most) sequence.push(path)
  }
  return shuffle(sequence, random)
}

/**
 * @param {string} root
 * @param {string} path
 */
function isFile (root, path) {
  try {
    const file = resolve(root, `.${decodeURIComponent(path)}`)
    return file.startsWith(resolve(root) + sep) && statSync(file).isFile()
  } catch {
    return false
  }
}

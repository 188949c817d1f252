/** Counts the requests of a list of paths or an access log. */
import { HopbenchError } from '../errors.js'
import { describeFileError } from '../machine/files/file-failures.js'
import { count, percent, plural } from '../shared/format.js'
import { increase, mostFrequent } from '../shared/group-by.js'
import { randomFrom } from '../shared/random.js'
import { compileLogFormat, FORMATS } from './log-formats.js'
import { encodeByte, withLogLines } from './log-lines.js'

/** @import { Fields, Format } from './log-formats.js' */
/** @import { LogLine } from './log-lines.js' */

/** Most requests that are held in memory, of which 300 are sent. Of more, each has the same chance. */
const MAX_HELD = 100_000
/** Matches a URL, which clients of a proxy send in place of a path. */
const ABSOLUTE = /^https?:\/\/(?:[^/?#]*@)?([^/?#]*)(.*)$/i

/** @typedef {{ host: string | null, path: string }} Logged */
/**
 * Requests of a log.
 * @typedef {object} Log
 * @property {Map<string, number>} mix number of requests by path; empty: there is no request
 * @property {string | null} about format and number of lines that are used; null: a list whose lines are all used
 * @property {string[]} notes lines that are left out, by reason
 */

/**
 * Reads the requests of a file.
 * @param {string} file
 * @param {{ keepsQueries?: boolean, logFormat?: string }} [options] keepsQueries: an app may respond to them, files do
 * not; logFormat: of nginx, with a request
 * @returns {Log}
 * @throws {HopbenchError} paths-unreadable
 */
export function readLog (file, { keepsQueries = false, logFormat } = {}) {
  const parse = logFormat === undefined ? null : compileLogFormat(logFormat)
  const formats = parse ? [{ name: '--log-format', parse, isEscaped: true }] : FORMATS
  const counter = new LogCounter(keepsQueries)
  try {
    withLogLines(file, formats, lines => {
      for (const line of lines) counter.add(line)
    })
  } catch (error) {
    throw new HopbenchError('paths-unreadable', { file, why: describeFileError(error) }, { cause: error })
  }
  return counter.toLog()
}

/** Counts the lines of a log by what becomes of them, and holds a sample of the requests. */
class LogCounter {
  #keepsQueries
  #lines = 0
  #used = 0
  /** @type {Logged[]} */
  #held = []
  /** @type {Map<string, number>} */
  #leftOut = new Map()
  /** @type {Map<string, number>} */
  #named = new Map()
  #random = randomFrom(1, 'log')

  /** @param {boolean} keepsQueries */
  constructor (keepsQueries) {
    this.#keepsQueries = keepsQueries
  }

  /** Counts a line. @param {LogLine | null} line null: no format fits */
  add (line) {
    this.#lines++
    const logged = line ? this.#toLogged(line.format, line.fields) : 'that no format fits'
    if (typeof logged === 'string') increase(this.#leftOut, logged)
    else this.#hold(logged, /** @type {LogLine} */ (line).format)
  }

  /**
   * @param {Format} format
   * @param {Fields} fields
   * @returns {Logged | string} a string: why the line is left out
   */
  #toLogged ({ isEscaped }, { request, status = '', host, query, ...fields }) {
    const [, method = fields.method, target = fields.target] =
      /^([A-Z][A-Z-]*) (.+?)(?: HTTP\/[\d.]+)?$/.exec(request ?? '') ?? []
    if (method === undefined) return 'without a request'
    if (method !== 'GET') return 'with another method than GET'
    // A list has no statuses. 206 and 304 are responses to a request for a file that exists.
    if (/^\d/.test(status) && !/^(?:2\d\d|304)$/.test(status)) return 'with a response that is an error or a redirect'
    const [, authority = host, path] = ABSOLUTE.exec(target ?? '') ?? [undefined, undefined, target]
    if (path === undefined || !/^(?:\/|$)/.test(path)) return 'without a request'
    const whole = query && query !== '-' && !path.includes('?') ? `${path}?${query}` : path
    const kept = whole.replace(this.#keepsQueries ? /#.*$/ : /[?#].*$/, '')
    const named = authority?.toLowerCase().replace(/:\d+$/, '')
    return {
      host: named === undefined || named === '' || named === '-' ? null : named,
      path: `${path === '' ? '/' : ''}${encode(isEscaped ? unescape(kept) : kept)}`
    }
  }

  /**
   * Holds a request, or one in place of another, so that each has the same chance (reservoir sampling, Vitter 1985).
   * @param {Logged} logged
   * @param {Format} format
   */
  #hold ({ host, path }, { name }) {
    this.#used++
    increase(this.#named, name)
    const place = this.#held.length < MAX_HELD ? this.#held.length : Math.floor(this.#random() * this.#used)
    // A copy, because a part of a text keeps the whole text in memory.
    if (place < MAX_HELD) this.#held[place] = { host, path: Buffer.from(path).toString() }
  }

  /** @returns {Log} */
  toLog () {
    const hosts = this.#held.flatMap(({ host }) => host ?? [])
    const own = mostFrequent(hosts)
    const mix = new Map()
    for (const { host, path } of this.#held) if (host === null || host === own) increase(mix, path)
    // The share in the sample is that of the file.
    const others = Math.round(hosts.filter(host => host !== own).length * this.#used / Math.max(1, this.#held.length))
    const left = new Map(this.#leftOut)
    if (others > 0) left.set(`to other hosts than ${own}`, others)
    const notes = [...left].map(([why, lines]) =>
      `${plural(lines, 'line')} (${percent(lines / this.#lines)}) ${why}`)
    return { mix, notes, about: this.#describe(this.#used - others) }
  }

  /** @param {number} used number of lines */
  #describe (used) {
    const names = [...this.#named].sort(([, a], [, b]) => b - a).map(([name]) => name)
    if (names.length === 0 || (used === this.#lines && names[0] === FORMATS[0].name)) return null
    return `${names.join(', ')}; lines used: ${count(used)} of ${count(this.#lines)}`
  }
}

/** Replaces the escapes of nginx (\x22) and Apache (\"). @param {string} text */
const unescape = text => text.replace(/\\(?:x([\da-f]{2})|(["\\]))/gi, (_, digits, character) =>
  encodeByte(digits === undefined ? character.charCodeAt(0) : parseInt(digits, 16)))

/** Encodes characters that a request line cannot contain, such as spaces in a list of files. @param {string} path */
const encode = path => path.replace(/[^\x21-\x7e]+/g, text => encodeURIComponent(text.replace(/\p{Cs}/gu, '\uFFFD')))

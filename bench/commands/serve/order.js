/** Converts a request of the page to a command line. */
import { HopbenchError } from '../../errors.js'
import { isOwn, parse } from '../../plan/word.js'

/** Options of the page. Names are those of the command line, which also parses the values. */
export const OPTIONS = [
  { name: 'budget', help: 'limit of the wall time: 90s, 3m' },
  { name: 'detect', help: 'difference to detect at 80 % power: 5%' },
  { name: 'precision', help: 'stop when the half-width of every interval is at most this: 2%' },
  { name: 'connections', help: 'client connections of each arm' },
  { name: 'engine', help: 'load generator of all arms' },
  { name: 'path', help: 'path to request: /1kb.json' },
  { name: 'seed', help: 'seed of the random order and of the load' }
]

const MOST_WORDS = 20
const MOST_LETTERS = 200

/**
 * @param {unknown} body { words: ['uds'], quick: true, budget: '90s', … }
 * @returns {{ words: string[], argv: string[] }}
 * @throws {HopbenchError} bad-order
 */
export function orderFrom (body) {
  if (!body || typeof body !== 'object') throw refusal('its body is not an object')
  /** @type {Record<string, unknown>} */
  const { words, quick, ...rest } = { ...body }
  if (!Array.isArray(words) || words.length === 0 || words.length > MOST_WORDS || !words.every(isWord)) {
    throw refusal('it names neither an experiment nor topologies')
  }
  const foreign = words.find(word => !isExperimentName(word) && !isBuiltInTopology(word))
  if (foreign !== undefined) {
    throw refusal(`"${foreign}" is neither an experiment nor a built-in topology; start it from the command line`)
  }
  const argv = OPTIONS.flatMap(({ name }) => {
    const value = rest[name]
    if (value === undefined || value === '') return []
    if (typeof value !== 'string' || value.length > MOST_LETTERS) {
      throw refusal(`--${name} has no value that could be read`)
    }
    return [`--${name}=${value}`]
  })
  const unknown = Object.keys(rest).find(name => !OPTIONS.some(option => option.name === name))
  if (unknown !== undefined) throw refusal(`there is no option "${unknown}" here`)
  return { words, argv: [...quick === true ? ['--quick'] : [], ...argv] }
}

/** @type {(word: unknown) => word is string} */
const isWord = word =>
  typeof word === 'string' && word.length > 0 && word.length <= MOST_LETTERS && !word.startsWith('-')

/** @param {string} word */
const isExperimentName = word => /^[a-z][a-z\d_-]*$/.test(word)

/**
 * Returns whether a word names servers of the suite only. A module or an experiment in a file would be run as code, and
 * a URL would send load to another server.
 * @param {string} word
 */
function isBuiltInTopology (word) {
  try {
    const { server, url } = parse(word)
    return url === undefined && (server === null || !isOwn(server))
  } catch {
    return false
  }
}

const refusal = (/** @type {string} */ why) => new HopbenchError('bad-order', { why })

/** Converts a request of the page to one of a run. */
import { HopbenchError } from '../../errors.js'
import { isUnknown, parse } from '../../plan/spec.js'
import { count, seconds, seed, share } from '../../request/option-values.js'

/** @import { RunFlags } from '../../request/types.js' */

/**
 * Options of the page, whose names are those of the command line. parse: returns the parser of an option's value.
 *
 * @type {{ name: string, parse: (option: string) => (text: string) => string | number, help: string }[]}
 */
export const OPTIONS = [
  { name: 'budget', parse: seconds, help: 'limit of the wall time: 90s, 3m' },
  { name: 'detect', parse: share, help: 'difference to detect at 80 % power: 5%' },
  { name: 'precision', parse: share, help: 'stop when the half-width of every interval is at most this: 2%' },
  { name: 'connections', parse: option => count(option, 1_000_000), help: 'client connections of each arm' },
  {
    name: 'rate',
    parse: option => count(option, 100_000),
    help: 'response times in an open loop at this rate, in req/s: 800'
  },
  { name: 'engine', parse: () => String, help: 'load generator of all arms' },
  { name: 'path', parse: () => String, help: 'path to request: /1kb.json' },
  { name: 'seed', parse: seed, help: 'seed of the random order and of the load' }
]

/**
 * Apps that the page may start. commands: by name; options: of all of them.
 *
 * @typedef {{ commands: Record<string, string>, options: Partial<RunFlags> }} ServedApps
 */
/** @type {ServedApps} */
const NO_APPS = { commands: {}, options: {} }

const MOST_WORDS = 20
const MOST_LETTERS = 200

/**
 * @param {unknown} body { words: ['uds'], quick: true, app: 'app', budget: '90s', … }
 * @param {ServedApps} [apps] of `hopbench serve --app`
 * @returns {{ words: string[], options: Partial<RunFlags> }}
 * @throws {HopbenchError} bad-order, bad-option
 */
export function orderFrom (body, apps = NO_APPS) {
  if (!body || typeof body !== 'object') throw refusal('its body is not an object')
  /** @type {Record<string, unknown>} */
  const { words, quick, app = '', ...rest } = { ...body }
  if (!Array.isArray(words) || words.length === 0 || words.length > MOST_WORDS || !words.every(isWord)) {
    throw refusal('it names neither an experiment nor topologies')
  }
  const foreign = words.find(word => !isExperimentName(word) && !isBuiltInTopology(word))
  if (foreign !== undefined) {
    throw refusal(`"${foreign}" is neither an experiment nor a built-in topology; start it from the command line`)
  }
  const typed = OPTIONS.flatMap(({ name, parse }) => {
    const value = rest[name]
    if (value === undefined || value === '') return []
    if (typeof value !== 'string' || value.length > MOST_LETTERS) {
      throw refusal(`--${name} has no value that could be read`)
    }
    return [[name, parse(`--${name}`)(value)]]
  })
  const unknown = Object.keys(rest).find(name => !OPTIONS.some(option => option.name === name))
  if (unknown !== undefined) throw refusal(`there is no option "${unknown}" here`)
  const options = { ...quick === true && { quick }, ...Object.fromEntries(typed), ...toAppOptions(words, app, apps) }
  return { words, options }
}

/**
 * Returns the options that start the chosen app, and those that topologies contain.
 *
 * @param {string[]} words
 * @param {unknown} chosen name; empty: none
 * @param {ServedApps} apps
 * @returns {Partial<RunFlags>}
 */
function toAppOptions (words, chosen, { commands, options }) {
  if (typeof chosen !== 'string' || (chosen !== '' && !Object.hasOwn(commands, chosen))) {
    throw refusal('it names an app that hopbench serve was not started with')
  }
  // The name of an experiment parses as a server of that name, which is no app.
  const servers = words.map(word => parse(word).server?.name)
  const names = Object.keys(commands).filter(name => name === chosen || servers.includes(name))
  return names.length === 0 ? {} : { app: names.map(name => `${name}=${commands[name]}`), ...options }
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
    return !isUnknown(parse(word))
  } catch {
    return false
  }
}

const refusal = (/** @type {string} */ why) => new HopbenchError('bad-order', { why })

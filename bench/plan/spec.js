/**
 * Parses and prints topology words (pure):
 *
 *   [proxy[:transport][+option[=value]…]/]server[@manager:instances][+option[=value]…]
 *
 * The grammar is defined here; names of proxies and servers are checked elsewhere. A shell expands no character of it.
 */
import { HopbenchError } from '../errors.js'
import { nearest } from '../shared/nearest.js'

/** @import { AppCommand, OptionValue, ProxyHop, ServerHop, Topology, Transport } from '../types.js' */

/** @type {readonly Transport[]} */
export const transports = ['tcp', 'keepalive', 'uds', 'uds-keepalive']
/** @type {readonly ServerHop['manager'][]} */
const managers = ['node', 'cluster', 'pm2']

const FILES = 'files' // Name of the server where the proxy serves the files itself.

const NAME = /^[a-z][a-z0-9_-]*$/
/** Path of a module. A scope such as node_modules/@acme/ is part of it: an @ after a slash starts no manager. */
const PATH = /^(\.{1,2}|\/@?[\p{L}\p{M}\p{N}._-]+)(\/@?[\p{L}\p{M}\p{N}._-]+)*$/u
const VALUE = /^[A-Za-z0-9._:,%-]+$/
const NUMBER = /^-?\d+(\.\d+)?$/

/** Returns whether a server's name is the path of a module, not the name of a plug-in. @param {string} name */
export const isPath = name => /^\.{0,2}\//.test(name)

/**
 * Returns whether a server is the user's own app, a module or a command, whose responses are unknown in advance.
 * @param {Pick<ServerHop, 'name' | 'command'>} server
 */
export const isOwn = ({ name, command }) => command !== undefined || isPath(name)

/**
 * Returns whether only the server can show what it responds with: a user's own app, or one that is already up.
 * @param {Pick<Topology, 'server' | 'url'>} topology
 */
export const isUnknown = ({ server, url }) => url !== undefined || (server !== null && isOwn(server))

/** Address of an app that is already up, in place of a topology. */
const URL_WORD = /^https?:\/\/(\[[\da-f:.]+\]|[\p{L}\p{M}\p{N}._-]+)(:\d{1,5})?$/iu

/**
 * @param {string} spec
 * @returns {Topology}
 * @throws {HopbenchError} bad-topology, naming the position
 */
export function parse (spec) {
  const fail = reject(spec)
  if (spec === '') throw fail('it is empty')
  if (URL_WORD.test(spec)) return { proxy: null, server: null, url: spec }
  const slash = isPath(spec) ? -1 : spec.indexOf('/')
  const proxyText = spec.slice(0, Math.max(0, slash))
  const serverText = spec.slice(slash + 1)
  if (slash === 0 || (slash > 0 && serverText === '')) throw fail('a hop is missing beside the slash')

  const servesFiles = serverText.split(/[@+]/, 1)[0] === FILES
  if (servesFiles) checkFiles(serverText, slash === -1, fail)
  return {
    proxy: slash === -1 ? null : parseProxy(proxyText, servesFiles, fail),
    server: servesFiles ? null : parseServer(serverText, fail)
  }
}

/**
 * Returns the canonical spec of a topology, without its `lab` settings.
 * @param {Topology} topology
 * @returns {string}
 * @throws {HopbenchError} bad-topology, where no spec describes the topology
 */
export function print ({ proxy, server, url }) {
  if (url !== undefined) return url
  const hops = []
  if (proxy) hops.push(proxy.name + (proxy.transport ? `:${proxy.transport}` : '') + printOptions(proxy.options))
  if (server) hops.push(server.name + printManager(server) + printOptions(server.options))
  if (proxy && !server) hops.push(FILES)
  const spec = hops.join('/')
  // Reject topologies that would be parsed differently, such as an option with the text "4".
  if (!sameTopology(parse(spec), { proxy, server })) {
    throw reject(spec)('its printed form would be parsed as another topology')
  }
  return spec
}

/**
 * Adds its command to a server that is one of the named commands.
 * @param {Topology} topology
 * @param {Record<string, AppCommand>} commands by name
 * @returns {Topology}
 */
export const withCommands = (topology, commands) => topology.server && Object.hasOwn(commands, topology.server.name)
  ? { ...topology, server: { ...topology.server, command: commands[topology.server.name] } }
  : topology

/** @typedef {(why: string) => HopbenchError} Fail */

/** @type {(spec: string) => Fail} */
const reject = spec => why => new HopbenchError('bad-topology', { spec, why })

/**
 * @param {string} text
 * @param {boolean} alone whether no proxy is in front
 * @param {Fail} fail
 */
function checkFiles (text, alone, fail) {
  if (alone) throw fail('"files" requires a proxy in front of it, as in nginx/files')
  if (text !== FILES) {
    throw fail(
      `"${text.slice(FILES.length)}" cannot follow "files", because there is no server; options of the proxy belong ` +
      'before the slash'
    )
  }
}

/**
 * @param {string} text
 * @param {boolean} servesFiles
 * @param {Fail} fail
 * @returns {ProxyHop}
 */
function parseProxy (text, servesFiles, fail) {
  const [head, ...optionTexts] = text.split('+')
  const [name, transport, ...rest] = head.split(':')
  if (!NAME.test(name)) throw fail(notAName(name, 'proxy'))
  if (rest.length > 0) throw fail(`"${head}" has more than one transport`)
  if (servesFiles && transport !== undefined) {
    throw fail(`":${transport}" is not possible before "files", because the proxy serves them itself`)
  }
  if (!servesFiles && transport === undefined) {
    throw fail(`"${name}" has no transport to the server; write ${name}:${choices(transports)}`)
  }
  if (transport !== undefined && !isOneOf(transports, transport)) {
    throw fail(notOneOf(transport, 'transports', transports))
  }
  return { name, transport: transport ?? null, options: parseOptions(optionTexts, fail) }
}

/**
 * @param {string} text
 * @param {Fail} fail
 * @returns {ServerHop}
 */
function parseServer (text, fail) {
  const [head, ...optionTexts] = text.split('+')
  const misplaced = optionTexts.find(option => option.includes('@'))
  if (misplaced !== undefined) {
    throw fail(`"${misplaced.slice(misplaced.indexOf('@'))}" is after an option, and options come last`)
  }
  const at = managerStart(head)
  const name = head.slice(0, at)
  checkServerName(name, fail)
  const run = at === head.length
    ? { manager: /** @type {const} */ ('node'), instances: 1 }
    : parseManager(head.slice(at + 1), fail)
  return { name, ...run, options: parseOptions(optionTexts, fail) }
}

/** Returns the position of `@manager`: of the first @ that does not follow a slash, else the end. */
const managerStart = (/** @type {string} */ head) => {
  const found = head.search(/(?<!\/)@/)
  return found === -1 ? head.length : found
}

/**
 * @param {string} name
 * @param {Fail} fail
 */
function checkServerName (name, fail) {
  if (isPath(name)) {
    if (!PATH.test(name)) {
      throw fail(`"${name}" is not a path of letters, digits, ".", "_", "-" and single slashes that ends in a file`)
    }
  } else if (name.includes('/')) {
    throw fail(
      `"${name}" has too many slashes: a topology has at most one proxy, and the path of a module starts with ` +
      './, ../ or /'
    )
  } else if (/\.[cm]?js$/.test(name)) {
    throw fail(`"${name}" looks like a file; write ./${name}`)
  } else if (name.includes(':')) {
    throw fail(`"${name}" has a transport but no server behind it; write ${name}/express-json`)
  } else if (!NAME.test(name)) throw fail(notAName(name, 'server'))
}

/**
 * @param {string} text text after the @
 * @param {Fail} fail
 * @returns {Pick<ServerHop, 'manager' | 'instances'>}
 */
function parseManager (text, fail) {
  const [manager, count, ...rest] = text.split(':')
  if (manager === '') throw fail('there is no process manager after the "@"')
  if (!isOneOf(managers, manager)) throw fail(notOneOf(manager, 'process managers', managers))
  if (count === undefined) {
    throw fail(`"@${manager}" has no number of processes; write @${manager}:4, or @${manager}:max for one per core`)
  }
  if (rest.length > 0 || !/^([1-9]\d{0,3}|max)$/.test(count)) {
    throw fail(`"${text.slice(manager.length + 1)}" is not a number of processes from 1 to 9999, or max`)
  }
  return { manager, instances: count === 'max' ? count : Number(count) }
}

/**
 * @param {string[]} texts
 * @param {Fail} fail
 */
function parseOptions (texts, fail) {
  /** @type {Record<string, OptionValue>} */
  const options = {}
  for (const text of texts) {
    const equals = text.indexOf('=')
    const name = equals === -1 ? text : text.slice(0, equals)
    if (!NAME.test(name)) throw fail(notAName(name, 'option'))
    if (Object.hasOwn(options, name)) throw fail(`the option "${name}" is repeated`)
    options[name] = equals === -1 ? true : parseValue(name, text.slice(equals + 1), fail)
  }
  return options
}

/**
 * @param {string} name
 * @param {string} text
 * @param {Fail} fail
 * @returns {OptionValue}
 */
function parseValue (name, text, fail) {
  if (text === 'on') return true
  if (text === 'off') return false
  if (!VALUE.test(text)) {
    throw fail(text === ''
      ? `"+${name}=" has no value`
      : `"${text}", the value of ${name}, contains other characters than letters, digits and . _ : , % -`)
  }
  // A release may be a version, and 1.30 is another version than 1.3.
  if (!NUMBER.test(text) || name === 'release') return text
  const number = Number(text)
  if (Math.abs(number) > Number.MAX_SAFE_INTEGER || String(number).includes('e')) {
    throw fail(`"${text}", the value of ${name}, is too long for a number`)
  }
  return number === 0 ? 0 : number
}

/** @param {ServerHop} server */
const printManager = ({ manager, instances }) => manager === 'node' && instances === 1 ? '' : `@${manager}:${instances}`

/** Prints options as a topology has them. @param {Record<string, OptionValue>} options */
export const printOptions = options => Object.entries(options)
  .map(([name, value]) => `+${name}${value === true ? '' : `=${value === false ? 'off' : value}`}`).join('')

/** @type {(a: Topology, b: Topology) => boolean} */
const sameTopology = (a, b) =>
  JSON.stringify([a.proxy, a.server], sortKeys) === JSON.stringify([b.proxy, b.server], sortKeys)

/**
 * Sorts the keys of an object and omits its command and configuration, which no spec contains.
 * @type {(key: string, value: any) => any}
 */
const sortKeys = (_key, value) =>
  value && typeof value === 'object' && !Array.isArray(value)
    ? Object.entries(value).filter(([name]) => !['command', 'config'].includes(name)).sort(([a], [b]) => a < b ? -1 : 1)
    : value

/**
 * @template {string} T
 * @param {readonly T[]} known
 * @param {string} text
 * @returns {text is T}
 */
const isOneOf = (known, text) => known.some(one => one === text)

/** @param {readonly string[]} known */
const choices = known => `${known.slice(0, -1).join(', :')} or :${known.at(-1)}`

/**
 * @param {string} text
 * @param {string} kinds
 * @param {readonly string[]} known
 */
function notOneOf (text, kinds, known) {
  const near = nearest(text, known)
  return `"${text}" is none of the ${kinds} ${known.join(', ')}${near ? ` (did you mean ${near}?)` : ''}`
}

/**
 * @param {string} text
 * @param {string} kind
 */
function notAName (text, kind) {
  if (text === '') return `the name of the ${kind} is missing`
  return `"${text}" is not the name of ${kind === 'option' ? 'an' : 'a'} ${kind}: a small letter, then small ` +
    'letters, digits, - and _'
}

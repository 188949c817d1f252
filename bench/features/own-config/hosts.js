/** Chooses the hosts of requests that reach a server block of nginx (pure). */
import { attempt } from '../../shared/attempt.js'

/** @import { ProxyServer } from './types.js' */

/** Host of requests to a block for any host. */
export const ANY = 'example.com'
/** Replacements that turn a pattern of hosts into a host, for parts of the pattern from the outside to the inside. */
const SAMPLES = [
  [/^\^|\$$/g, ''], [/\(\?P?<\w+>/g, '('], [/\(\?[:i]+/g, '('], [/\\[dD](?:\{\d[^}]*\}|[+*?])?/g, '1'],
  [/(?:\[[^\]]*\]|\\w|(?<!\\)\.)(?:\{\d[^}]*\}|[+*?])*/g, 'a'],
  [/\(([^()|]*)(?:\|[^()]*)?\)\??/g, '$1'],
  [/\(([^()|]*)(?:\|[^()]*)?\)\??/g, '$1'], [/\|.*/g, ''], [/\\(.)/g, '$1'], [/[+*?]/g, '']
].map(([pattern, text]) => ({ pattern: /** @type {RegExp} */ (pattern), text: String(text) }))

/** Returns the names of a server block. @param {ProxyServer} server */
export const getNames = ({ server: { children = [] } }) => children.filter(({ name }) => name === 'server_name')
  .flatMap(({ args }) => args.map(({ value }) => value.toLowerCase()))

/** Returns a pattern of nginx as one of JavaScript; null: JavaScript has no such pattern. @param {string} name */
const toRegex = name => attempt(() => new RegExp(name.slice(1).replaceAll('(?P<', '(?<'), 'i'), () => null)

/**
 * Returns a host for a name: one that a pattern or a wildcard matches.
 * @param {string} name
 */
function toHost (name) {
  if (name.startsWith('~')) {
    const host = SAMPLES.reduce((text, { pattern, text: value }) => text.replaceAll(pattern, value), name.slice(1))
    return toRegex(name)?.test(host) ? host : ANY
  }
  const isName = /^(?:\*?\.)?[a-z0-9][\w.-]*(?:\.\*)?$/.test(name)
  return isName ? name.replace(/^\*?\./, 'www.').replace(/\*$/, 'example') : ANY
}

/**
 * Returns how well a name matches a host, by the order of nginx; 0: not at all.
 * @param {string} name
 * @param {string} host
 */
function rankName (name, host) {
  if (name === host || name === `.${host}`) return Infinity
  const ending = name.replace(/^\*?(?=\.)/, '')
  if (/^\*?\./.test(name) && host.endsWith(ending)) return 1e6 + ending.length
  if (name.endsWith('.*') && host.startsWith(name.slice(0, -1))) return 1e3 + name.length
  return name.startsWith('~') && toRegex(name)?.test(host) ? 1 : 0
}

/**
 * Returns how well the names of a server block match a host; 0: not at all.
 * @param {ProxyServer} server
 * @param {string} host
 */
const rankNames = (server, host) => Math.max(0, ...getNames(server).map(name => rankName(name, host)))

/**
 * Returns the server block that takes the requests of a host at a listener.
 * @param {ProxyServer[]} servers
 * @param {string} key of the listener
 * @param {string} host
 */
export function findServer (servers, key, host) {
  const here = servers.filter(({ listens }) => listens.some(listen => listen.key === key))
  const ranks = here.map(server => rankNames(server, host))
  const best = Math.max(0, ...ranks)
  if (best > 0) return here[ranks.indexOf(best)]
  return here.find(({ listens }) => listens.some(listen => listen.key === key && listen.isDefault)) ?? here[0]
}

/**
 * Returns a host whose requests reach a server block at one of its listeners; null: there is none.
 * @param {ProxyServer[]} servers
 * @param {ProxyServer} wanted
 */
export function chooseHost (servers, wanted) {
  const names = getNames(wanted)
  const isPlain = (/** @type {string} */ name) => /^[a-z0-9][\w.-]*$/.test(name)
  const wild = names.filter(name => /^\*?\./.test(name)).map(name => name.replace(/^\*?\./, 'any.'))
  const hosts = [...names.filter(isPlain), ...names.map(toHost), ...wild, ANY, ...names.filter(name => name === '_')]
  return hosts.find(host => wanted.listens.some(({ key }) => findServer(servers, key, host) === wanted)) ?? null
}

/** Finds server blocks, apps and effective directives in a configuration of nginx (pure). */
import { isIP } from 'node:net'
import { attempt } from '../../shared/attempt.js'
import { parseConfig } from './syntax.js'

/** @import { AppAddress, Directive, OwnProgram, OwnSubject, Placed, ProxyListen, ProxyServer } from './types.js' */

/** Folder of includes without a leading "/". */
const PREFIX = '/etc/nginx/'
const MAX_INCLUDES = 20
/** Port of a block without `listen`: nginx takes 80 as root, and 8000 under another account, as in a room. */
const DEFAULT_PORT = 8000
const DEFAULT_APP_PORT = 80
const DEFAULT_TLS_PORT = 443
/** Addresses at which listeners of all addresses are reached. */
const ANY = '127.0.0.1'
const ANY_6 = '::1'
const PASSES = ['proxy_pass', 'grpc_pass', 'fastcgi_pass', 'uwsgi_pass', 'scgi_pass', 'memcached_pass']

/**
 * Returns the directives of a configuration. The directives of an included file take the place of its include.
 * @param {string} main
 * @param {Map<string, string>} texts by path
 * @param {Pick<OwnProgram, 'parse' | 'includes' | 'toPath'>} [program] left out: nginx
 */
export function readTree (main, texts, { parse, includes, toPath } = NGINX) {
  /** @type {Map<string, Directive[]>} */
  const parsed = new Map()
  /**
   * @param {string} file
   * @param {string[]} within files that include it
   * @returns {Directive[]}
   */
  const read = (file, within) => {
    const known = parsed.get(file) ?? parse(texts.get(file) ?? '', file)
    parsed.set(file, known)
    return expand(known, [...within, file])
  }
  /**
   * @param {Directive[]} directives
   * @param {string[]} within
   * @returns {Directive[]}
   */
  const expand = (directives, within) => directives.flatMap(directive => {
    if (includes.includes(directive.name) && directive.args.length === 1 && within.length < MAX_INCLUDES) {
      const isNamed = toMatcher(toPath(directive.args[0].value, directive.file))
      const files = [...texts.keys()].filter(isNamed).sort()
      // Keeps Caddy's import of a snippet.
      const others = files.filter(file => !within.includes(file))
      return files.length > 0 ? others.flatMap(file => read(file, within)) : [directive]
    }
    return directive.children ? { ...directive, children: expand(directive.children, within) } : directive
  })
  return read(main, [])
}

/** Reader of nginx's files. */
const NGINX = { parse: parseConfig, includes: ['include'], toPath: (/** @type {string} */ path) => toAbsolute(path) }

/** Returns a path as nginx reads it. @param {string} path */
export const toAbsolute = path => path.startsWith('/') ? path : PREFIX + path

/** Returns whether a path matches a pattern of an include. @param {string} pattern */
function toMatcher (pattern) {
  const source = pattern.replaceAll(/[.+^${}()|\\]/g, '\\$&').replaceAll('*', '[^/]*').replaceAll('?', '[^/]')
  const regex = attempt(() => new RegExp(`^${source}$`), () => null)
  return (/** @type {string} */ path) => regex?.test(path) ?? path === pattern
}

/**
 * Returns all directives with one of these names, with the blocks around them.
 * @param {Directive[]} directives
 * @param {string | string[]} names
 * @param {Directive[]} [around]
 * @returns {Placed[]}
 */
export const findAll = (directives, names, around = []) => directives.flatMap(directive => [
  ...[names].flat().includes(directive.name) ? [{ directive, around }] : [],
  ...directive.children ? findAll(directive.children, names, [...around, directive]) : []
])

/**
 * Returns the directives of this name that are in force in a block: those of the innermost block that has any.
 * @param {Directive[]} around blocks, the outermost first
 * @param {string} name
 * @returns {Directive[]}
 */
export function getInForce (around, name) {
  for (const { children = [] } of around.toReversed()) {
    const own = children.filter(directive => directive.name === name)
    if (own.length > 0) return own
  }
  return []
}

/**
 * Returns the value of an argument.
 * @param {Directive | undefined} directive
 * @param {number} [i]
 */
export const getValue = (directive, i = 0) => directive?.args[i]?.value ?? ''

/**
 * Returns an address as a configuration names it.
 * @param {string} text "app:3000", "[::1]:80", "unix:/run/app.sock"
 * @param {number} [defaultPort]
 * @returns {{ host: string | null, port: number, path: string | null } | null} null: it depends on a variable, or has
 * no meaning
 */
export function toAddress (text, defaultPort = DEFAULT_APP_PORT) {
  if (text.includes('$')) return null
  const path = /^unix:([^:]+)/.exec(text)?.[1]
  if (path) return { host: null, port: 0, path }
  const [, host, port = defaultPort] = /^(\[[0-9a-f:]+\]|[^:/[\]]+)(?::(\d+))?$/i.exec(text) ?? []
  return host ? { host: host.replaceAll(/[[\]]/g, ''), port: Number(port), path: null } : null
}

/**
 * Returns where requests are passed on, with the values of variables that `set` gives.
 * @param {Placed} pass
 */
export const toTarget = ({ directive, around }) => {
  const sets = [...around, directive].flatMap(({ children = [] }) => children.filter(({ name }) => name === 'set'))
  return parseUrl(sets.reduce((text, { args: [variable, { value } = { value: '' }] }) =>
    text.replaceAll(variable?.value || '\0', () => value), getValue(directive)))
}

/**
 * Returns the parts of a URL in a directive.
 * @param {string} url
 * @returns {{ scheme: string, target: string, path: string | null }} path: of the URL; null: the URL has none
 */
export function parseUrl (url) {
  const [, scheme = '', rest = url] = /^(\w+):\/\/(.*)$/s.exec(url) ?? []
  const unix = /^(unix:[^:]*)(?::(.*))?$/s.exec(rest)
  if (unix) return { scheme, target: unix[1], path: unix[2] ?? null }
  const slash = rest.indexOf('/')
  if (slash < 0) return { scheme, target: rest, path: null }
  return { scheme, target: rest.slice(0, slash), path: rest.slice(slash) }
}

/**
 * Returns targets with the values of a variable that the configuration maps, or the target itself.
 * @param {Directive[]} tree
 * @param {ReturnType<typeof parseUrl>} target
 */
function expandMaps (tree, { scheme, target }) {
  const [variable] = /\$\w+/.exec(target) ?? []
  const maps = findAll(tree, ['map', 'split_clients', 'geo']).filter(({ directive }) => variable !== undefined &&
    directive.args.at(-1)?.value === variable)
  const values = maps.flatMap(({ directive: { children = [] } }) => children.map(child => getValue(child)))
  return values.length === 0
    ? [{ scheme, target }]
    : values.map(value => parseUrl(`${scheme && `${scheme}://`}${target.replace(String(variable), () => value)}`))
}

/**
 * Upstream blocks by name, of each tree, because a tree can have thousands.
 * @type {WeakMap<Directive[], Map<string, Directive>>}
 */
const upstreams = new WeakMap()

/**
 * Returns the upstream block of a name.
 * @param {Directive[]} tree
 * @param {string} name
 */
export function findUpstream (tree, name) {
  const known = upstreams.get(tree) ??
    new Map(findAll(tree, 'upstream').map(({ directive }) => [getValue(directive), directive]))
  upstreams.set(tree, known)
  return known.get(name)
}

/**
 * Returns the apps to which a directive passes requests: those of the upstream block, or the one that is named.
 * @param {Directive[]} tree
 * @param {Placed} pass
 * @returns {AppAddress[]}
 */
export const getApps = (tree, pass) => expandMaps(tree, toTarget(pass)).flatMap(({ scheme, target }) => {
  const servers = findUpstream(tree, target)?.children?.filter(({ name }) => name === 'server')
  return (servers?.map(server => getValue(server)) ?? [target]).flatMap(text => {
    const address = toAddress(text, scheme === 'https' ? DEFAULT_TLS_PORT : DEFAULT_APP_PORT)
    return address ? [{ ...address, isTls: scheme === 'https', upstream: servers ? target : null }] : []
  })
})

/** Returns everything that passes requests on. @param {Directive[]} tree */
export const getPasses = tree => findAll(tree, PASSES)

/** Returns whether a host has to be found by its name. @param {string | null} host */
export const isName = host => host !== null && host !== 'localhost' && isIP(host) === 0

/** Returns passes of requests for an upgrade. @param {Placed[]} passes */
export const getUpgrades = passes => passes.filter(({ around }) => getInForce(around, 'proxy_set_header')
  .some(directive => getValue(directive).toLowerCase() === 'upgrade' && getValue(directive, 1) !== ''))

/** Returns prefix locations that serve a folder by an alias. @param {{ around: Directive[] }} subject */
export const getAliases = ({ around }) => findAll([around[around.length - 1]], 'alias')
  .flatMap(({ directive, around }) => {
    const location = around[around.length - 1]
    const path = getValue(location)
    return location.name === 'location' && location.args.length === 1 && path.startsWith('/') && path !== '/'
      ? [{ location, alias: directive, path, folder: getValue(directive) }]
      : []
  })

/**
 * Returns locations that remove their path, of apps that get other requests with their whole path.
 * @param {Pick<OwnSubject, 'passes'>} subject
 */
export function getShortened ({ passes }) {
  const all = passes.map(pass => ({ ...pass, ...toTarget(pass), location: getBlock(pass) }))
  return all.filter(({ path, target, location }) => path === '/' && location.args.length === 1 &&
    getValue(location).startsWith('/') && getValue(location) !== '/' &&
    all.some(other => other.target === target && other.path === null))
}

/**
 * Returns what passes on the requests of a path, as far as prefixes decide.
 * @param {Placed[]} passes
 * @param {string} path
 */
export const getPassAt = (passes, path) => passes
  .map(pass => ({ pass, prefix: pass.around.findLast(({ name }) => name === 'location')?.args.at(-1)?.value ?? '/' }))
  .filter(({ prefix }) => path.startsWith(prefix))
  .sort((a, b) => b.prefix.length - a.prefix.length)[0]?.pass ?? passes[0]

/** Returns the location, or the server block, that passes requests on. @param {Placed} pass */
export const getBlock = ({ around }) => around[around.length - 1]

/**
 * Returns server blocks of HTTP.
 * @param {Directive[]} tree
 * @returns {ProxyServer[]}
 */
export const getProxyServers = tree => findAll(tree, 'server')
  .filter(({ directive, around }) => directive.children && around.at(-1)?.name === 'http')
  .map(({ directive, around }) => {
    const all = findAll([directive], 'proxy_pass', around)
    const passes = all.filter(pass => !getBlock(pass).children?.some(({ name }) => name === 'internal'))
    return {
      server: directive,
      around: [...around, directive],
      passes: passes.length > 0 ? passes : all,
      allPasses: all,
      listens: getListens(directive)
    }
  })

/**
 * Returns the listeners of a server block, those of TLS first, because a block for both schemes can redirect to https.
 * @param {Directive} server
 * @returns {ProxyListen[]}
 */
function getListens ({ children = [] }) {
  const listens = children.filter(({ name }) => name === 'listen')
  const isTls = children.some(directive => directive.name === 'ssl' && getValue(directive) === 'on')
  const found = listens.flatMap(({ args: [address, ...words] }) => {
    const has = (/** @type {string} */ word) => words.some(({ value }) => value === word)
    const listen = toListen(address?.value ?? '')
    if (!listen || has('quic')) return []
    const isDefault = has('default_server') || has('default')
    return [{ ...listen, tls: has('ssl') || isTls, isDefault, hasProxyHeader: has('proxy_protocol') }]
  })
  if (listens.length === 0) {
    const address = { key: `*:${DEFAULT_PORT}`, host: ANY, port: DEFAULT_PORT, path: null }
    return [{ ...address, tls: isTls, isDefault: false, hasProxyHeader: false }]
  }
  return found.sort((a, b) => Number(b.tls) - Number(a.tls) || rank(a) - rank(b))
}

/** Returns the place of a listener: those that need no relay first. @param {ProxyListen} listen */
const rank = ({ host, hasProxyHeader }) => Number(hasProxyHeader) * 2 + Number(host !== ANY)

/**
 * Returns the address of a listener.
 * @param {string} text "80", "*:80", "[::]:80", "10.0.0.7", "unix:/run/web.sock"
 */
function toListen (text) {
  const address = toAddress(/^\d+$/.test(text) ? `*:${text}` : text)
  if (!address) return null
  const host = ['*', '0.0.0.0'].includes(String(address.host)) ? ANY : address.host === '::' ? ANY_6 : address.host
  return { ...address, host, key: address.path ?? `${host === ANY ? '*' : host}:${address.port}` }
}

/**
 * Returns the ends of TCP listeners in /proc/net/tcp and tcp6.
 * @param {string} text of both files
 * @returns {number[]} ports
 */
export const toListeners = text => [...text.matchAll(/^ *\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:0000 0A /gm)]
  .map(([, hex]) => parseInt(hex, 16))

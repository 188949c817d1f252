/** Reads from server blocks of nginx what decides how they are tried, and what is not tried (pure). */
import { findAll, findUpstream, getValue, isName, parseUrl } from './model.js'

/** @import { Directive, Placed, ProxyServer, Rejection } from './types.js' */

/** Directives that pass requests on by protocols of which the check has no app. */
const OTHER_PASSES = ['grpc_pass', 'fastcgi_pass', 'uwsgi_pass', 'scgi_pass', 'memcached_pass']
/** Directives in which blocks that behave alike differ. */
const OF_A_SITE = /^(?:server_name|ssl_certificate.*|ssl_trusted_certificate|access_log|error_log|root)$/

/**
 * Returns a text that is equal for server blocks that behave alike.
 * @param {Directive[]} tree
 * @param {ProxyServer} server
 */
export const toShape = (tree, { server: { children = [] } }) =>
  JSON.stringify(children.flatMap(child => shapeOf(tree, child)))

/**
 * Returns the content of a directive without names, addresses and files that are of one site only.
 * @param {Directive[]} tree
 * @param {Directive} directive
 * @returns {unknown[]} empty: it is of one site only
 */
function shapeOf (tree, { name, args, children }) {
  if (OF_A_SITE.test(name)) return []
  const words = args.map(({ value }) => value)
  const kept = words.slice(1).filter(word => !/^(?:default_server|reuseport|ipv6only)/.test(word))
  if (name === 'listen') return [[name, ...kept]]
  if (name !== 'proxy_pass') return [[name, words, children?.flatMap(child => shapeOf(tree, child))]]
  const { scheme, target, path } = parseUrl(words[0])
  const servers = findUpstream(tree, target)?.children?.map(({ name, args }) =>
    [name, args.slice(name === 'server' ? 1 : 0).map(({ value }) => value)])
  return [[name, scheme, path, servers ?? isName(target.split(':')[0])]]
}

/**
 * Returns sentences about everything that is passed on by another protocol than HTTP/1.
 * @param {Directive[]} tree
 * @returns {Rejection[]}
 */
export function listUntried (tree) {
  const others = OTHER_PASSES.map(name => ({ name, places: findAll(tree, name).map(({ directive }) => directive) }))
  const streams = findAll(tree, 'stream').map(({ directive }) => directive)
  return [
    ...others.map(({ name, places }) =>
      ({ places, why: `${name} is not tried, because no app of the check takes it` })),
    { places: streams, why: 'the stream block is not tried, because it passes on connections without HTTP' },
    {
      places: findAll(tree, 'listen').map(({ directive }) => directive)
        .filter(({ args }) => args.some(({ value }) => value === 'quic')),
      why: 'HTTP/3 is not tried, because no client of the check speaks it'
    }
  ].flatMap(({ places, why }) => places.slice(0, 1).map(({ file, line }) =>
    ({ file, line, why: places.length > 1 ? `${why} (${places.length} places)` : why })))
}

/**
 * Returns the path below which a location passes requests on.
 * @param {Placed} pass
 * @returns {string[]} at most one; empty: it has none
 */
function getBase ({ around }) {
  const location = around.findLast(({ name }) => name === 'location')
  if (!location) return []
  const [first, second] = location.args.map(({ value }) => value)
  if (first?.startsWith('@')) return ['']
  // Tries the first folder of a pattern.
  const pattern = /^~\*?$/.test(first ?? '') ? /^\^?\/\(?(?:\?:)?([\w-]+)/.exec(second ?? '')?.[1] : undefined
  const path = second === undefined ? first : pattern === undefined ? second : `/${pattern}`
  return path?.startsWith('/') ? [path.replace(/\/+$/, '')] : []
}

/** Returns the paths below which requests are passed on, the longest first. @param {Placed[]} passes */
export const getBases = passes => [...new Set(passes.flatMap(getBase))].filter(Boolean)
  .sort((a, b) => b.length - a.length)

/**
 * Returns the first IPv4 address that a block allows while it denies others; null: it has none.
 * @param {Directive[]} rules directives `allow` in force
 */
export function getAllowedAddress (rules) {
  const [, address, last, bits = '32'] = rules.map(rule => /^(\d+\.\d+\.\d+\.)(\d+)(?:\/(\d+))?$/.exec(getValue(rule)))
    .find(match => match !== null) ?? []
  if (address === undefined) return null
  return `${address}${Math.min(254, Number(last) + (Number(bits) < 31 ? 1 : 0))}`
}

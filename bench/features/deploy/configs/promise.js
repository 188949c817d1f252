/** Compares the headers that the app got with those that every recommended configuration promises (pure). */
import { ALIASES, FORGEABLE_HEADERS } from '../../../topology/forgeable-headers.js'
import { HOST, SITE } from './client.js'

const FORGEABLE = new Set(FORGEABLE_HEADERS.map(name => name.toLowerCase()))
const LISTED_ALIASES = new Set(ALIASES.map(name => name.toLowerCase()))
/**
 * Names that an app could take for others and that a configuration removes, for the proxies that do not remove all
 * names with other signs than letters, digits and "-". Apache and Varnish cannot remove headers by a pattern.
 * @type {Record<string, (name: string) => boolean>}
 */
const REMOVED_ALIASES = {
  apache: name => LISTED_ALIASES.has(name),
  varnish: name => LISTED_ALIASES.has(name),
  caddy: name => /[_.]/.test(name)
}
/** A host name or an address, with a port or without. */
export const HOST_NAME = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?$/i

/**
 * Returns the text of a request for the headers that reach the app.
 * @param {string[]} lines headers besides Host
 * @param {{ host?: string, target?: string }} [options] target: the host of a target that is a URL
 */
export const toRequest = (lines, { host = SITE, target } = {}) =>
  [`GET ${target ? `http://${target}` : ''}/raw-headers HTTP/1.1`, `Host: ${host}`, ...lines, '', ''].join('\r\n')

/**
 * Returns headers in which a client names another address, scheme, host, path or method.
 * @param {string[]} names
 */
export const toForged = names => names.map(name => `${name}: forged.example`)

/**
 * Returns a promise that the headers break.
 * @param {string} subject name of the proxy or kit
 * @param {string} body the raw headers of the app as JSON
 * @param {object} [request] as the client sent it
 * @param {string | null} [request.host] null: none, so that the app gets one of the proxy's choice
 * @param {string} [request.scheme]
 * @param {string} [request.address] of the client
 * @returns {string | null} null: all promises are kept
 */
export function findBrokenPromise (subject, body, { host = SITE, scheme = 'http', address = HOST } = {}) {
  const headers = toHeaders(body)
  const promised = { 'x-forwarded-for': address, 'x-real-ip': address, 'x-forwarded-proto': scheme }
  for (const [name, value] of Object.entries(promised)) {
    const seen = toValues(headers, name)
    if (seen !== value) return `the app got ${name}: ${seen || 'nothing'} in place of ${value}`
  }
  const [seen, forwarded] = ['host', 'x-forwarded-host'].map(name => toPlainHost(toValues(headers, name)))
  const odd = [seen, forwarded].find(value => !HOST_NAME.test(value) && !(host === null && value === ''))
  if (odd !== undefined) return `the app got the host "${odd}"`
  const expected = host !== null && HOST_NAME.test(host) ? toPlainHost(host) : seen
  if (host !== null && (seen !== expected || forwarded !== expected)) {
    return `the app got the hosts ${seen} and ${forwarded} in place of ${host}`
  }
  const forged = headers.find(({ name }) => FORGEABLE.has(name) || isAlias(subject, name))
  return forged ? `the app got ${forged.name}: ${forged.value}` : null
}

/**
 * Returns the raw headers of a request, with names in lower case.
 * @param {string} body list of names and values as JSON
 * @returns {{ name: string, value: string }[]}
 */
export function toHeaders (body) {
  /** @type {string[]} */
  const raw = JSON.parse(body)
  return raw.flatMap((name, i) => i % 2 === 0 ? [{ name: name.toLowerCase(), value: raw[i + 1] }] : [])
}

/**
 * Returns the value of a header, or several values in a form that no promised value has.
 * @param {ReturnType<typeof toHeaders>} headers
 * @param {string} name
 */
const toValues = (headers, name) =>
  headers.filter(header => header.name === name).map(({ value }) => value).join(' and ')

/**
 * Returns whether an app could take a header for another one, so that the configuration removes it.
 * @param {string} subject
 * @param {string} name in lower case
 */
export const isAlias = (subject, name) => REMOVED_ALIASES[subject]?.(name) ?? /[^a-z0-9-]/.test(name)

/** Returns a host without what no name server distinguishes: case, and a dot at its end. @param {string} host */
const toPlainHost = host => host.toLowerCase().replace(/\.(?=$|:)/, '')

/** Compares the headers that the app got with those that every recommended configuration promises (pure). */
import { ALIASES, FORGEABLE_HEADERS } from '../../../topology/forgeable-headers.js'
import { HOST, SITE } from './client.js'

const FORGEABLE = new Set(FORGEABLE_HEADERS.map(name => name.toLowerCase()))
const LISTED_ALIASES = new Set(ALIASES.map(name => name.toLowerCase()))
/** Proxies that remove the listed aliases only, because they cannot remove headers by a pattern. */
const LISTING = ['apache', 'varnish']
/** A host name or an address, with a port or without. */
const HOST_NAME = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?$/i

/**
 * Returns the text of a request for the headers that reach the app.
 * @param {string[]} lines headers besides Host
 * @param {{ host?: string, method?: string }} [options]
 */
export const toRequest = (lines, { host = SITE, method = 'GET' } = {}) =>
  [`${method} /raw-headers HTTP/1.1`, `Host: ${host}`, ...lines, '', ''].join('\r\n')

/**
 * Returns headers in which a client names another address, scheme, host, path or method.
 * @param {string[]} names
 */
export const toForged = names => names.map(name => `${name}: forged.example`)

/**
 * Returns a promise that the headers break.
 * @param {string} subject name of the proxy or kit
 * @param {string} body the raw headers of the app as JSON
 * @param {{ host?: string, scheme?: string }} [request] as the client sent it
 * @returns {string | null} null: all promises are kept
 */
export function findBrokenPromise (subject, body, { host = SITE, scheme = 'http' } = {}) {
  const headers = toHeaders(body)
  const promised = {
    host: toPlainHost(host),
    'x-forwarded-host': toPlainHost(host),
    'x-forwarded-for': HOST,
    'x-real-ip': HOST,
    'x-forwarded-proto': scheme
  }
  for (const [name, value] of Object.entries(promised)) {
    const seen = headers.filter(header => header.name === name).map(({ value }) => value)
    const isKept = seen.length === 1 && (name.endsWith('host') ? toPlainHost(seen[0]) : seen[0]) === value
    if (!isKept) return `the app got ${name}: ${seen.join(' and ') || 'nothing'} in place of ${value}`
  }
  if (!HOST_NAME.test(host)) return `the app got the host ${host}`
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
 * Returns whether an app could take a header for another one because of "_" or "." in its name.
 * @param {string} subject
 * @param {string} name in lower case
 */
export const isAlias = (subject, name) =>
  LISTING.includes(subject) ? LISTED_ALIASES.has(name) : /[^a-z0-9-]/.test(name)

/** Returns a host without what no name server distinguishes: case, and a dot at its end. @param {string} host */
const toPlainHost = host => host.toLowerCase().replace(/\.(?=$|:)/, '')

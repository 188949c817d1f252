/** Checks URLs that are arms: whether hopbench may load their host, and whether they respond. */
import { lookup } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { badOption, getErrorCode, getErrorMessage, HopbenchError, isHopbenchError } from '../errors.js'
import { toPeer } from '../load/generators/peer.js'
import { computeMaxSeconds } from '../plan/open-loop.js'
import { duration } from '../shared/format.js'
import { pathWithoutSecrets } from '../shared/secrets.js'

/** @import { Plan } from '../types.js' */

const RESPONSE_MS = 10_000 // Limit for a response over the Internet before any load.
/** Limit of the load on another machine, in seconds, as of `size --url`. The number of requests has no limit. */
const MAX_SECONDS = 600
/** Error codes of node:tls for a certificate that is untrusted or of another host. */
const CERTIFICATE = /^(ERR_TLS_CERT|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET|VERIFY))/

/** @param {string} word */
export const isUrl = word => /^https?:\/\//i.test(word)

/**
 * @param {string} word
 * @returns {{ name: string, origin: string, path: string }}
 * @throws {HopbenchError} bad-option
 */
export function urlFrom (word) {
  const reject = (/** @type {string} */ why) =>
    badOption('A URL', pathWithoutSecrets(word.replace(/\/\/[^/]*@/, '//…@')), why)
  if (!URL.canParse(word)) throw reject('it is not a valid URL')
  const url = new URL(word)
  if (url.username || url.password) throw reject('its password would be stored; use --header Authorization')
  if (url.hash) throw reject('the part after # is never sent')
  return {
    name: pathWithoutSecrets(`${url.origin}${url.pathname}${url.search}`),
    origin: url.origin,
    path: `${url.pathname}${url.search}`
  }
}

/**
 * Resolves the names in the URLs of arms, once each, and checks that the URLs respond.
 *
 * @param {Pick<Plan, 'arms' | 'targets' | 'openLoop'>} plan
 * @param {string[]} [allowed] hosts of --allow-host
 * @param {typeof lookup} [resolve] replaced in tests
 * @returns {Promise<Record<string, string>>} IP addresses by origin, to which all connections go; without the origins
 *   that have an address in place of a name
 * @throws {HopbenchError} bad-option, url-host, url-unreachable, url-certificate, url-redirects
 */
export async function pinUrls ({ arms, targets, openLoop }, allowed, resolve) {
  /** @type {Record<string, string>} */
  const addresses = {}
  for (const { topology, load } of arms) {
    const { url } = topology
    if (url === undefined) continue
    const known = addresses[url]
    if (known === undefined) addresses[url] = await pinAddress({ topology, load }, allowed, resolve)
    else await checkResponse(url, load, known)
  }
  rejectLongLoad({ targets, openLoop }, Object.values(addresses))
  return Object.fromEntries(Object.entries(addresses).filter(([origin]) => !isIP(toHost(origin))))
}

/**
 * @param {Pick<Plan, 'targets' | 'openLoop'>} plan
 * @param {string[]} addresses of URLs
 * @throws {HopbenchError} bad-option
 */
function rejectLongLoad ({ targets: { budgetSeconds }, openLoop }, addresses) {
  const [planned, most] = openLoop ? [openLoop.seconds, computeMaxSeconds(openLoop)] : [0, 0]
  if (budgetSeconds + most <= MAX_SECONDS || addresses.every(isLoopback)) return
  throw badOption('--budget', duration(budgetSeconds + planned),
    `the load on another machine may last ${duration(MAX_SECONDS)} at most` +
    (openLoop ? `, and --rate may take ${duration(most)} of it` : ''),
    `Add --budget ${MAX_SECONDS - (most - planned)}s${openLoop ? ', or name fewer URLs' : ''}.`)
}

/**
 * Resolves the name of a URL's host once, and returns the first address that responds. All requests go to that address,
 * because a name may change between two look-ups.
 *
 * @param {Pick<Plan['arms'][number], 'topology' | 'load'>} arm of a URL
 * @param {string[]} [allowed] hosts of --allow-host
 * @param {typeof lookup} [resolve] replaced in tests
 * @returns {Promise<string>} IP address
 * @throws {HopbenchError} url-host, url-unreachable, url-certificate, url-redirects
 */
export async function pinAddress ({ topology, load }, allowed, resolve) {
  const url = String(topology.url)
  const addresses = await findAddresses(url, allowed, resolve)
  for (const [i, address] of addresses.entries()) {
    try {
      await checkResponse(url, load, address)
      return address
    } catch (error) {
      if (!isHopbenchError(error, 'url-unreachable') || i === addresses.length - 1) throw error
    }
  }
  throw new HopbenchError('url-unreachable', { url, why: 'its name has no address' })
}

/** Returns the host of a URL, an IPv6 address without brackets. @param {string} origin */
const toHost = origin => toPeer(new URL(origin)).host

/** @param {string} address */
const isLoopback = address => address === '::1' || /^127\./.test(address)

/**
 * Returns the addresses of a URL's host that hopbench may load.
 *
 * @param {string} origin
 * @param {string[]} [allowed] hosts of --allow-host
 * @param {typeof lookup} [resolve]
 * @returns {Promise<string[]>} IP addresses
 * @throws {HopbenchError} url-host, url-unreachable
 */
async function findAddresses (origin, allowed = [], resolve = lookup) {
  const { hostname } = new URL(origin)
  const host = toHost(origin)
  const found = isIP(host) ? [{ address: host }] : await resolve(host, { all: true }).catch(getErrorMessage)
  const addresses = typeof found === 'string' ? [] : found.map(({ address }) => address)
  const isHere = addresses.length > 0 && addresses.every(isLoopback)
  if (!allowed.includes(hostname) && !isHere) throw new HopbenchError('url-host', { host: hostname })
  if (typeof found === 'string') throw new HopbenchError('url-unreachable', { url: origin, why: found })
  return addresses
}

/**
 * Checks that a URL responds, and without a redirect.
 *
 * @param {string} origin
 * @param {Pick<Plan['arms'][number]['load'], 'path' | 'headers' | 'method' | 'body'>} load
 * @param {string} [address] of its host
 * @throws {HopbenchError} url-unreachable, url-certificate, url-redirects
 */
async function checkResponse (origin, { path, headers, method, body }, address) {
  // Only a GET is sent to the arm's own path, because other requests may change data. Else "/" is requested.
  const isGet = method === undefined && !body
  const url = pathWithoutSecrets(origin + path)
  let response
  try {
    response = await getResponse(isGet ? origin + path : origin, isGet ? headers : {}, address)
  } catch (error) {
    const code = getErrorCode(error)
    const why = code === 'ECONNREFUSED' ? 'nothing listens there' : getErrorMessage(error) || code
    if (CERTIFICATE.test(code)) throw new HopbenchError('url-certificate', { url, why }, { cause: error })
    throw new HopbenchError('url-unreachable', { url, why }, { cause: error })
  }
  const { status, location } = response
  if (isGet && location !== undefined && status >= 300 && status < 400) {
    throw new HopbenchError('url-redirects', { url, status, location: pathWithoutSecrets(location) })
  }
}

/**
 * @param {string} url
 * @param {Record<string, string>} headers
 * @param {string} [address]
 * @returns {Promise<{ status: number, location: string | undefined }>}
 */
const getResponse = (url, headers, address) => new Promise((resolve, reject) => {
  const { get } = url.startsWith('https:') ? https : http
  const { host, servername } = toPeer(new URL(url), address)
  const request = get(url, {
    hostname: host, servername, headers: { Host: new URL(url).host, ...headers }, agent: false, timeout: RESPONSE_MS
  }, response => {
    response.destroy()
    resolve({ status: response.statusCode ?? 0, location: response.headers.location })
  })
  request.on('timeout', () => request.destroy(new Error(`no response within ${RESPONSE_MS / 1000} s`)))
  request.on('error', reject)
})

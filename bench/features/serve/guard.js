/** Protects the live page: only clients with the token are served, and requests from other pages are rejected. */
import { timingSafeEqual } from 'node:crypto'

/** @import { RequestHandler, Request } from 'express' */

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

/** @param {string} host as given with --host */
const isLoopbackHost = host => LOOPBACK.includes(host) || host === '::1'

/**
 * Rejects requests with a foreign Host header, because their page can reach this server by DNS rebinding.
 *
 * @param {{ host: string, port: () => number }} at
 * @returns {RequestHandler}
 */
export const onlyThisHost = ({ host, port }) => (request, response, next) => {
  const names = isLoopbackHost(host) ? LOOPBACK : [...LOOPBACK, host.includes(':') ? `[${host}]` : host]
  // On all addresses any name of the machine is valid, and only the token protects the page.
  const isOnAllAddresses = ['0.0.0.0', '::'].includes(host)
  if (isOnAllAddresses || names.some(name => request.headers.host === `${name}:${port()}`)) return next()
  response.status(421).json({ error: 'This page is not served under that host name.' })
}

/**
 * Rejects requests from other pages. Browsers send Origin and Sec-Fetch-Site ("none": the address was typed). Requests
 * that change something must come from this page and contain JSON, which a form cannot send.
 *
 * @type {RequestHandler}
 */
export const onlyThisPage = (request, response, next) => {
  const { origin, host, 'sec-fetch-site': site } = request.headers
  const isRead = ['GET', 'HEAD'].includes(request.method)
  const isForeign = (origin !== undefined && origin !== `http://${host}`) ||
    !isSameSite(site) || (site === 'none' && !isRead)
  if (!isForeign && (isRead || request.is('application/json'))) return next()
  if (isForeign) response.status(403).json({ error: 'Requests from other pages are refused.' })
  else response.status(415).json({ error: 'Send JSON.' })
}

/**
 * Whether the request comes from this page, from the address bar or from a program that is not a browser.
 *
 * @param {unknown} site Sec-Fetch-Site
 */
const isSameSite = site => site === undefined || site === 'same-origin' || site === 'none'

/** Contains the port, because browsers share cookies between all ports of a host. */
const cookieName = (/** @type {number} */ port) => `hopbench-${port}`

/**
 * Moves the token from the printed address to a cookie, which scripts cannot read. A browser that comes from a file
 * (--open) is redirected by a page instead of a status, because it sends a SameSite cookie only to its own site.
 *
 * @param {{ token: string, port: () => number }} options
 * @returns {RequestHandler}
 */
export const entrance = ({ token, port }) => (request, response, next) => {
  const { method, path, query, headers } = request
  if (method !== 'GET' || path !== '/' || typeof query.token !== 'string') return next()
  if (!isEqualText(query.token, token)) return next()
  response.setHeader('Set-Cookie', `${cookieName(port())}=${token}; HttpOnly; SameSite=Strict; Path=/`)
  if (isSameSite(headers['sec-fetch-site'])) response.redirect('/')
  else response.type('html').send('<!doctype html><title>hopbench</title><meta http-equiv="refresh" content="0;url=/">')
}

/**
 * @param {{ token: string, port: () => number }} options
 * @returns {RequestHandler}
 */
export const onlyWithToken = ({ token, port }) => (request, response, next) => {
  if (findTokens(request, cookieName(port())).some(found => isEqualText(found, token))) return next()
  response.status(401).json({ error: 'Open the address that hopbench printed: it contains a token.' })
}

/**
 * @param {Request} request
 * @param {string} name
 */
function findTokens ({ headers: { authorization = '', cookie = '' } }, name) {
  const cookies = cookie.split(';').map(part => part.trim().split('='))
  return [authorization.replace(/^Bearer /, ''), ...cookies.flatMap(([key, value = '']) => key === name ? [value] : [])]
}

/**
 * Compares tokens in constant time.
 *
 * @param {string} left
 * @param {string} right
 */
function isEqualText (left, right) {
  const [a, b] = [Buffer.from(left), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/**
 * Restricts pages to scripts and connections of this server.
 *
 * @type {RequestHandler}
 */
export const headers = (_request, response, next) => {
  response.setHeader('Content-Security-Policy',
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader('Referrer-Policy', 'no-referrer')
  response.setHeader('Cache-Control', 'no-store')
  return next()
}

/** Who may talk to the live page: those with its token, and nobody that another page sent. */
import { timingSafeEqual } from 'node:crypto'

/** @import { RequestHandler, Request } from 'express' */

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

/** @param {string} host as given with --host */
const isLoopback = host => LOOPBACK.includes(host) || host === '::1'

/**
 * Host names under which the page may be requested: others that point here are foreign (DNS rebinding).
 *
 * @param {{ host: string, port: () => number }} at
 * @returns {RequestHandler}
 */
export const onlyThisHost = ({ host, port }) => (request, response, next) => {
  const names = isLoopback(host) ? LOOPBACK : [...LOOPBACK, host.includes(':') ? `[${host}]` : host]
  // A page on all addresses is requested by any name of the machine; its token keeps strangers out.
  const everywhere = ['0.0.0.0', '::'].includes(host)
  if (everywhere || names.some(name => request.headers.host === `${name}:${port()}`)) return next()
  response.status(421).json({ error: 'This page is not served under that host name.' })
}

/** Browsers say which page a request comes from (Sec-Fetch-Site; none: a person typed or clicked it). What changes
 * something must be this page's own: a form of another one carries another origin, and cannot send JSON.
 * @type {RequestHandler} */
export const onlyThisPage = (request, response, next) => {
  const { origin, host, 'sec-fetch-site': site } = request.headers
  const reads = ['GET', 'HEAD'].includes(request.method)
  const foreign = (origin !== undefined && origin !== `http://${host}`) ||
    !isOwn(site) || (site === 'none' && !reads)
  if (!foreign && (reads || request.is('application/json'))) return next()
  if (foreign) response.status(403).json({ error: 'Requests from other pages are refused.' })
  else response.status(415).json({ error: 'Send JSON.' })
}

/** Whether no other page has sent it; programs that are no browsers do not say. @param {unknown} site */
const isOwn = site => site === undefined || site === 'same-origin' || site === 'none'

/** A browser keeps cookies by host, whatever the port: the pages of one machine must not take each other's. */
const cookieName = (/** @type {number} */ port) => `hopbench-${port}`

/**
 * The address that is printed has the token in it; from then on a cookie has it, which no script can read. A browser
 * that comes from a file (--open) is not given that cookie back until this page itself has sent it on.
 *
 * @param {{ token: string, port: () => number }} options
 * @returns {RequestHandler}
 */
export const entrance = ({ token, port }) => (request, response, next) => {
  const { method, path, query, headers } = request
  if (method !== 'GET' || path !== '/' || typeof query.token !== 'string' || !same(query.token, token)) return next()
  response.setHeader('Set-Cookie', `${cookieName(port())}=${token}; HttpOnly; SameSite=Strict; Path=/`)
  if (isOwn(headers['sec-fetch-site'])) response.redirect('/')
  else response.type('html').send('<!doctype html><title>hopbench</title><meta http-equiv="refresh" content="0;url=/">')
}

/**
 * @param {{ token: string, port: () => number }} options
 * @returns {RequestHandler}
 */
export const onlyWithToken = ({ token, port }) => (request, response, next) => {
  if (given(request, cookieName(port())).some(it => same(it, token))) return next()
  response.status(401).json({ error: 'Open the address that hopbench printed: it has a token in it.' })
}

/**
 * @param {Request} request
 * @param {string} name
 */
function given ({ headers: { authorization = '', cookie = '' } }, name) {
  const cookies = cookie.split(';').map(part => part.trim().split('='))
  return [authorization.replace(/^Bearer /, ''), ...cookies.flatMap(([key, value = '']) => key === name ? [value] : [])]
}

/**
 * Takes as long wherever they differ.
 *
 * @param {string} one
 * @param {string} other
 */
function same (one, other) {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** What a page may do: its own scripts, its own server, nothing else. @type {RequestHandler} */
export const headers = (_request, response, next) => {
  response.setHeader('Content-Security-Policy',
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader('Referrer-Policy', 'no-referrer')
  response.setHeader('Cache-Control', 'no-store')
  return next()
}

/**
 * Who may talk to the live page: a browser that shows this page, and nobody that another page sent.
 * @import { RequestHandler, Request } from 'express'
 */
import { timingSafeEqual } from 'node:crypto'

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']
const COOKIE = 'hopbench'

/** @param {string} host as given with --host */
export const isLoopback = host => LOOPBACK.includes(host) || host === '::1'

/**
 * Names under which the page may be asked for: another one that points here is somebody else's
 * (DNS rebinding).
 * @param {{ host: string, port: () => number }} at
 * @returns {RequestHandler}
 */
export const onlyThisHost = ({ host, port }) => (request, response, next) => {
  const names = isLoopback(host) ? LOOPBACK : [...LOOPBACK, host.includes(':') ? `[${host}]` : host]
  // Whoever listens on all addresses is asked by whatever name it has; its token keeps strangers out.
  const everywhere = ['0.0.0.0', '::'].includes(host)
  if (everywhere || names.some(name => request.headers.host === `${name}:${port()}`)) return next()
  response.status(421).json({ error: 'This page does not go by that name.' })
}

/**
 * What changes something is asked by this page's own script: a form or a script of another page
 * carries another origin, and cannot send JSON without asking first.
 * @type {RequestHandler}
 */
export const onlyThisPage = (request, response, next) => {
  if (['GET', 'HEAD'].includes(request.method)) return next()
  const { origin, host } = request.headers
  const site = request.headers['sec-fetch-site']
  const foreign = origin !== undefined ? origin !== `http://${host}` : site !== undefined && site !== 'same-origin'
  if (foreign) response.status(403).json({ error: 'Another page has no say here.' })
  else if (!request.is('application/json')) response.status(415).json({ error: 'Send JSON.' })
  else next()
}

/**
 * Beyond loopback a token is asked for: once in the address, then in a cookie that no script can read.
 * @param {string | null} token null: none is needed
 * @returns {RequestHandler}
 */
export const onlyWithToken = token => (request, response, next) => {
  if (token === null || given(request).some(it => same(it, token))) return next()
  if (typeof request.query.token === 'string' && same(request.query.token, token)) {
    response.setHeader('Set-Cookie', `${COOKIE}=${token}; HttpOnly; SameSite=Strict; Path=/`)
    return response.redirect(request.path)
  }
  response.status(401).json({ error: 'Open the address that hopbench printed: it has a token in it.' })
}

/** @param {Request} request */
const given = ({ headers: { authorization = '', cookie = '' } }) => [
  authorization.replace(/^Bearer /, ''),
  ...cookie.split(';').map(part => part.trim().split('=')).filter(([name]) => name === COOKIE).map(([, value]) => value)
]

/**
 * Takes as long wherever they differ.
 * @param {string} one
 * @param {string} other
 */
function same (one, other) {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** What a page may do: its own scripts, its own server, nothing else. @type {RequestHandler} */
export const headers = (_request, response, next) => {
  response.setHeader('Content-Security-Policy', "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader('Referrer-Policy', 'no-referrer')
  response.setHeader('Cache-Control', 'no-store')
  return next()
}

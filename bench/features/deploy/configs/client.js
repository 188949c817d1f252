/** Sends the requests of the check, each on its own connection unless an agent keeps one. */
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { readMessage } from '../../../shared/http/read-message.js'

/** @import { Agent, IncomingHttpHeaders } from 'node:http' */
/** @import { Subject } from './types.js' */

export const HOST = '127.0.0.1'
/** Host of the requests. */
export let SITE = 'example.com'
/** Path below which the app is. */
let base = ''
/** Headers that all requests to the site need. @type {Record<string, string>} */
export let SITE_HEADERS = {}
/** A page of the app, with its status. */
export let PAGE = { path: '/page', status: 200 }
/** Timeout of a request, and the longest time in which a socket may be idle. */
const LIMIT_MS = 15_000
/** The certificates of the check are self-signed. */
export const TLS_CLIENT = { servername: SITE, rejectUnauthorized: false }

/**
 * Directs all requests of this process to another site.
 * @param {{ host: string, path?: string, headers?: Record<string, string>, page?: typeof PAGE }} site path: of the app,
 * "/api"
 */
export function setSite ({ host, path = '', headers = SITE_HEADERS, page = PAGE }) {
  SITE = host
  base = path
  SITE_HEADERS = headers
  PAGE = page
  TLS_CLIENT.servername = host
}

/**
 * Sends a request to the proxy. Returns failures, and does not throw them.
 * @param {Pick<Subject, 'port' | 'tls'> & { host?: string }} subject host: its address
 * @param {string} path
 * @param {object} [options]
 * @param {string} [options.method]
 * @param {Record<string, string>} [options.headers]
 * @param {Buffer} [options.body]
 * @param {number} [options.limitMs]
 * @param {string} [options.from] own address
 * @param {Agent} [options.agent] keeps the connection
 * @returns {Promise<{ status: number, headers: IncomingHttpHeaders, body: string }>} status 0: no response, with the
 * reason as body
 */
export async function ask ({ host = HOST, port, tls }, path,
  { method = 'GET', headers = {}, body, limitMs = LIMIT_MS, from, agent } = {}) {
  const options = {
    host,
    port,
    path: base + path,
    method,
    headers: { Host: SITE, ...SITE_HEADERS, ...headers },
    agent: agent ?? false,
    localAddress: from,
    signal: AbortSignal.timeout(limitMs)
  }
  const request = tls ? httpsRequest({ ...options, ...TLS_CLIENT }) : httpRequest(options)
  request.end(body)
  try {
    const [response] = await once(request, 'response')
    return { status: response.statusCode, headers: response.headers, body: await text(response) }
  } catch (error) {
    return { status: 0, headers: {}, body: error instanceof Error ? error.message : String(error) }
  }
}

/**
 * Returns whether a response came from the cache, as the proxy reports it.
 * @param {{ headers: IncomingHttpHeaders }} response
 */
export const isHit = ({ headers }) => /^HIT/i.test(String(headers['x-cache-status'] ?? headers['x-cache'] ?? ''))

/**
 * Opens a connection to the proxy, to send requests byte by byte or to upgrade it.
 * @param {Pick<Subject, 'port'> & Partial<Pick<Subject, 'tls'>>} subject
 * @param {number} [idleMs] time without data after which it is closed
 * @param {string} [from] own address
 */
export async function openSocket ({ port, tls }, idleMs = LIMIT_MS, from) {
  const options = { port, host: HOST, localAddress: from }
  const socket = tls ? connectTls({ ...options, ...TLS_CLIENT }) : connect(options)
  socket.setTimeout(idleMs, () => socket.destroy())
  await once(socket, tls ? 'secureConnect' : 'connect')
  return socket
}

/**
 * Sends requests byte by byte on one connection, each after the response to the one before.
 * @param {Pick<Subject, 'port'>} subject
 * @param {string[]} requests
 * @param {{ isPipelined?: boolean, from?: string }} [options] isPipelined: all requests at once; from: own address
 * @returns {Promise<{ status: number, body: string }[]>} fewer than the requests where the proxy closed the connection
 */
export async function exchange (subject, requests, { isPipelined = false, from } = {}) {
  const socket = await openSocket(subject, LIMIT_MS, from)
  /** @type {Buffer} */
  let seen = Buffer.alloc(0)
  socket.on('data', data => { seen = Buffer.concat([seen, data]) }).on('error', () => {})
  const ended = once(socket, 'close').catch(() => {})
  const responses = []
  if (isPipelined) socket.write(requests.join(''), 'latin1')
  for (const request of requests) {
    if (!isPipelined) socket.write(request, 'latin1')
    const [method] = request.split(' ', 1)
    let response = readMessage(seen, { method, closed: false })
    while (!response?.complete && !socket.destroyed) {
      await Promise.race([once(socket, 'data').catch(() => {}), ended])
      response = readMessage(seen, { method, closed: socket.destroyed })
    }
    if (!response?.complete) break
    seen = response.surplus
    responses.push({ status: response.status, body: response.body.toString('latin1') })
    if (/^close/i.test(response.headers.connection ?? '')) break
  }
  socket.destroy()
  return responses
}

/**
 * Opens a WebSocket, whose bytes the app sends back as they are.
 * @param {Subject} subject
 * @param {number} [idleMs] time without data after which it is closed
 * @param {string} [path]
 * @returns {Promise<{ echo: (data: string) => Promise<boolean>, close: () => void }>} echo: whether the data came back
 * @throws {Error} if the upgrade is refused
 */
export async function openWebSocket (subject, idleMs, path = `${base}/socket`) {
  const socket = await openSocket(subject, idleMs)
  const ended = once(socket, 'close').catch(() => {})
  let seen = ''
  socket.setEncoding('latin1').on('data', data => { seen += data }).on('error', () => {})
  const more = Object.entries(SITE_HEADERS).map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${SITE}\r\n${more}Connection: Upgrade\r\nUpgrade: websocket\r\n` +
    'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n')
  const arrives = async (/** @type {string} */ part) => {
    const signal = AbortSignal.timeout(LIMIT_MS)
    try {
      while (!seen.includes(part) && !socket.destroyed) {
        await Promise.race([once(socket, 'data', { signal }), ended])
      }
      return seen.includes(part)
    } catch {
      return false
    }
  }
  const hasReply = await arrives('\r\n\r\n')
  if (!hasReply || !seen.startsWith('HTTP/1.1 101')) {
    socket.destroy()
    throw new Error(`the upgrade got "${seen.split('\r\n')[0]}"`)
  }
  return {
    close: () => { socket.destroy() },
    echo: data => {
      socket.write(data)
      return arrives(data)
    }
  }
}

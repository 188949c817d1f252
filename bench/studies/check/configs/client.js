/** Sends the requests of the check, each on its own connection unless an agent keeps one. */
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

/** @import { Agent, IncomingHttpHeaders } from 'node:http' */
/** @import { Subject } from './types.js' */

export const HOST = '127.0.0.1'
export const SITE = 'example.com'
/** Timeout of a request, and the longest time in which a socket may be idle. */
const LIMIT_MS = 15_000
/** The certificates of the check are self-signed. */
export const TLS_CLIENT = { servername: SITE, rejectUnauthorized: false }

/**
 * Sends a request to the proxy. Returns failures, and does not throw them.
 * @param {Pick<Subject, 'port' | 'tls'>} subject
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
export async function ask ({ port, tls }, path,
  { method = 'GET', headers = {}, body, limitMs = LIMIT_MS, from, agent } = {}) {
  const options = {
    host: HOST,
    port,
    path,
    method,
    headers: { Host: SITE, ...headers },
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
export const isHit = ({ headers }) =>
  /^HIT/i.test(String(headers['x-cache-status'] ?? headers['x-cache'] ?? ''))

/**
 * Opens a connection to the proxy, to send requests byte by byte or to upgrade it.
 * @param {Subject} subject
 * @param {number} [idleMs] time without data after which it is closed
 */
export async function openSocket ({ port }, idleMs = LIMIT_MS) {
  const socket = connect(port, HOST)
  socket.setTimeout(idleMs, () => socket.destroy())
  await once(socket, 'connect')
  return socket
}

/**
 * Opens a WebSocket, whose bytes the app sends back as they are.
 * @param {Subject} subject
 * @param {number} [idleMs] time without data after which it is closed
 * @returns {Promise<{ echo: (data: string) => Promise<boolean>, close: () => void }>} echo: whether the data came back
 * @throws {Error} if the upgrade is refused
 */
export async function openWebSocket (subject, idleMs) {
  const socket = await openSocket(subject, idleMs)
  let seen = ''
  socket.setEncoding('latin1').on('data', data => { seen += data }).on('error', () => {})
  socket.write(`GET /socket HTTP/1.1\r\nHost: ${SITE}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
    'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n')
  const arrives = async (/** @type {string} */ part) => {
    const signal = AbortSignal.timeout(LIMIT_MS)
    try {
      while (!seen.includes(part)) await once(socket, 'data', { signal })
      return true
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

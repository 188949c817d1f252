/** Opens TLS connections of the check, and sends requests over HTTP/2. */
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { text } from 'node:stream/consumers'
import { connect } from 'node:tls'
import { HOST, SITE, TLS_CLIENT } from './client.js'

/** @import { ClientHttp2Session, OutgoingHttpHeaders } from 'node:http2' */
/** @import { ConnectionOptions, TLSSocket } from 'node:tls' */
/** @import { Subject } from './types.js' */

/** Timeout of a handshake, of a session after it, and of a response over HTTP/2. */
const LIMIT_MS = 10_000

/**
 * Connects to the proxy, and sends a request, because a TLS 1.3 session arrives after the handshake.
 * @param {Subject} subject
 * @param {ConnectionOptions} [options]
 * @returns {Promise<{ socket: TLSSocket, session: Promise<Buffer | null>, responded: Promise<unknown> }>} session: null
 * if none arrived; responded: when the response has begun, or the limit has passed
 * @throws {Error} if the handshake fails
 */
export async function openTls ({ port }, options = {}) {
  // A handshake that timed out can still fail later.
  const socket = connect({ host: HOST, port, ...TLS_CLIENT, ...options }).on('error', () => {})
  const signal = AbortSignal.timeout(LIMIT_MS)
  const session = once(socket, 'session', { signal }).then(([ticket]) => ticket, () => null)
  const responded = once(socket, 'data', { signal }).catch(() => {})
  await once(socket, 'secureConnect', { signal })
  socket.resume().write(`GET /page HTTP/1.1\r\nHost: ${SITE}\r\n\r\n`)
  return { socket, session, responded }
}

/**
 * Closes a connection as both ends agree. A server forgets a session whose connection was reset, as TLS 1.2 demands.
 * @param {Awaited<ReturnType<typeof openTls>>} connection
 */
export async function closeTls ({ socket, responded }) {
  await responded
  const closed = once(socket, 'close', { signal: AbortSignal.timeout(LIMIT_MS) }).catch(() => {})
  socket.end()
  await closed
  socket.destroy()
}

/** Opens a connection of HTTP/2. Its errors end the requests. @param {Pick<Subject, 'port'>} subject */
export const openHttp2 = ({ port }) => connectHttp2(`https://${HOST}:${port}`, TLS_CLIENT).on('error', () => {})

/**
 * Requests the headers that reach the app. A rejected stream has the status 400.
 * @param {ClientHttp2Session} session
 * @param {OutgoingHttpHeaders} headers with pseudo headers
 * @returns {Promise<{ status: number, body: string }>}
 */
export async function askOverHttp2 (session, headers) {
  const request = session.request({ ':path': '/raw-headers', ...headers }, { endStream: true })
  try {
    const signal = AbortSignal.timeout(LIMIT_MS)
    const [head] = await Promise.race([once(request, 'response', { signal }), once(request, 'close', { signal }),
      once(session, 'close', { signal })])
    return { status: Number(head[':status']), body: await text(request) }
  } catch {
    return { status: 400, body: '' }
  }
}

/** Opens TLS connections of the check. */
import { once } from 'node:events'
import { connect } from 'node:tls'
import { HOST, SITE, TLS_CLIENT } from './client.js'

/** @import { ConnectionOptions, TLSSocket } from 'node:tls' */
/** @import { Subject } from './types.js' */

/** Timeout of a handshake, and of a session after it. */
const LIMIT_MS = 10_000

/**
 * Connects to the proxy, and sends a request, because a TLS 1.3 session arrives after the handshake.
 * @param {Subject} subject
 * @param {ConnectionOptions} [options]
 * @returns {Promise<{ socket: TLSSocket, session: Promise<Buffer | null> }>} session: null if none arrived
 * @throws {Error} if the handshake fails
 */
export async function openTls ({ port }, options = {}) {
  const socket = connect({ host: HOST, port, ...TLS_CLIENT, ...options })
  const signal = AbortSignal.timeout(LIMIT_MS)
  const session = once(socket, 'session', { signal }).then(([ticket]) => ticket, () => null)
  await once(socket, 'secureConnect', { signal })
  socket.on('error', () => {}).resume().write(`GET /page HTTP/1.1\r\nHost: ${SITE}\r\n\r\n`)
  return { socket, session }
}

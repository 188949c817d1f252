/** Sends requests of the check over HTTP/2. */
import { once } from 'node:events'
import { connect } from 'node:http2'
import { text } from 'node:stream/consumers'
import { HOST, TLS_CLIENT } from './client.js'

/** @import { ClientHttp2Session, OutgoingHttpHeaders } from 'node:http2' */
/** @import { Subject } from './types.js' */

/** Timeout of a response. */
const LIMIT_MS = 10_000

/** Opens a connection. Its errors end the requests. @param {Pick<Subject, 'port'>} subject */
export const openHttp2 = ({ port }) => connect(`https://${HOST}:${port}`, TLS_CLIENT).on('error', () => {})

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

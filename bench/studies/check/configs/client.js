/** Sends the requests of the check, each on its own connection. */
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

/** @import { IncomingHttpHeaders } from 'node:http' */
/** @import { Subject } from './types.js' */

const HOST = '127.0.0.1'
/** Timeout of a request, and the longest time in which a socket may be idle. */
const LIMIT_MS = 15_000

/**
 * Sends a request to the proxy. Returns failures, and does not throw them.
 * @param {Subject} subject
 * @param {string} path
 * @param {{ method?: string, headers?: Record<string, string>, body?: Buffer, limitMs?: number }} [options]
 * @returns {Promise<{ status: number, headers: IncomingHttpHeaders, body: string }>} status 0: no response, with the
 * reason as body
 */
export async function ask ({ port }, path, { method = 'GET', headers = {}, body, limitMs = LIMIT_MS } = {}) {
  const request = httpRequest({
    host: HOST,
    port,
    path,
    method,
    headers: { Host: 'example.com', ...headers },
    agent: false,
    signal: AbortSignal.timeout(limitMs)
  })
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
 */
export async function openSocket ({ port }) {
  const socket = connect(port, HOST)
  socket.setTimeout(LIMIT_MS, () => socket.destroy())
  await once(socket, 'connect')
  return socket
}

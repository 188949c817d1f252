/** Sends requests to a target over HTTP/1.1 or HTTP/2, on a few connections that are kept. */
import { readFileSync } from 'node:fs'
import http from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import { toPeer } from './peer.js'

/** @import { Duplex } from 'node:stream' */
/** @import { Target } from '../../types.js' */
/** @import { Sent } from './mix.js' */

const TIMEOUT_MS = 10_000 // Limit for one response, after which the gate names the request that has none.

/** @typedef {Pick<Target, 'url' | 'address' | 'socketPath' | 'caFile' | 'http2'> & {
 * headers: Record<string, string> }} Order headers: of all requests */
/** @typedef {(request: Omit<Sent, 'expectBytes'>) => Promise<{ status: number, headers: http.IncomingHttpHeaders,
 * body: Buffer, wire: number }>} Getter wire: bytes on the connection, headers included */
/** @typedef {{ mostBytes: number, connections: number }} Limits mostBytes: of a body, because an endless one would fill
 * the memory */

/**
 * Returns a function that sends a request. It trusts only the certificate that was made for the arm.
 * @param {Order} order
 * @param {Limits} limits
 * @returns {Getter}
 */
export const toGetter = (order, limits) => {
  const ca = order.caFile ? { ca: readFileSync(order.caFile) } : {}
  return order.http2 ? overHttp2(order, limits, ca) : overHttp1(order, limits, ca)
}

/**
 * @param {Order} order
 * @param {Limits} limits
 * @param {{ ca?: Buffer }} ca
 * @returns {Getter}
 */
function overHttp1 (order, limits, ca) {
  const url = new URL(order.url)
  const { Agent, request: send } = url.protocol === 'https:' ? https : http
  const agent = new Agent({ keepAlive: true, maxSockets: limits.connections, ...ca })
  /** Bytes that a connection had read when its last response was complete. */
  const readBefore = new WeakMap()
  return ({ path, method, headers: ofRequest, body: sent }) => new Promise((resolve, reject) => {
    const request = send({
      agent,
      method,
      ...toPeer(url, order.address),
      path,
      socketPath: order.socketPath ?? undefined,
      headers: { Host: url.host, ...sent && { 'Content-Length': sent.length }, ...ofRequest, ...order.headers },
      timeout: TIMEOUT_MS
    }, response => {
      const { socket, statusCode: status = 0, headers } = response
      collect(response, limits, reject, body => {
        const wire = socket.bytesRead - (readBefore.get(socket) ?? 0)
        readBefore.set(socket, socket.bytesRead)
        resolve({ status, headers, body, wire })
      })
    })
    request.end(sent)
    request.on('timeout', () => request.destroy(tooLate()))
    request.on('error', reject)
    // A change of protocol is neither a response nor an error.
    request.on('close', () => reject(new Error('the connection ended without a response')))
  })
}

/**
 * Sends one request at a time on each connection, so that the bytes read belong to one response.
 * @param {Order} order
 * @param {Limits} limits
 * @param {{ ca?: Buffer }} ca
 * @returns {Getter}
 */
function overHttp2 (order, limits, ca) {
  /** @type {http2.ClientHttp2Session[]} */
  const free = []
  return ({ path, method, headers, body: sent }) => new Promise((resolve, reject) => {
    const session = free.pop() ?? http2.connect(order.url, ca)
    const before = session.socket?.bytesRead ?? 0
    const fail = (/** @type {Error} */ error) => {
      session.destroy()
      reject(error)
    }
    session.once('error', fail)
    const request = session.request({ ...headers, ...order.headers, ':method': method, ':path': path },
      { endStream: !sent })
    if (sent) request.end(sent)
    request.setTimeout(TIMEOUT_MS, () => request.destroy(tooLate()))
    request.on('response', response => {
      /** @type {http.IncomingHttpHeaders & http2.IncomingHttpStatusHeader} */
      const { ':status': status = 0, ...headers } = response
      collect(request, limits, fail, body => {
        session.off('error', fail)
        const wire = session.socket.bytesRead - before
        free.push(session)
        resolve({ status, headers, body, wire })
      })
    })
    request.on('error', fail)
    request.on('close', () => reject(new Error('the stream ended without a response')))
  })
}

const tooLate = () => new Error(`no response within ${TIMEOUT_MS / 1000} s`)

/**
 * @param {Duplex | http.IncomingMessage} stream
 * @param {Limits} limits
 * @param {(error: Error) => void} fail
 * @param {(body: Buffer) => void} done
 */
function collect (stream, { mostBytes }, fail, done) {
  /** @type {Buffer[]} */
  const chunks = []
  let left = mostBytes
  stream.on('data', chunk => {
    left -= chunk.length
    if (left < 0) stream.destroy(new Error(`a response of more than ${mostBytes} bytes`))
    else chunks.push(chunk)
  })
  stream.on('error', fail)
  stream.on('end', () => done(Buffer.concat(chunks)))
}

/** HTTP servers of launched processes: plain, over TLS, or over TLS with HTTP/2. Counts their error responses. */
import { constants } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import http from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import net from 'node:net'
import { isErrorStatus } from '../shared/trial.js'

/** @import { Worker } from 'node:cluster' */
/** @import { LaunchTls } from './types.js' */

/** Lifetime of a TLS session, longer than any pause of an arm and equal to nginx's (proxy/nginx/view.js). */
const SESSION_SECONDS = 3600

/**
 * @param {LaunchTls | undefined} tls
 * @param {number} keepAliveSeconds idle timeout of HTTP/1.1 connections
 * @param {boolean} [onlyHttp2] whether a server without TLS speaks HTTP/2 in place of HTTP/1.1
 * @returns {http.Server | http2.Http2Server | http2.Http2SecureServer}
 */
export function listenerFor (tls, keepAliveSeconds, onlyHttp2 = false) {
  const server = onlyHttp2 ? http2.createServer() : createServer(tls)
  // HTTP/2 servers have no such property, and no such limit.
  Object.assign(server, { keepAliveTimeout: keepAliveSeconds * 1000 })
  return server
}

/** @param {LaunchTls | undefined} tls */
function createServer (tls) {
  if (!tls) return http.createServer()
  const options = toSecureOptions(tls)
  return tls.http2 ? http2.createSecureServer({ ...options, allowHTTP1: true }) : https.createServer(options)
}

/** Returns the same TLS settings that nginx offers. @param {LaunchTls} tls */
const toSecureOptions = ({ certFile, keyFile, version, cipher, sessions }) => ({
  cert: readFileSync(certFile),
  key: readFileSync(keyFile),
  minVersion: version,
  maxVersion: version,
  ciphers: cipher,
  honorCipherOrder: true,
  ecdhCurve: 'X25519:prime256v1',
  sessionTimeout: SESSION_SECONDS,
  // Node keeps no session cache, so without tickets no session can be resumed.
  ...!sessions && { secureOptions: constants.SSL_OP_NO_TICKET }
})

/**
 * Closes a server and its connections.
 * @param {ReturnType<typeof listenerFor>} server
 * @param {() => void} done
 */
export function endListener (server, done) {
  server.close(done) // Also removes the file of a Unix socket.
  if ('closeAllConnections' in server) server.closeAllConnections()
  // An HTTP/2 server would wait for its sessions.
  else done()
}

/**
 * Returns a function that ends a server in the way of a release without lost requests: the server accepts no further
 * connections, closes those that are idle, and completes the responses in flight. A worker of node:cluster disconnects,
 * which closes its server and lets the primary give connections that the worker has not accepted to other workers.
 * Without that, those connections stay open without a response.
 * @param {ReturnType<typeof listenerFor>} server
 * @param {Worker} [worker] of node:cluster, in which the server listens; omitted: none
 * @returns {(done: () => void) => void}
 */
export function toDrain (server, worker) {
  /** Responses in flight. @type {Set<http.ServerResponse>} */
  const open = new Set()
  let isEnding = false
  server.on('request', (/** @type {unknown} */ _, /** @type {any} */ response) => {
    if (isEnding) response.shouldKeepAlive = false
    open.add(response)
    response.once('close', () => open.delete(response))
  })
  return done => {
    isEnding = true
    for (const response of open) response.shouldKeepAlive = false
    if (worker?.isConnected()) worker.once('disconnect', done).disconnect()
    else server.close(done)
    // Since Node 19, close() does so itself.
    if ('closeIdleConnections' in server) server.closeIdleConnections()
  }
}

/**
 * Counts error responses. Patches the prototypes, which Express inherits from, because a listener on each response
 * would cost more than the server.
 * @param {(status: number) => void} onError
 */
export function watchErrors (onError) {
  for (const { prototype } of [http.ServerResponse, http2.Http2ServerResponse]) {
    const { writeHead } = prototype
    /** @param {any[]} args */
    prototype.writeHead = function (...args) {
      // @ts-expect-error the overloads of writeHead cannot be spread
      const result = writeHead.apply(this, args)
      if (isErrorStatus(this.statusCode)) onError(this.statusCode)
      return result
    }
  }
}

/**
 * Removes the file of a Unix socket whose process was killed. The file of a socket in use stays.
 * @param {string} path
 */
export async function removeStaleSocket (path) {
  const socket = net.connect(path)
  try {
    await once(socket, 'connect')
  } catch (error) {
    // ECONNREFUSED: no process listens on the socket. ENOENT: there is no file.
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ECONNREFUSED') rmSync(path, { force: true })
  } finally {
    socket.destroy()
  }
}

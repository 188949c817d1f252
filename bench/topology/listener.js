/** The HTTP server of a launched child: plain, over TLS, or over TLS with HTTP/2; and what is counted of it. */
import { constants } from 'node:crypto'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import { isErrorStatus } from '../shared/trial.js'

/** @import { LaunchTls, WorkerCounts } from '../types.js' */

/** While it is measured a session outlives the longest pause: as nginx has it (nginx/snippets/tls.conf). */
const SESSION_SECONDS = 3600

/** @typedef {http.Server | http2.Http2SecureServer} Listener */

/** @param {LaunchTls | undefined} tls @param {number} keepAliveSeconds @returns {Listener} */
export function listenerFor (tls, keepAliveSeconds) {
  const server = !tls
    ? http.createServer()
    : tls.http2
      ? http2.createSecureServer({ ...secureOptions(tls), allowHTTP1: true })
      : https.createServer(secureOptions(tls))
  // Sessions of HTTP/2 have no such limit.
  Object.assign(server, { keepAliveTimeout: keepAliveSeconds * 1000 })
  return server
}

/** The same for every client, and the same as nginx offers. @param {LaunchTls} tls */
const secureOptions = ({ certFile, keyFile, version, cipher, sessions }) => ({
  cert: readFileSync(certFile),
  key: readFileSync(keyFile),
  minVersion: version,
  maxVersion: version,
  ciphers: cipher,
  honorCipherOrder: true,
  ecdhCurve: 'X25519:prime256v1',
  sessionTimeout: SESSION_SECONDS,
  // Node keeps no sessions itself: without tickets there is nothing to resume.
  ...!sessions && { secureOptions: constants.SSL_OP_NO_TICKET }
})

/** Stops it at once. @param {Listener} server @param {() => void} done */
export function endListener (server, done) {
  server.close(done) // close() also unlinks the socket file
  if ('closeAllConnections' in server) server.closeAllConnections()
  // Sessions of HTTP/2 would be waited for.
  else done()
}

/** On the prototypes, where Express's own ends: a 'finish' listener on each response would cost more than the server.
 * @param {Pick<WorkerCounts, 'non2xx'>} counts */
export function countStatuses (counts) {
  for (const { prototype } of [http.ServerResponse, http2.Http2ServerResponse]) {
    const { writeHead } = prototype
    /** @param {any[]} args */
    prototype.writeHead = function (...args) {
      // @ts-expect-error the overloads of writeHead cannot be spread
      const result = writeHead.apply(this, args)
      if (isErrorStatus(this.statusCode)) counts.non2xx++
      return result
    }
  }
}

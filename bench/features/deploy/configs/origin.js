/**
 * Program: the app of the check behind a proxy. Listens on ORIGIN_PORT, or as ORIGIN_OPTIONS state, and completes its
 * responses on SIGTERM.
 */
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { toDrain } from '../../../topology/listener.js'
import app, { upgrade } from './app.js'

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { ListenOptions, Socket } from 'node:net' */

/** Longer than the 60 s for which proxies keep idle connections. */
const KEEP_ALIVE_MS = 65_000

/**
 * bases: paths below which the app is, the longest first; tls: texts, null for plain HTTP
 * @type {{ listen?: ListenOptions, bases?: string[], tls?: { cert: string, key: string } | null }}
 */
const { listen = { port: Number(process.env.ORIGIN_PORT), host: '127.0.0.1' }, bases = [], tls } =
  JSON.parse(process.env.ORIGIN_OPTIONS ?? '{}')

/** Removes the path below which the app is. @param {IncomingMessage} request */
function toRoot (request) {
  const base = bases.find(base => request.url?.startsWith(`${base}/`)) ?? ''
  request.url = request.url?.slice(base.length)
}

/**
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 */
function respond (request, response) {
  // Shows the path as it arrived.
  if (request.url?.endsWith('/arrived-path')) return response.end(JSON.stringify(request.url))
  toRoot(request)
  app(request, response)
}

const server = tls ? createTlsServer(tls, respond) : createServer(respond)
server.on('upgrade', (request, socket, head) => {
  toRoot(request)
  upgrade(request, /** @type {Socket} */ (socket), head)
})
server.keepAliveTimeout = KEEP_ALIVE_MS
server.requestTimeout = 0
const drain = toDrain(server)
process.once('SIGTERM', () => drain(() => process.exit(0)))
server.listen(listen, () => console.log('listening'))

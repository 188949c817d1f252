/**
 * An app whose responses show what a proxy did with a request. origin.js listens for it behind a proxy. A kit contains
 * it as its app.
 */
import { createHash } from 'node:crypto'
import { ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

/** @import { IncomingMessage } from 'node:http' */
/** @import { Socket } from 'node:net' */
/** @import { Duplex } from 'node:stream' */

/** Constant of RFC 6455, 1.3. */
const WEBSOCKET_ID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** Beginning of paths of the page that shows a request. */
const SEEN = '/seen/'

/** Returns the path of a target, which can be a whole URL. @param {string | undefined} url */
const toPath = url => String(url).replace(/^[a-z]+:\/\/[^/?]*/i, '').split('?')[0]

/** Number of requests, after that of other processes. Part of many responses, so that only cached ones are equal. */
let served = process.pid * 1_000_000
/** Whether "/news" fails. Set by a request for "/fail". */
let failing = false
/** Requests for "/fails-once". */
let failures = 0
/** Connections on which a request came. @type {WeakSet<Duplex>} */
const used = new WeakSet()
/** Requests that came for "/closed", by method. @type {Record<string, number>} */
const closed = { GET: 0, POST: 0 }
/** The last response of "/events". @type {ServerResponse | null} */
let stream = null

/** Responses by path. @type {Record<string, (request: IncomingMessage, response: ServerResponse) => unknown>} */
const ROUTES = {
  '/me': (request, response) => response.end(`the page of ${request.headers.cookie ?? 'a stranger'}`),
  '/login': (_, response) => response.setHeader('Set-Cookie', `sid=${served}; Path=/`).end('logged in'),
  '/private': (_, response) => response.setHeader('Cache-Control', 'private, max-age=60').end(`private ${served}`),
  '/no-store': (_, response) => response.setHeader('Cache-Control', 'no-store').end(`no store ${served}`),
  '/account': (request, response) => response.end(`the account of ${request.headers.authorization ?? 'a stranger'}`),
  '/language': (request, response) =>
    response.setHeader('Vary', 'Accept-Language').end(`in ${request.headers['accept-language']}`),
  '/headers': ({ headers }, response) =>
    response.setHeader('Cache-Control', 'no-store').end(JSON.stringify(headers)),
  '/raw-headers': ({ rawHeaders }, response) =>
    response.setHeader('Cache-Control', 'no-store').end(JSON.stringify(rawHeaders)),
  '/reset': ({ headers }, response) =>
    response.end(`https://${headers['x-forwarded-host'] ?? headers.host}${headers['x-forwarded-prefix'] ?? ''}/reset`),
  // Shows the request as the app got it. The path names what the response permits, /seen/cc=max-age=60&cookie (with ";"
  // between two lines of Cache-Control), and on which headers it depends (vary=Accept-Language). The path has no query,
  // because Apache stores no response to a query without a lifetime.
  [SEEN]: async (request, response) => {
    const { url, method, rawHeaders } = request
    const options = new URLSearchParams(toPath(url).slice(SEEN.length))
    const number = served
    const body = await text(request)
    if (options.get('cc')) response.setHeader('Cache-Control', String(options.get('cc')).split(';'))
    else response.removeHeader('Cache-Control')
    if (options.has('cookie')) response.setHeader('Set-Cookie', `sid=${number}`)
    if (options.has('vary')) response.setHeader('Vary', String(options.get('vary')))
    response.end(JSON.stringify({ number, method, rawHeaders, body }))
  },
  '/upload': (request, response) => {
    const hash = createHash('sha256')
    let bytes = 0
    request.on('data', data => {
      bytes += data.length
      hash.update(data)
    }).on('end', () => response.end(JSON.stringify({ bytes, sha256: hash.digest('hex') })))
  },
  '/events': (_, response) => {
    response.setHeader('Content-Type', 'text/event-stream').setHeader('Cache-Control', 'no-cache').flushHeaders()
    stream = response
    response.write('data: 1\n\n')
  },
  // Sends the next event of the stream. A client requests it after the previous event has arrived.
  '/next': (_, response) => {
    stream?.write('data: next\n\n')
    response.setHeader('Cache-Control', 'no-store').end('sent')
  },
  // Redirects to HTTPS, as many apps do by themselves.
  '/secure': ({ headers }, response) => {
    if (headers['x-forwarded-proto'] === 'https') return response.end('the secure page')
    response.writeHead(302, { Location: `https://${headers.host}/secure` }).end()
  },
  '/pid': (_, response) => response.setHeader('Cache-Control', 'no-store').end(String(process.pid)),
  // Closes a connection that was kept, as an app does that ends or whose timeout passes.
  '/closed': ({ method = '', socket }, response) => {
    closed[method]++
    if (used.has(socket)) socket.destroy()
    else response.setHeader('Cache-Control', 'no-store').end('a new connection')
  },
  '/closed/count': (_, response) => response.setHeader('Cache-Control', 'no-store').end(JSON.stringify(closed)),
  '/fail': (_, response) => {
    failing = true
    response.end()
  },
  // Fails at the first request only.
  '/fails-once': (_, response) => {
    response.statusCode = failures++ === 0 ? 500 : 200
    response.end(`failure ${failures} of ${process.pid}`)
  },
  '/news': (_, response) => {
    response.statusCode = failing ? 500 : 200
    response.end(`news ${served}`)
  }
}

/**
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 */
export default function respond (request, response) {
  served++
  // Permits caches to store the responses of routes that state nothing else.
  response.setHeader('Cache-Control', 'public')
  const path = toPath(request.url)
  const route = ROUTES[path.startsWith(SEEN) ? SEEN : path]
  if (route) route(request, response)
  else response.end(`page ${served}`)
  used.add(request.socket)
}

/**
 * Accepts a WebSocket for "/socket", and sends back every byte that it receives, without parsing frames. Ignores the
 * upgrade of other requests, as an app without WebSockets does, and reads the next request on the same connection.
 * @param {IncomingMessage} request
 * @param {Socket} socket
 * @param {Buffer} head
 */
export function upgrade (request, socket, head) {
  socket.on('error', () => {})
  if (request.url !== '/socket') {
    const response = new ServerResponse(request)
    response.assignSocket(socket)
    response.on('finish', () => {
      response.detachSocket(socket)
      // The body of a response to HTTP/1.0 ends with the connection.
      if (!response.shouldKeepAlive) return socket.end()
      socket.unshift(head)
      // @ts-expect-error node:http sets the server of each of its sockets
      socket.server.emit('connection', socket)
    })
    return respond(request, response)
  }
  const key = createHash('sha1').update(`${request.headers['sec-websocket-key']}${WEBSOCKET_ID}`).digest('base64')
  socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
    `Sec-WebSocket-Accept: ${key}\r\n\r\n`)
  socket.pipe(socket)
}

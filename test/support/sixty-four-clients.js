/** App that responds with 503 to clients beyond the first 64. */

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { Socket } from 'node:net' */
const MAX_CLIENTS = 64

/** @type {Set<Socket>} */
const clients = new Set()

export default (/** @type {IncomingMessage} */ request, /** @type {ServerResponse} */ response) => {
  const { socket } = request
  if (!clients.has(socket) && clients.size < MAX_CLIENTS) {
    clients.add(socket)
    socket.on('close', () => clients.delete(socket))
  }
  response.statusCode = clients.has(socket) ? 200 : 503
  response.setHeader('Content-Type', 'text/plain; charset=utf-8')
  response.end('64 at most')
}

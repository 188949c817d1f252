/** Tests a connection that is held open: its requests, its responses, and its end. */
import { createServer } from 'node:http'
import t from '../support/tap.js'
import { holdConnection } from '../../bench/load/held-connection.js'
import { listening } from '../support/listening.js'

/** @import { IncomingHttpHeaders, RequestListener } from 'node:http' @import { Test } from 'tap' */
/** @import { HeldType } from '../../bench/load/held-connection.js' */

/**
 * Returns a function that holds a connection to a server.
 * @param {Test} t
 * @param {RequestListener} listener
 */
async function serve (t, listener) {
  const server = createServer(listener)
  const order = { url: `http://127.0.0.1:${await listening(t, server)}`, enter: [], path: '/', dir: t.testdir({}) }
  const hold = async (/** @type {HeldType} */ type, /** @type {Record<string, string>} */ headers = {}) => {
    const held = await holdConnection(type, { ...order, headers })
    t.teardown(held.close)
    return held
  }
  return { server, hold }
}

t.test('sends the headers with a request in flight, and on a connection that was idle', async t => {
  /** @type {IncomingHttpHeaders[]} */
  const received = []
  const { hold } = await serve(t, (request, response) => {
    received.push(request.headers)
    response.end('x')
  })
  const headers = { host: 'shop.example', Cookie: 'sid=1' }
  t.match(await (await hold('request', headers)).complete(), { status: 200, isLast: true })
  const idle = await hold('idle', headers)
  t.match(idle, { isOpen: true, first: { status: 200, keepAlive: /timeout=/ } })
  t.match(await idle.complete(), { status: 200, isLast: false })
  t.equal(received.length, 3)
  for (const fields of received) t.match(fields, { host: 'shop.example', cookie: 'sid=1' })
})

t.test('shows a connection that the server closes, and a request without a response', async t => {
  const { server, hold } = await serve(t, (request, response) => { response.end('x') })
  const [idle, request] = [await hold('idle'), await hold('request')]
  t.equal(await idle.waitForClose(0), null)
  server.closeAllConnections()
  t.type(await idle.waitForClose(8000), 'number')
  t.equal(await request.complete(), null)
})

t.test('holds no connection that is refused, closed after its response, or not upgraded', async t => {
  const { server, hold } = await serve(t, (request, response) => { response.setHeader('Connection', 'close').end('x') })
  t.match(await hold('websocket'), { isOpen: false })
  t.match(await hold('idle'), { isOpen: false })
  server.close()
  t.match(await hold('request'), { isOpen: false, first: null })
})

t.test('holds a response that does not end, and an upgraded connection', async t => {
  const { server, hold } = await serve(t, (request, response) => { response.write('x') })
  server.on('upgrade', (request, socket) => {
    t.teardown(() => socket.destroy())
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  })
  t.match(await hold('stream'), { isOpen: true, first: { status: 200 } })
  t.match(await hold('websocket'), { isOpen: true, first: { status: 101 } })
})

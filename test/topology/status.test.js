import { once } from 'node:events'
import http from 'node:http'
import { join } from 'node:path'
import t from '../support/tap.js'
import nginx from '../../proxy/nginx.js'
import { getStatus } from '../../bench/topology/start/start-proxy.js'
import { tempFolder } from '../support/temp.js'

t.test('gives up reading counters that arrive byte by byte after 5 s', async t => {
  const dir = tempFolder(t)
  const server = http.createServer((_, res) => {
    res.flushHeaders()
    const timer = setInterval(() => res.write('x'), 200)
    res.on('close', () => clearInterval(timer))
  }).listen(join(dir, /** @type {any} */ (nginx.counters).socket))
  await once(server, 'listening')
  t.teardown(() => { server.close(); server.closeAllConnections() })
  const status = getStatus(nginx.counters, dir)
  t.teardown(() => status.close())
  await t.rejects(status.counts(), { message: /aborted|did not respond within 5 s/ })
})

t.test('reads again on a new connection if the kept one was closed meanwhile', async t => {
  const dir = tempFolder(t)
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set()
  let requests = 0
  const server = http.createServer((_, res) => res.end(String(++requests)))
  server.on('connection', socket => sockets.add(socket))
  server.listen(join(dir, /** @type {any} */ (nginx.counters).socket))
  await once(server, 'listening')
  t.teardown(() => { server.close(); server.closeAllConnections() })
  const parse = (/** @type {string} */ body) => ({ requests: Number(body) })
  const status = getStatus(/** @type {any} */ ({ ...nginx.counters, parse }), dir)
  t.teardown(() => status.close())
  await status.counts()
  // The client has not yet seen the end when it writes.
  for (const socket of sockets) socket.destroy()
  await t.resolves(status.counts())
  t.equal(sockets.size, 2, 'another connection')
})

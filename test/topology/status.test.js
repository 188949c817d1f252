import { once } from 'node:events'
import http from 'node:http'
import { join } from 'node:path'
import t from '../support/tap.js'
import nginx from '../../proxy/nginx.js'
import { getStatus } from '../../bench/topology/start/start-proxy.js'
import { tempFolder } from '../support/temp.js'

/**
 * Reads the counters of a server.
 * @param {import('tap').Test} t
 * @param {http.RequestListener} handler
 * @param {object} [overrides] of the counters of nginx
 */
async function openStatus (t, handler, overrides) {
  const dir = tempFolder(t)
  const server = http.createServer(handler)
  await once(server.listen(join(dir, /** @type {any} */ (nginx.counters).socket)), 'listening')
  t.teardown(() => { server.close(); server.closeAllConnections() })
  const status = getStatus(/** @type {any} */ ({ ...nginx.counters, ...overrides }), dir)
  t.teardown(() => status.close())
  return { server, status }
}

t.test('gives up reading counters that arrive byte by byte after 5 s', async t => {
  const { status } = await openStatus(t, (_, res) => {
    res.flushHeaders()
    const timer = setInterval(() => res.write('x'), 200)
    res.on('close', () => clearInterval(timer))
  })
  await t.rejects(status.counts(), { message: /aborted|did not respond within 5 s/ })
})

t.test('reads again on a new connection if the kept one was closed meanwhile', async t => {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set()
  let requests = 0
  const parse = (/** @type {string} */ body) => ({ requests: Number(body) })
  const { server, status } = await openStatus(t, (_, res) => res.end(String(++requests)), { parse })
  server.on('connection', socket => sockets.add(socket))
  await status.counts()
  // The client has not yet seen the end when it writes.
  for (const socket of sockets) socket.destroy()
  await t.resolves(status.counts())
  t.equal(sockets.size, 2, 'another connection')
})

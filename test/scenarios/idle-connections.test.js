/** Tests the scenario about idle connections against planted memory and planted ends of connections. */
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import t from '../support/tap.js'
import { upgrade } from '../../servers/behaviour.js'
import { behaviourApp, listen, NO_READING, play } from '../support/plays.js'

/** @import { Server } from 'node:http' */
/** @import { Socket } from 'node:net' */
/** @import { Test } from 'tap' */

const CONNECTIONS = 100
/** Planted memory of each connection, in KiB. */
const PLANTED = { proxy: 20, server: 50 }
/** Turns of the event loop in which the end of a connection reaches the other end. */
const TURNS = 50

const app = await behaviourApp(t)

/** @param {Test} t */
const serveApp = t => listen(t, app, upgrade)

/** Waits until both ends, which are in this process, have handled the ends of connections. */
async function settle () {
  for (let turn = 0; turn < TURNS; turn++) await setImmediate()
}

/**
 * Returns a reading of planted memory, which grows with the connections of the server.
 * @param {Server} server
 */
const makeRead = server => async () => {
  await settle()
  const open = await promisify(server.getConnections.bind(server))()
  const memoryMiB = { proxy: 10 + open * PLANTED.proxy / 1024, server: 80 + open * PLANTED.server / 1024 }
  return { ...NO_READING, memoryMiB }
}

t.test('finds the memory of each connection, in both hops', async t => {
  const server = await serveApp(t)
  const { groups, figures = [], evidence = [] } =
    await play(t, 'idle-connections', { server, options: { connections: CONNECTIONS }, read: makeRead(server) })
  t.strictSame(groups, [{ name: 'websocket', requests: CONNECTIONS, counts: { ok: CONNECTIONS } }])
  t.strictSame(figures.map(({ name, value }) => [name, Math.round(value)]), [
    [`memory at ${CONNECTIONS} connections`, PLANTED.proxy + PLANTED.server],
    [`memory of the proxy at ${CONNECTIONS} connections`, PLANTED.proxy],
    [`memory of the app at ${CONNECTIONS} connections`, PLANTED.server]
  ])
  t.match(evidence, [/includes garbage/], 'this process has no flag expose-gc')
})

t.test('counts connections that the other end closes', async t => {
  const server = await serveApp(t)
  /** @type {Set<Socket>} */
  const sockets = new Set()
  server.on('connection', socket => sockets.add(socket))
  const read = async () => {
    for (const socket of sockets) socket.destroy()
    return makeRead(server)()
  }
  const { groups } = await play(t, 'idle-connections', { server, options: { connections: 10 }, read })
  t.match(groups, [{ name: 'websocket', counts: { closed: 10 } }])
})

t.test('counts connections that do not open', async t => {
  const server = await listen(t, (req, res) => { res.writeHead(404, { Connection: 'close' }).end('{}') })
  const { groups, figures, evidence = [] } =
    await play(t, 'idle-connections', { server, options: { connections: 10 }, read: makeRead(server) })
  t.match(groups, [{ name: 'websocket', requests: 10, counts: { 'status-404': 10 } }])
  t.strictSame(figures, [])
  t.match(evidence.at(-1), /did not open/)
})

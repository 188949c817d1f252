/** Tests what is found of real apps at SIGTERM. */
import t from '../../support/tap.js'
import { findAppFaults, tryAppEnd } from '../../../bench/features/rollout/app-end.js'
import { endingApp } from '../../support/ending-app.js'

// Trials wait most of their time.
t.jobs = 4

/** Limit for the end of apps that never end. */
const LIMIT_SECONDS = 1
/** An app whose page takes some time, with a stream and a WebSocket. Another line of code handles SIGTERM. */
const APP = `
import http from 'node:http'
const server = http.createServer((req, res) => {
  if (req.url !== '/events') return setTimeout(() => res.end('page'), 50)
  res.writeHead(200, { 'Content-Type': 'text/event-stream' })
  setInterval(() => res.write('data: x\\n\\n'), 50)
})
server.on('upgrade', (req, socket) => {
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n')
})
server.listen(process.env.PORT)
`
/** Closes the server, and announces the end of its connections. */
const CLOSE = `
const open = new Set()
server.prependListener('request', (req, res) => {
  res.shouldKeepAlive = server.listening
  open.add(res)
})
process.once('SIGTERM', () => {
  for (const res of open) res.shouldKeepAlive = false
  server.close(() => process.exit())
})
`

t.test('an app without a handler cuts requests, and SIGTERM ends the app', { buffered: true }, async t => {
  const half = await tryAppEnd(endingApp(t, APP))
  t.match(half, { request: 'cuts', acceptsNew: false, lateStatus: null })
  t.same(Object.keys(half.endSeconds), ['request', 'idle'])
  t.same(findAppFaults(half).map(({ code }) => code), ['cuts', 'short-keep-alive'])
})

t.test('an app that exits at once cuts requests', { buffered: true }, async t => {
  t.match(await tryAppEnd(endingApp(t, `${APP}process.on('SIGTERM', () => process.exit(3))`)), { request: 'cuts' })
})

t.test('an app that drains responds to requests in flight and ends', { buffered: true }, async t => {
  const half = await tryAppEnd(endingApp(t, `${APP}${CLOSE}server.keepAliveTimeout = 70_000`))
  t.match(half, { request: 'drains', lateStatus: 200, closesKept: true, acceptsNew: false, keepAliveSeconds: 70 })
  t.same(Object.values(half.endSeconds).map(seconds => typeof seconds), ['number', 'number'])
  t.same(findAppFaults(half).map(({ code }) => code), [])
})

t.test('a connection that an app closes after the response is not kept', { buffered: true }, async t => {
  const code = `${APP}
server.on('request', (req, res) => res.on('finish', () => {
  if (!server.listening) setImmediate(() => server.closeIdleConnections())
}))
process.once('SIGTERM', () => server.close(() => process.exit()))`
  t.match(await tryAppEnd(endingApp(t, code)), { request: 'drains', closesKept: true })
})

t.test('a package that closes connections with incomplete requests is no fault', { buffered: true }, async t => {
  const code = `${APP}
const sockets = new Set()
server.on('connection', socket => sockets.add(socket))
server.on('request', (req, res) => {
  sockets.delete(req.socket)
  if (closing) res.shouldKeepAlive = false
  res.on('finish', () => { if (closing) req.socket.end(); else sockets.add(req.socket) })
})
let closing = false
process.once('SIGTERM', () => {
  closing = true
  // The request that had arrived is handled first.
  setImmediate(() => { for (const socket of sockets) socket.destroy() })
  server.close(() => process.exit())
})`
  const half = await tryAppEnd(endingApp(t, code))
  t.match(half, { request: 'cuts-incomplete' })
  t.notOk(findAppFaults(half).some(({ code }) => code === 'cuts'))
})

t.test('finds which connections keep an app from its end', { buffered: true }, async t => {
  const app = endingApp(t, `${APP}${CLOSE}
server.closeIdleConnections = () => {} // As before Node 19.
server.keepAliveTimeout = 70_000`)
  const half = await tryAppEnd({ ...app, stream: '/events', websocket: '/', limitSeconds: LIMIT_SECONDS })
  t.match(half.endSeconds, { idle: null, stream: null, websocket: null })
  t.match(findAppFaults(half), [{ code: 'hangs', text: /an idle connection, a stream and a WebSocket/ }])
})

t.test('finds an app that still accepts connections, keeps them, and rejects requests', { buffered: true }, async t => {
  const code = `${APP}
server.removeAllListeners('request').on('request', (req, res) => res.writeHead(closing ? 503 : 200).end('page'))
let closing = false
process.once('SIGTERM', () => { closing = true })`
  const half = await tryAppEnd({ ...endingApp(t, code), limitSeconds: LIMIT_SECONDS })
  t.match(half, { lateStatus: 503, closesKept: false, acceptsNew: true })
  t.same(findAppFaults(half).map(({ code }) => code),
    ['rejects', 'accepts-new', 'keeps-open', 'hangs', 'short-keep-alive'])
})

t.test('measures how long an idle connection is kept that no header announces', { buffered: true }, async t => {
  const app = endingApp(t, `${APP}
server.prependListener('request', (req, res) => res.setHeader('Connection', 'keep-alive'))
server.keepAliveTimeout = 1000`)
  const { keepAliveSeconds } = await tryAppEnd(app)
  t.ok(keepAliveSeconds !== null && keepAliveSeconds > 0 && keepAliveSeconds < 8)
})

t.test('an app that closes each connection keeps none', { buffered: true }, async t => {
  const app = endingApp(t, `${APP}server.prependListener('request', (req, res) => { res.shouldKeepAlive = false })`)
  const half = await tryAppEnd(app)
  t.equal(half.keepAliveSeconds, 0)
  t.notHas(half.endSeconds, { idle: Number })
  t.equal(half.request, 'cuts')
})

// Serves the app of a deploy kit: the module APP, whose default export is a (req, res) handler, an Express app, or a
// factory of one (hopbench's examples). Listens on SOCKET, or else on PORT of HOST, in PROCESSES processes. A named
// export `upgrade` (req, socket, head) handles WebSockets. Open requests are finished on SIGTERM. WebSockets
// are closed on SIGTERM and SIGUSR2.
import cluster from 'node:cluster'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const { APP = './app.mjs', SOCKET, HOST, PORT, PROCESSES = '1', READY, DRAIN_SECONDS = '25' } = process.env
// Longer than nginx or the platform's router keeps idle connections, so that no request arrives on one that closes.
const KEEP_ALIVE_MS = Number(process.env.KEEP_ALIVE_SECONDS ?? 75) * 1000
// Above Node's default of 511, because a full queue of a Unix socket fails at once where TCP would wait.
const BACKLOG = 4096
const START_MS = 1000
const STARTS = 4

if (Number(PROCESSES) > 1 && cluster.isPrimary) lead(Number(PROCESSES))
else await serve()

function ready () {
  if (READY) writeFileSync(READY, '')
}

/** Replaces workers that died. Ends after several consecutive deaths at the start. */
function lead (/** @type {number} */ processes) {
  if (SOCKET) rmSync(SOCKET, { force: true })
  let [listening, failedStarts, ending] = [0, 0, false]
  const fork = () => {
    let since = Infinity
    const worker = cluster.fork()
    worker.once('listening', () => {
      since = performance.now()
      if (++listening === processes) ready()
    })
    worker.once('exit', (code, signal) => {
      if (ending) {
        if (Object.keys(cluster.workers ?? {}).length === 0) process.exit(0)
        return
      }
      failedStarts = performance.now() - since >= START_MS ? 0 : failedStarts + 1
      process.stderr.write(`a process of the app ended with ${signal ?? `exit code ${code}`}\n`)
      if (failedStarts >= STARTS) process.exit(code || 1)
      fork()
    })
  }
  for (let i = 0; i < processes; i++) fork()
  process.on('SIGUSR2', () => {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGUSR2')
  })
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => {
      ending = true
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM')
    })
  }
}

async function serve () {
  /** @type {any} */
  const { default: exported, about, upgrade } = await import(pathToFileURL(resolve(APP)).href)
  const handler = about ? await exported({ root: resolve(APP, '../files') }) : exported
  if (typeof handler !== 'function') {
    throw new TypeError(`${APP} has no default export that handles requests: a (req, res) function or an Express app`)
  }
  const server = http.createServer(handler)
  server.keepAliveTimeout = KEEP_ALIVE_MS
  /** @type {Set<import('node:stream').Duplex>} */
  const upgraded = new Set()
  const closeUpgraded = () => upgraded.forEach(socket => socket.destroy())
  if (upgrade) {
    server.on('upgrade', (req, socket, head) => {
      upgraded.add(socket)
      socket.once('close', () => upgraded.delete(socket))
      upgrade(req, socket, head)
    })
  }
  process.on('SIGUSR2', closeUpgraded)
  let draining = false
  const drain = () => {
    if (draining) return
    draining = true
    closeAfterEachResponse()
    closeUpgraded()
    const exit = () => process.exit(0)
    // Closes the server, and lets the first process give connections that this one has not accepted to another one.
    if (cluster.worker?.isConnected()) cluster.worker.once('disconnect', exit).disconnect()
    else server.close(exit)
    setInterval(() => server.closeIdleConnections(), 100)
    setTimeout(() => process.exit(0), Number(DRAIN_SECONDS) * 1000)
  }
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, drain)
  if (SOCKET && !cluster.isWorker) rmSync(SOCKET, { force: true })
  const address = SOCKET ? { path: SOCKET } : { port: Number(PORT), host: HOST }
  server.listen({ ...address, backlog: BACKLOG }, () => {
    // nginx can have another account of this group.
    if (SOCKET) chmodSync(SOCKET, 0o660)
    if (!cluster.isWorker) ready()
  })
}

/** Patches the prototype, which Express inherits from, on shutdown only, so that earlier responses cost no more. */
function closeAfterEachResponse () {
  const { writeHead } = http.ServerResponse.prototype
  http.ServerResponse.prototype.writeHead = /** @type {typeof writeHead} */ function (/** @type {any[]} */ ...args) {
    this.setHeader('Connection', 'close')
    // @ts-expect-error the overloads of writeHead cannot be spread
    return writeHead.apply(this, args)
  }
}

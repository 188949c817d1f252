/** The child that every server runs in: imports the handler, listens where it should, counts, and answers on a control
 * socket. HOPBENCH_LAUNCH holds a LaunchOrder as JSON; argv is not read: under PM2 it names PM2's own container. */
import cluster from 'node:cluster'
import { once } from 'node:events'
import { chmodSync, closeSync, openSync, rmSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { countStatuses, endListener, listenerFor } from './listener.js'
import { removeStale } from './stale-socket.js'

/** @import { RequestListener } from 'node:http' @import { LaunchOrder, WorkerCounts } from '../types.js' */

const order = /** @type {LaunchOrder} */ (JSON.parse(process.env.HOPBENCH_LAUNCH ?? '{}'))
delete process.env.HOPBENCH_LAUNCH

const counts = { connections: 0, requests: 0, non2xx: 0 }
countStatuses(counts)

const server = listenerFor(order.tls, order.keepAliveSeconds)
// Of TCP, before any handshake: as nginx counts what it accepts.
server.on('connection', () => { counts.connections++ })

let control = /** @type {net.Server | null} */ (null)
// PM2 logs a rejection and goes on: a server that cannot start must end by itself.
start().catch(fail)
for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT'])) process.on(signal, end)

async function start () {
  if (order.hidden) refuseIfReadable(order.hidden)
  const handler = await handlerOf(order)
  server.on('request', (/** @type {any} */ request, /** @type {any} */ response) => {
    counts.requests++
    handler(request, response)
  })
  const where = order.listen
  // Of workers that share an address one must not remove what another has just made: their manager has.
  if (where.kind === 'unix' && !cluster.isWorker) await removeStale(where.path)
  await listen(server, where.kind === 'unix'
    ? { path: where.path, backlog: order.backlog }
    : { host: where.host, port: where.port, backlog: order.backlog, reusePort: order.reusePort })
  // Under umask 022 another user could not connect; not every runtime knows readableAll.
  if (where.kind === 'unix') chmodSync(where.path, 0o666)
  server.on('error', fail)
  if (order.controlDir !== null) control = await openControl(join(order.controlDir, `${process.pid}.sock`))
}

/** That it is confined is proven at each start, and of each worker. @param {string} file */
function refuseIfReadable (file) {
  try {
    closeSync(openSync(file, 'r'))
  } catch {
    return
  }
  throw new Error(`the server is not confined: it can read ${file}`)
}

/** @param {string} path */
async function openControl (path) {
  const control = net.createServer(socket => {
    socket.on('data', () => socket.write(JSON.stringify(reading()) + '\n'))
    socket.on('error', () => {})
  })
  // Of a killed process that had this id before.
  rmSync(path, { force: true })
  // Exclusive: this worker's own, and not accepted by the manager for it.
  await listen(control, { path, exclusive: true })
  return control
}

/** @param {net.Server} server @param {net.ListenOptions & { reusePort?: boolean }} options */
const listen = (server, options) => once(server.listen(options), 'listening')

function end () {
  control?.close()
  endListener(server, () => process.exit(0))
}

function reading () {
  return {
    pid: process.pid,
    atSeconds: (performance.timeOrigin + performance.now()) / 1000,
    listening: typeof server.address() === 'string' ? 'unix' : 'tcp',
    ...counts
  }
}

/** @param {LaunchOrder} order @returns {Promise<RequestListener>} */
async function handlerOf ({ module, root, options }) {
  const { default: exported, about } = await import(pathToFileURL(module).href).catch(error => {
    // Node shows where a syntax error is only when nobody catches it.
    throw Object.assign(error, { stack: `${module} cannot be loaded by ${runtimeName()}: ${error.stack}` })
  })
  // A plug-in exports a factory and `about`; a user's own module exports a handler or an Express app.
  const made = about ? await exported({ root, options }) : exported
  if (typeof made === 'function') return made
  throw new TypeError(
    `${module} has no default export that handles requests: export a (req, res) function or an Express app`)
}

function runtimeName () {
  const [name, version] = Object.entries(process.versions).find(([name]) => ['bun', 'deno'].includes(name)) ??
    ['Node', process.versions.node]
  return `${name} ${version}`
}

/** Ends only when the words are written: under PM2 they go through a stream. @param {NodeJS.ErrnoException} error */
function fail (error) {
  // An address in use is a person's to mend, and needs no stack; a fault in the server's code does.
  const text = error.syscall === 'listen' ? error.message : stackOf(error)
  process.stderr.write(`${text}\n`, () => process.exit(1))
}

/** The server's own lines: a person is shown the last few only. @param {Error} error */
const stackOf = error => (error.stack ?? String(error)).split('\n')
  .filter(line => line.trim() !== '' && !/^\s+at .*(node:internal\/|\/topology\/launch\.js)/.test(line)).join('\n')

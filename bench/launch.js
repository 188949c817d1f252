/**
 * The child that every server runs in, under every process manager: it imports the handler, listens
 * where it is told, counts connections, requests and statuses, and answers on a control Unix socket.
 *
 * HOPBENCH_LAUNCH holds a LaunchOrder as JSON. The server itself never reads argv or env, and nor
 * does this file read argv: under PM2 it names PM2's own container.
 */
import cluster from 'node:cluster'
import { closeSync, openSync, rmSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { removeStale } from './launch/stale.js'

/**
 * @typedef {object} LaunchOrder
 * @property {string} module absolute path of the server's file
 * @property {string} root folder of the files to serve
 * @property {import('./types.d.ts').Address} listen
 * @property {number} instances worker processes on this one address
 * @property {string | null} controlDir folder for this process's control socket, `<pid>.sock`; null:
 *   nobody asks for its counts
 * @property {number} backlog
 * @property {string | null} [hidden] a file that is there and that this process must not be able to read; null or left out: it
 *   is not confined
 * @property {string[]} [nodeArgs] of node, for the processes that answer requests; left out: none
 * @property {number} keepAliveSeconds how long an idle connection is kept: above the proxy's own
 *   limit, else the two race and the proxy answers 502
 */

/**
 * What the control socket answers to each line it is sent.
 * @typedef {object} WorkerCounts
 * @property {number} pid
 * @property {number} atSeconds Unix time of the reading, by the worker's own clock
 * @property {'tcp' | 'unix'} listening
 * @property {number} connections accepted since the start
 * @property {number} requests begun since the start
 * @property {number} non2xx answers with another status than 2xx or 304
 */

const order = /** @type {LaunchOrder} */ (JSON.parse(process.env.HOPBENCH_LAUNCH ?? '{}'))
delete process.env.HOPBENCH_LAUNCH

const counts = { connections: 0, requests: 0, non2xx: 0 }
countStatuses()

const server = http.createServer()
server.on('connection', () => { counts.connections++ })
server.keepAliveTimeout = order.keepAliveSeconds * 1000

/** @type {net.Server | null} */
let control = null
// PM2 logs a rejection and goes on: a server that cannot start must end by itself.
start().catch(fail)
for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT'])) process.on(signal, end)

async function start () {
  if (order.hidden) refuseIfReadable(order.hidden)
  const handler = await handlerOf(order.module, order.root)
  server.on('request', (request, response) => {
    counts.requests++
    handler(request, response)
  })
  const where = order.listen
  // Of workers that share an address one must not remove what another has just made: their manager has.
  if (where.kind === 'unix' && !cluster.isWorker) await removeStale(where.path)
  await listen(server, where.kind === 'unix'
    // readableAll and writableAll: under umask 022 another user could not connect
    ? { path: where.path, backlog: order.backlog, readableAll: true, writableAll: true }
    : { host: where.host, port: where.port, backlog: order.backlog })
  server.on('error', fail)
  if (order.controlDir !== null) control = await openControl(join(order.controlDir, `${process.pid}.sock`))
}

/**
 * That it is confined is proven at each start, and of each worker.
 * @param {string} file
 */
function refuseIfReadable (file) {
  try {
    closeSync(openSync(file, 'r'))
  } catch {
    return
  }
  throw new Error(`the server is not confined: it can read ${file}`)
}

/**
 * @param {string} path
 * @returns {Promise<net.Server>}
 */
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

/**
 * @param {net.Server} server
 * @param {net.ListenOptions} options
 * @returns {Promise<void>}
 */
const listen = (server, options) => new Promise((resolve, reject) => {
  server.once('error', reject)
  server.listen(options, () => {
    server.off('error', reject)
    resolve()
  })
})

function end () {
  control?.close()
  server.close(() => process.exit(0)) // close() also unlinks the socket file
  server.closeAllConnections()
}

/** @returns {WorkerCounts} */
function reading () {
  return {
    pid: process.pid,
    atSeconds: (performance.timeOrigin + performance.now()) / 1000,
    listening: typeof server.address() === 'string' ? 'unix' : 'tcp',
    ...counts
  }
}

/**
 * Counts on the prototype: Express gives every response a prototype of its own, which ends here,
 * and a 'finish' listener on each response would cost more than the server.
 */
function countStatuses () {
  const writeHead = http.ServerResponse.prototype.writeHead
  http.ServerResponse.prototype.writeHead = /** @type {typeof writeHead} */
    function (/** @type {any[]} */ ...args) {
      // @ts-expect-error the overloads of writeHead cannot be spread
      const result = writeHead.apply(this, args)
      if ((this.statusCode < 200 || this.statusCode > 299) && this.statusCode !== 304) counts.non2xx++
      return result
    }
}

/**
 * A plug-in exports a factory and `about`; a user's own module exports a handler or an Express app.
 * @param {string} module
 * @param {string} root
 * @returns {Promise<http.RequestListener>}
 */
async function handlerOf (module, root) {
  const { default: exported, about } = await import(pathToFileURL(module).href).catch(error => {
    // Node tells where a syntax error is only when nobody catches it.
    throw Object.assign(error, { stack: `${module} cannot be loaded: ${error.stack}` })
  })
  const made = about ? await exported({ root }) : exported
  if (typeof made !== 'function') {
    throw new TypeError(`${module} has no default export that handles requests: export a (req, res) function or an Express app`)
  }
  return made
}

/**
 * Ends only when the words are written: under PM2 they go through a stream of its own.
 * @param {NodeJS.ErrnoException} error
 */
function fail (error) {
  // An address in use is a person's to mend, and needs no stack; a fault in the server's code does.
  const text = error.syscall === 'listen' ? error.message : stackOf(error)
  process.stderr.write(`${text}\n`, () => process.exit(1))
}

/**
 * Only the lines of the server's own code: a manager adds lines too, and the last few of them are
 * all that a person is shown.
 * @param {Error} error
 */
const stackOf = error => (error.stack ?? String(error)).split('\n')
  .filter(line => line.trim() !== '' && !/^\s+at .*(node:internal\/|\/bench\/launch\.js)/.test(line)).join('\n')

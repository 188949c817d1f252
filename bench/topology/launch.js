/**
 * Program of every process of a Node server: imports the handler, listens, and counts. Replies with its counts on a
 * control socket. HOPBENCH_LAUNCH contains a LaunchOrder as JSON; argv is not read, because PM2 replaces it.
 */
import cluster from 'node:cluster'
import { once } from 'node:events'
import { chmodSync, closeSync, openSync, rmSync } from 'node:fs'
import net from 'node:net'
import { pathToFileURL } from 'node:url'
import { endListener, listenerFor, removeStaleSocket, toDrain, watchErrors } from './listener.js'

/** @import { RequestListener } from 'node:http' */
/** @import { Duplex } from 'node:stream' */
/** @import { LaunchOrder } from './types.js' */
/** @import { UpgradeListener, WorkerCounts } from '../types.js' */

const order = /** @type {LaunchOrder} */ (JSON.parse(process.env.HOPBENCH_LAUNCH ?? '{}'))
delete process.env.HOPBENCH_LAUNCH

const { prefixes } = order
const paths = order.paths?.length ? new Set(order.paths) : null
/** @type {Pick<WorkerCounts, 'connections' | 'requests' | 'non2xx' | 'files'>} */
const counts = { connections: 0, requests: 0, non2xx: 0, ...prefixes && { files: 0 } }
watchErrors(() => { counts.non2xx++ })

const server = listenerFor(order.tls, order.keepAliveSeconds, order.http2)
/** @type {(done: () => void) => void} */
const endServer = order.drains ? toDrain(server, cluster.worker) : done => endListener(server, done)
// Counts TCP connections before the TLS handshake, as nginx does.
server.on('connection', () => { counts.connections++ })

/** Connections that are no longer HTTP, which the server does not close. @type {Set<Duplex>} */
const upgraded = new Set()
/** @type {net.Server | null} */
let control = null
// Ends the process, because under PM2 an unhandled rejection is only logged.
start().catch(fail)
for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT'])) process.on(signal, end)

/** Loads the handler, listens, and opens the control socket. */
async function start () {
  if (order.unreadableFile) assertUnreadable(order.unreadableFile)
  const { handler, upgrade } = await loadHandler(order)
  server.on('request', (/** @type {any} */ request, /** @type {any} */ response) => {
    counts.requests++
    if (counts.files !== undefined && isFile(request)) counts.files++
    handler(request, response)
  })
  if (upgrade) {
    server.on('upgrade', (/** @type {any} */ request, /** @type {Duplex} */ socket, /** @type {any} */ head) => {
      upgraded.add(socket)
      socket.once('close', () => upgraded.delete(socket))
      upgrade(request, socket, head)
    })
  }
  const address = order.listen
  const { backlog, reusePort } = order
  if (address.kind === 'unix') {
    // With several workers, the primary process removes a stale socket before it forks. A worker must not, because it
    // could remove the socket of another worker.
    if (!cluster.isWorker) await removeStaleSocket(address.path)
    await listen(server, { path: address.path, backlog })
    // Lets other users connect in spite of the umask. Not every runtime supports readableAll.
    chmodSync(address.path, 0o666)
  } else {
    await listen(server, { host: address.host, port: address.port, backlog, reusePort })
  }
  server.on('error', fail)
  if (order.control !== null) control = await openControl(`${order.control}${process.pid}.sock`)
}

/**
 * Returns whether a request is counted as one for a file.
 * @param {{ url: string, method: string }} request
 */
const isFile = ({ url, method }) => prefixes?.some(prefix => url.startsWith(prefix)) ||
  (paths?.has(url.split('?', 1)[0]) && (method === 'GET' || method === 'HEAD'))

/**
 * Fails the start if this process can read a file that confinement must hide.
 * @param {string} file
 * @throws {Error} not confined
 */
function assertUnreadable (file) {
  try {
    closeSync(openSync(file, 'r'))
  } catch {
    return
  }
  throw new Error(`the server is not confined: it can read ${file}`)
}

/** Opens the socket that replies with the counts to each message. @param {string} path */
async function openControl (path) {
  const control = net.createServer(socket => {
    socket.on('data', () => socket.write(JSON.stringify(readCounts()) + '\n'))
    socket.on('error', () => {})
  })
  // Removes the socket of a killed process that had the same PID.
  rmSync(path, { force: true })
  // Exclusive, because otherwise the manager would accept the connections for its workers.
  await listen(control, { path, exclusive: true })
  return control
}

/**
 * Waits until a server listens.
 * @param {net.Server} server
 * @param {net.ListenOptions & { reusePort?: boolean }} options
 */
const listen = (server, options) => once(server.listen(options), 'listening')

/** Closes the control socket and upgraded connections, and ends the process once the server has closed. */
function end () {
  control?.close()
  for (const socket of upgraded) socket.destroy()
  endServer(() => process.exit(0))
}

/** Returns the counts with the time of this process. @returns {WorkerCounts} */
const readCounts = () => ({
  pid: process.pid,
  atSeconds: (performance.timeOrigin + performance.now()) / 1000,
  listening: typeof server.address() === 'string' ? 'unix' : 'tcp',
  ...counts
})

/**
 * Imports the module of the server, and returns its handlers.
 * @param {LaunchOrder} order
 * @returns {Promise<{ handler: RequestListener, upgrade?: UpgradeListener }>}
 */
async function loadHandler ({ module, root, options }) {
  const { default: exported, about, upgrade } = await import(pathToFileURL(module).href).catch(error => {
    // Keeps the stack, because Node prints the position of a syntax error only for an uncaught error.
    throw Object.assign(error, { stack: `${module} cannot be loaded by ${getRuntime()}: ${error.stack}` })
  })
  // A plug-in exports a factory and `about`. Any other module exports a handler or an Express app.
  const handler = about ? await exported({ root, options }) : exported
  if (typeof handler === 'function') return { handler, upgrade }
  throw new TypeError(
    `${module} has no default export that handles requests: export a (req, res) function or an Express app`)
}

/** Returns the name and version of the runtime. */
function getRuntime () {
  const [name, version] = Object.entries(process.versions).find(([name]) => ['bun', 'deno'].includes(name)) ??
    ['Node', process.versions.node]
  return `${name} ${version}`
}

/**
 * Ends the process after its message is written, because under PM2 output is a stream.
 * @param {NodeJS.ErrnoException} error
 */
function fail (error) {
  // An address in use needs no stack, in contrast to a fault in the server's code.
  const text = error.syscall === 'listen' ? error.message : getOwnStack(error)
  process.stderr.write(`${text}\n`, () => process.exit(1))
}

/**
 * Returns the stack without lines of Node and of this file, because reports show only the last lines.
 * @param {Error} error
 */
const getOwnStack = error => (error.stack ?? String(error)).split('\n')
  .filter(line => line.trim() !== '' && !/^\s+at .*(node:internal\/|\/topology\/launch\.js)/.test(line)).join('\n')

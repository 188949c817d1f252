// The app of the experiments about behaviour: paths that wait, block, stream and echo, on node:http, and WebSockets.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createGzip } from 'node:zlib'

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { OptionValue, ServerAbout, ServerFactory, UpgradeListener } from '../bench/types.js' */

/** @type {ServerAbout} */
export const about = {
  title: 'an app with paths that wait, block, stream and echo',
  package: null,
  serves: ['json'],
  bytesFrom: 'memory',
  compression: 'none',
  settings: 'no timeout but that of the option idle',
  options: {
    idle: {
      type: 'string',
      default: 'long',
      help: 'keepAliveTimeout of node:http in ms; long: that of other servers'
    },
    gzip: {
      type: 'boolean',
      default: false,
      help: 'compresses streams without a flush after each event, as middleware for compression does'
    },
    unbuffered: {
      type: 'boolean',
      default: false,
      help: 'sends X-Accel-Buffering: no with streams, which turns off proxy_buffering of nginx for them'
    }
  }
}

const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' }
// Limits of a single request.
const MAX_MS = 10_000
const MAX_EVENTS = 1000
const MAX_BYTES = 16 * 1024 * 1024
/** Media types of streams by the parameter `type`. @type {Record<string, string>} */
const STREAM_TYPES = { events: 'text/event-stream', text: 'text/plain; charset=utf-8' }

/** @typedef {{ req: IncomingMessage, res: ServerResponse, query: URLSearchParams, body: Buffer }} Context */
/** @typedef {(context: Context) => void} Handler */

/** @type {Record<string, Handler>} */
const paths = {
  // Echoes the length of a body. `wait`: milliseconds before the response; `cpu`: milliseconds of CPU time for it.
  '/': ({ req, res, query, body }) => {
    let bytes = 0
    req.on('data', chunk => { bytes += chunk.length })
    req.on('end', () => later(query, () => {
      work(limited(query, 'cpu'))
      send(res, req.method === 'GET' ? body : JSON.stringify({ bytes }))
    }))
  },
  // Blocks the event loop. `ms`: milliseconds.
  '/block': ({ res, query, body }) => {
    burn(limited(query, 'ms'))
    send(res, body)
  },
  // Responds with `size` bytes, made for each request as a rendered page is.
  '/bytes': ({ res, query }) => send(res, Buffer.alloc(limited(query, 'size', MAX_BYTES), ' ')),
  // Collects garbage, where Node has the flag expose-gc.
  '/gc': ({ res, body }) => {
    if (!globalThis.gc) return res.writeHead(404).end()
    globalThis.gc()
    send(res, body)
  }
}

/** Server of the package ws. @type {any} */
let webSockets
/** Connections that get each message of any of them. @type {Set<any>} */
const audience = new Set()
/** Paths of WebSockets. @type {Record<string, (socket: any) => void>} */
const socketPaths = {
  // Sends each message back.
  '/echo': socket => {
    socket.on('message', (/** @type {Buffer} */ data, /** @type {boolean} */ binary) => socket.send(data, { binary }))
  },
  // Sends each message to all connections of this path.
  '/fan-out': socket => {
    audience.add(socket)
    socket.on('close', () => audience.delete(socket))
    socket.on('message', (/** @type {Buffer} */ data, /** @type {boolean} */ binary) => {
      for (const listener of audience) listener.send(data, { binary })
    })
  }
}

/** @type {UpgradeListener} */
export function upgrade (req, socket, head) {
  const { pathname } = new URL(req.url ?? '/', 'http://localhost')
  if (!Object.hasOwn(socketPaths, pathname)) {
    socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    return
  }
  webSockets.handleUpgrade(req, socket, head, (/** @type {any} */ opened) => {
    opened.on('error', () => {})
    socketPaths[pathname](opened)
  })
}

/** @type {ServerFactory} */
export default async ({ root, options = {} }) => {
  // @ts-expect-error the package has no types
  const { WebSocketServer } = await import('ws')
  webSockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  const body = await readFile(join(root, '1kb.json'))
  const delays = monitorEventLoopDelay({ resolution: 1 })
  let connections = 0
  let isCounting = false
  /** @type {Record<string, Handler>} */
  const all = {
    ...paths,
    '/delay': ({ res }) => {
      send(res, JSON.stringify({ p99Ms: delays.percentile(99) / 1e6, maxMs: delays.max / 1e6 }))
      delays.reset()
      delays.enable()
    },
    '/events': context => sendEvents(context, options),
    // Returns the number of connections that were accepted since the first such request.
    '/connections': ({ req, res }) => {
      const { server } = /** @type {any} */ (req.socket)
      if (!isCounting) server.on('connection', () => { connections++ })
      isCounting = true
      send(res, String(connections))
    }
  }
  const idleMs = Number(options.idle)
  return (req, res) => {
    const url = new URL(req.url ?? '/', 'http://localhost')
    // Replaces the timeout of the launcher. Node reads the timeout at the end of each response.
    const { server } = /** @type {any} */ (req.socket)
    if (idleMs >= 0) server.keepAliveTimeout = idleMs
    if (!Object.hasOwn(all, url.pathname)) return res.writeHead(404).end()
    all[url.pathname]({ req, res, query: url.searchParams, body })
  }
}

/**
 * @param {ServerResponse} res
 * @param {string | Buffer} body
 */
function send (res, body) {
  res.writeHead(200, { ...JSON_TYPE, 'Content-Length': Buffer.byteLength(body) })
  res.end(body)
}

/**
 * Streams `count` events, one `every` ms, each padded by `bytes`. An event holds the time at which it is sent, in
 * microseconds of the monotonic clock, which all processes of a machine share.
 * @param {Context} context
 * @param {Record<string, OptionValue>} options of the server
 */
function sendEvents ({ req, res, query }, { gzip, unbuffered }) {
  const isCompressed = Boolean(gzip) && /\bgzip\b/.test(String(req.headers['accept-encoding']))
  res.writeHead(200, {
    'Content-Type': STREAM_TYPES[query.get('type') ?? 'events'] ?? STREAM_TYPES.events,
    'Cache-Control': 'no-store',
    ...unbuffered && { 'X-Accel-Buffering': 'no' },
    ...isCompressed && { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' }
  })
  const padding = 'x'.repeat(limited(query, 'bytes', MAX_BYTES))
  const compressor = isCompressed ? createGzip() : null
  compressor?.pipe(res)
  const out = compressor ?? res
  let left = limited(query, 'count', MAX_EVENTS)
  const step = () => {
    if (left-- > 0) {
      out.write(`data: ${process.hrtime.bigint() / 1000n} ${padding}\n\n`)
    } else {
      clearInterval(timer)
      out.end()
    }
  }
  const timer = setInterval(step, Math.max(1, limited(query, 'every')))
  res.on('close', () => clearInterval(timer))
  step()
}

/**
 * @param {URLSearchParams} query
 * @param {string} name
 * @param {number} [most]
 */
const limited = (query, name, most = MAX_MS) => Math.min(most, Math.max(0, Number(query.get(name)) || 0))

/**
 * @param {URLSearchParams} query
 * @param {() => void} work
 */
function later (query, work) {
  const ms = limited(query, 'wait')
  if (ms > 0) setTimeout(work, ms)
  else work()
}

/** Uses CPU time, as code that blocks the event loop does. @param {number} ms */
function burn (ms) {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/**
 * Uses CPU time. Excludes the time in which the process is paused, as the processes of arms are between slices.
 * @param {number} ms
 */
function work (ms) {
  if (ms === 0) return
  const start = process.cpuUsage()
  const isDone = () => {
    const { user, system } = process.cpuUsage(start)
    return user + system >= ms * 1000
  }
  while (!isDone());
}

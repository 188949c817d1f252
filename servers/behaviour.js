// The app of the experiments about behaviour: paths that wait, block, stream and echo, on node:http.
import { readFile } from 'node:fs/promises'
import http from 'node:http'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { ServerAbout, ServerFactory } from '../bench/types.js' */

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
      help: 'keepAliveTimeout of node:http in ms; node: the default of its version; long: that of other servers'
    }
  }
}

const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' }
const LONGEST_MS = 10_000 // Limits what one request can ask of the app.

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
  }
}

/** @type {ServerFactory} */
export default async ({ root, options = {} }) => {
  const body = await readFile(join(root, '1kb.json'))
  const delays = monitorEventLoopDelay({ resolution: 1 })
  paths['/delay'] = ({ res }) => {
    send(res, JSON.stringify({ p99Ms: delays.percentile(99) / 1e6, maxMs: delays.max / 1e6 }))
    delays.reset()
    delays.enable()
  }
  let connections = 0
  let isCounting = false
  // Returns the number of connections that were accepted since the first such request.
  paths['/connections'] = ({ req, res }) => {
    const { server } = /** @type {any} */ (req.socket)
    if (!isCounting) server.on('connection', () => { connections++ })
    isCounting = true
    send(res, String(connections))
  }
  const idleMs = options.idle === 'node' ? http.createServer().keepAliveTimeout : Number(options.idle)
  return (req, res) => {
    const url = new URL(req.url ?? '/', 'http://localhost')
    // Replaces the timeout of the launcher. Node reads the timeout at the end of each response.
    const { server } = /** @type {any} */ (req.socket)
    if (idleMs >= 0) server.keepAliveTimeout = idleMs
    if (!Object.hasOwn(paths, url.pathname)) return res.writeHead(404).end()
    paths[url.pathname]({ req, res, query: url.searchParams, body })
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
 * @param {URLSearchParams} query
 * @param {string} name
 */
const limited = (query, name) => Math.min(LONGEST_MS, Math.max(0, Number(query.get(name)) || 0))

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

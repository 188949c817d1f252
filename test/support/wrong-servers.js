/**
 * A faulty server for each probe of `hopbench check`, which the probe must detect.
 * @import { IncomingMessage, ServerResponse } from 'node:http'
 */
import { openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { BIG_BYTES, LARGE_BYTES, DATA, PAGE, TEXT } from '../../bench/features/check/site.js'

/** @typedef {(req: IncomingMessage, res: ServerResponse, root: string) => void} Wrong */

const DATE = 'Thu, 20 Feb 2020 20:20:20 GMT'
const VALID = { ETag: '"v1"', 'Last-Modified': DATE }

/**
 * Sends the same response to every request.
 * @param {number} status
 * @param {Record<string, any>} [headers]
 * @param {string | Buffer} [body]
 * @returns {Wrong}
 */
const always = (status, headers = {}, body = 'wrong') => (req, res) => {
  res.writeHead(status, { 'Content-Length': Buffer.byteLength(body), ...headers }).end(body)
}

/** Sends the whole file with validators to every request. */
const deaf = always(200, VALID, DATA)
/**
 * Sends 304 to every conditional request.
 * @type {Wrong}
 */
const eager = (req, res) => {
  const asked = req.headers['if-none-match'] ?? req.headers['if-modified-since']
  res.writeHead(asked ? 304 : 200, VALID).end(asked ? undefined : DATA)
}
/** Sends the first ten bytes for every range. */
const tenBytes = always(206, { ...VALID, 'Content-Range': `bytes 0-9/${DATA.length}` }, DATA.subarray(0, 10))

/**
 * Compresses with gzip or Brotli whenever the client accepts it, without any other header.
 * @param {Record<string, string>} [headers]
 * @returns {Wrong}
 */
const greedy = headers => (req, res) => {
  const accept = String(req.headers['accept-encoding'] ?? '')
  const coding = accept.includes('gzip') ? 'gzip' : accept.includes('br') ? 'br' : null
  const body = coding === 'gzip' ? gzipSync(PAGE) : coding === 'br' ? brotliCompressSync(PAGE) : Buffer.from(PAGE)
  res.writeHead(200, { 'Content-Type': 'text/html', ...(coding && { 'Content-Encoding': coding }), ...headers }).end(
    body
  )
}

/**
 * Serves any file of the machine.
 * @param {(root: string, url: string) => string} pathOf
 * @returns {Wrong}
 */
const reads = pathOf => (req, res, root) => {
  try {
    const body = readFileSync(pathOf(root, req.url ?? '/'))
    res.writeHead(200, { 'Content-Length': body.length }).end(body)
  } catch {
    res.writeHead(404).end()
  }
}

/**
 * Loses a descriptor with every request, and responds as another server does.
 * @param {Wrong} respond
 * @returns {Wrong}
 */
const leaks = respond => (req, res, root) => {
  openSync(join(root, 'data.txt'), 'r')
  respond(req, res, root)
}

/** Most time until a client has changed the file. */
const CHANGE_MS = 20_000

/**
 * Waits until a file has another size than at the begin of its download.
 * @param {string} file
 * @returns {Promise<number>} its size, at the limit the same one
 */
async function findChangedSize (file) {
  const deadline = performance.now() + CHANGE_MS
  const getSize = () => statSync(file, { throwIfNoEntry: false })?.size ?? LARGE_BYTES
  while (getSize() === LARGE_BYTES && performance.now() < deadline) await sleep(10, undefined, { ref: false })
  return getSize()
}

const naive = reads((root, url) => `${root}${decodeURIComponent(url)}`)

/** @type {Record<string, Wrong>} by the probe's name */
export const wrong = {
  head: (req, res) => { res.socket?.end(`HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n${'body'}`) },
  'head-missing': always(200),
  idle: always(200, { 'Keep-Alive': 'timeout=5', Connection: 'keep-alive' }, DATA),

  etag: deaf,
  'etag-list': deaf,
  'etag-star': deaf,
  'etag-weak': deaf,
  'etag-other': eager,
  'not-modified-head': (req, res) => {
    req.headers['if-none-match'] ? res.writeHead(304).end() : res.writeHead(200, VALID).end(DATA)
  },
  modified: deaf,
  'modified-older': eager,
  precedence: eager,
  'if-range': (req, res) => {
    req.headers.range ? res.writeHead(206, VALID).end('other') : res.writeHead(200, VALID).end(DATA)
  },
  'if-range-stale': tenBytes,

  index: always(500),
  'folder-redirect': always(301, { Location: '/elsewhere/' }),
  'folder-listing': always(500),
  'open-redirect': (req, res) => { res.writeHead(301, { Location: `${req.url}/` }).end() },

  gzip: always(200, { 'Content-Encoding': 'gzip' }, 'no gzip'),
  brotli: always(200, { 'Content-Encoding': 'br' }, 'no brotli'),
  'encoding-q0': greedy(),
  vary: greedy(),
  'encoding-etag': greedy({ ETag: '"same"' }),
  'encoding-range': (req, res) => { req.headers.range ? tenBytes(req, res, '') : greedy()(req, res, '') },

  'type-html': always(200, { 'Content-Type': 'text/plain' }),
  types: always(200, { 'Content-Type': 'text/html' }),
  'type-unknown': always(200, { 'Content-Type': 'null' }),

  range: tenBytes,
  'range-open': tenBytes,
  'range-suffix': tenBytes,
  'range-beyond': tenBytes,
  'range-first': tenBytes,
  'range-multiple': always(206, { ...VALID, 'Content-Range': `bytes 0-9/${DATA.length}` }, DATA.subarray(5, 15)),
  'range-unsatisfiable': always(416, {}, DATA),
  'range-unit': tenBytes,
  'range-invalid': tenBytes,

  traversal: naive,
  'traversal-dots': naive,
  'traversal-slash': naive,
  'traversal-backslash': reads((root, url) => `${root}${decodeURIComponent(url).replaceAll('\\', '/')}`),
  'traversal-twice': reads((root, url) => `${root}${decodeURIComponent(decodeURIComponent(url))}`),
  'traversal-sibling': reads((root, url) => {
    const path = join(root, decodeURIComponent(url))
    return path.startsWith(root) ? path : ''
  }),
  'traversal-absolute': reads((root, url) => resolve(root, decodeURIComponent(url).slice(1))),
  dotfiles: naive,

  names: reads((root, url) => `${root}${url}`),
  'nul-byte': always(200),
  percent: always(500),
  overlong: always(200),
  slashes: always(500),
  'long-name': always(500),

  post: deaf,
  'put-delete': deaf,
  'read-only': (req, res, root) => {
    if (req.method === 'PUT') writeFileSync(join(root, 'written.txt'), 'x')
    if (req.method === 'DELETE') rmSync(join(root, 'style.css'), { force: true })
    res.end()
  },
  options: deaf,
  trace: (req, res) => { res.end(JSON.stringify(req.headers)) },

  empty: always(404),
  big: always(200, {}, 'not so big'),
  pipelined: always(200, {}, 'alive'),
  replaced: always(200, {}, 'o'.repeat(1000) + 'n'.repeat(1000)),
  deleted: always(500),
  'slow-reader': (req, res) => { res.end(Buffer.alloc(BIG_BYTES, 1)) },
  aborted: leaks(always(200)),
  'slow-closed': leaks((req, res) => {
    req.url === '/big.bin' ? res.write(Buffer.alloc(65536)) : res.end()
  }),
  'head-open': leaks(always(200, {}, DATA)),
  'not-modified-open': leaks(eager),
  'replaced-validator': (req, res, root) => {
    res.writeHead(200, VALID).end(readFileSync(join(root, String(req.url))))
  },
  truncated: async (req, res, root) => {
    res.writeHead(200, { 'Content-Length': LARGE_BYTES }).write(Buffer.alloc(65536))
    const size = await findChangedSize(join(root, String(req.url)))
    res.end(Buffer.alloc(LARGE_BYTES - 65536, size === LARGE_BYTES ? 0 : 'x'))
  },
  grown: async (req, res, root) => {
    const rest = Buffer.alloc(LARGE_BYTES - 10)
    res.socket?.write(`HTTP/1.1 200 OK\r\nContent-Length: ${LARGE_BYTES}\r\n\r\n${'\0'.repeat(10)}`)
    const size = await findChangedSize(join(root, String(req.url)))
    res.socket?.end(Buffer.concat([rest, Buffer.alloc(size - LARGE_BYTES, 'x')]))
  },
  'absolute-form': (req, res, root) => naive(req, res, root)
}

/**
 * Servers with the worst result of probes that cannot fail, because HTTP leaves the behaviour to the server.
 * @type {Record<string, Wrong>}
 */
export const unusual = {
  validators: always(200),
  symlink: naive,
  'encoding-weights': greedy(),
  // Compresses three times, because the process of a test also pays for its client.
  recompress: (req, res) => {
    const isPacked = req.headers['accept-encoding'] === 'gzip'
    if (isPacked) for (let i = 0; i < 2; i++) gzipSync(TEXT, { level: 9 })
    res.writeHead(200, isPacked ? { 'Content-Encoding': 'gzip' } : {})
      .end(isPacked ? gzipSync(TEXT, { level: 9 }) : TEXT)
  }
}

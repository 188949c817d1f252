/**
 * Servers with a fault in their use of HTTP rather than in the content: incomplete responses, early closes, wrong
 * lengths. Each serves the JSON fixture correctly until its fault is due, so that it can pass a gate first.
 * @import { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { jsonFixture } from '../../bench/topology/fixtures/fixtures.js'

const BODY = Buffer.from(jsonFixture())
const TYPE = { 'Content-Type': 'application/json; charset=utf-8' }
const HEADERS = { ...TYPE, 'Content-Length': BODY.length }
const HALF = BODY.subarray(0, BODY.length / 2)
/** Delay beyond the response timeout of every client of the suite. */
const LATE_MS = 60_000
const SPLIT_MS = 40
const LORIS_MS = 200

/**
 * @typedef {object} Planted
 * @property {string} what description of the fault
 * @property {'hangs' | 'closes' | 'lies' | 'slow' | 'odd'} kind effect on a client: a response that never ends, a
 *   closed connection, a wrong response, a late response, or a correct and unusual response
 * @property {number} every requests for each faulty response
 * @property {(req: IncomingMessage, res: ServerResponse) => void} answer
 */

/**
 * Sends the headers at once and the body after a delay.
 * @param {number} ms
 * @returns {Planted['answer']}
 */
function bodyAfter (ms) {
  return (_, res) => {
    res.writeHead(200, HEADERS).flushHeaders()
    setTimeout(() => res.end(BODY), ms).unref()
  }
}

/** @type {Record<string, Planted>} by name */
export const planted = {
  'one-byte-more': {
    what: 'announces one byte more than it sends',
    kind: 'hangs',
    every: 200,
    answer: (_, res) => { res.writeHead(200, { ...TYPE, 'Content-Length': BODY.length + 1 }).end(BODY) }
  },
  'cut-short': {
    what: 'sends half of a response, then closes the connection',
    kind: 'closes',
    every: 50,
    answer: (req, res) => { res.writeHead(200, HEADERS).write(HALF, () => req.socket.destroy()) }
  },
  silent: {
    what: 'closes the connection silently',
    kind: 'closes',
    every: 10,
    answer: req => { req.socket.destroy() }
  },
  'late-body': {
    what: 'sends the headers at once and the body a minute later',
    kind: 'hangs',
    every: 100,
    answer: bodyAfter(LATE_MS)
  },
  'gzip-length': {
    what: 'compresses, and announces the length without compression',
    kind: 'hangs',
    every: 1,
    answer: (_, res) => { res.writeHead(200, { ...HEADERS, 'Content-Encoding': 'gzip' }).end(gzipSync(BODY)) }
  },
  split: {
    what: 'sends headers and body in two pieces, some milliseconds apart',
    kind: 'slow',
    every: 1,
    answer: bodyAfter(SPLIT_MS)
  },
  'two-lengths': {
    what: 'announces two lengths that differ',
    kind: 'lies',
    every: 1,
    answer: (_, res) => {
      const lengths = [BODY.length, HALF.length].flatMap(length => ['Content-Length', String(length)])
      res.writeHead(200, ['Content-Type', TYPE['Content-Type'], ...lengths]).end(BODY)
    }
  },
  'no-last-chunk': {
    what: 'sends the body in chunks, and never the last one',
    kind: 'hangs',
    every: 100,
    answer: (_, res) => { res.writeHead(200, TYPE).write(BODY) }
  },
  'body-of-204': {
    what: 'sends a body after a 204 response, so that the next response seems to begin with it',
    kind: 'lies',
    every: 20,
    answer: (req, res) => {
      res.writeHead(204).end()
      req.socket.write(BODY)
    }
  },
  'later-500': {
    what: 'responds with 500 to every request once the fault is due',
    kind: 'lies',
    every: 1,
    answer: (_, res) => { res.writeHead(500, HEADERS).end(BODY) }
  },
  'promises-keep-alive': {
    what: 'announces a persistent connection, and closes it after the response',
    kind: 'closes',
    every: 1,
    answer: (req, res) => {
      res.writeHead(200, { ...HEADERS, Connection: 'keep-alive', 'Keep-Alive': 'timeout=60' })
      res.end(BODY, () => req.socket.end())
    }
  },
  loris: {
    what: 'sends a byte every fifth of a second',
    kind: 'hangs',
    every: 20,
    answer: (req, res) => {
      res.writeHead(200, HEADERS).flushHeaders()
      let sent = 0
      const timer = setInterval(() => {
        if (sent < BODY.length) res.write(BODY.subarray(sent, ++sent))
        else res.end()
      }, LORIS_MS).unref()
      req.socket.once('close', () => clearInterval(timer))
      res.once('close', () => clearInterval(timer))
    }
  },
  'huge-headers': {
    what: 'sends 160 KB of headers',
    kind: 'odd',
    every: 1,
    answer: (_, res) => {
      const filler = Array.from({ length: 20 }, (_, i) => [`X-Filler-${i}`, 'x'.repeat(8192)])
      res.writeHead(200, { ...HEADERS, ...Object.fromEntries(filler) }).end(BODY)
    }
  }
}

/**
 * @param {string} name of `planted`
 * @param {{ from?: number, every?: number }} [when] from: correct responses before the first fault, for gate and
 *   warm-up; every: default, the server's own value
 * @returns {RequestListener}
 */
export function plantedHandler (name, { from = 0, every = planted[name].every } = {}) {
  let requests = 0
  return (req, res) => {
    const due = ++requests - from
    if (due > 0 && due % every === 0) planted[name].answer(req, res)
    else res.writeHead(200, HEADERS).end(BODY)
  }
}

/**
 * Writes a module of a faulty server. Its path is a server's name in a topology spec.
 * @param {string} folder
 * @param {string} name
 * @param {Parameters<typeof plantedHandler>[1]} [when]
 */
export function plantedModule (folder, name, when = {}) {
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, `import { plantedHandler } from ${JSON.stringify(import.meta.url)}\n` +
    `export default plantedHandler(${JSON.stringify(name)}, ${JSON.stringify(when)})\n`)
  return file
}

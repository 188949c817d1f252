/**
 * Servers that are wrong in the way they answer rather than in what: they leave clients hanging, close on them or
 * mislead them. Each answers the JSON fixture, and is right until its fault is due, so that it may pass a gate first.
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
/** Longer than any client of the suite waits for an answer. */
const LATE_MS = 60_000
const SPLIT_MS = 40
const LORIS_MS = 200

/**
 * @typedef {object} Planted
 * @property {string} what it does, in words
 * @property {'hangs' | 'closes' | 'lies' | 'slow' | 'odd'} kind what a client meets: an answer that never ends, a
 *   connection that does, an answer that is wrong, one that is late, or one that is right and unusual
 * @property {number} every so many requests one is answered so
 * @property {(req: IncomingMessage, res: ServerResponse) => void} answer
 */

/**
 * @param {number} ms
 * @returns {Planted['answer']} the headers at once
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
    what: 'sends half of an answer, then closes',
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
    what: 'says 204 and sends a body, which the next answer then begins with',
    kind: 'lies',
    every: 20,
    answer: (req, res) => {
      res.writeHead(204).end()
      req.socket.write(BODY)
    }
  },
  'later-500': {
    what: 'answers 500 to everything once it is due',
    kind: 'lies',
    every: 1,
    answer: (_, res) => { res.writeHead(500, HEADERS).end(BODY) }
  },
  'promises-keep-alive': {
    what: 'promises to keep the connection, and closes it after the answer',
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
 * @param {{ from?: number, every?: number }} [when] requests that are answered right before the first fault, as those
 *   of a gate and a warm-up; every: left out, as it is by itself
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
 * A module for a topology of its own: its path is a server's name.
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

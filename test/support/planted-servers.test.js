/** Tests the bytes that the planted servers send. */
import http from 'node:http'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t from './tap.js'
import { jsonFixture } from '../../bench/topology/fixtures/fixtures.js'
import { listening } from './listening.js'
import { planted, plantedHandler } from './planted-servers.js'

/** @import { Test } from 'tap' */

const BODY = jsonFixture()
/** Silence after which a response is considered complete, counted from its first byte. */
const QUIET_MS = 400
const LATEST_MS = 20_000

/**
 * Sends two consecutive requests on one connection and returns both responses.
 * @param {Test} t
 * @param {string} name
 * @param {Parameters<typeof plantedHandler>[1]} when
 */
async function requestTwice (t, name, when) {
  const isDue = when?.from === undefined
  const socket = net.connect(await listening(t, http.createServer(plantedHandler(name, when))), '127.0.0.1')
  t.teardown(() => socket.destroy())
  let text = ''
  let closed = false
  socket.on('data', chunk => { text += chunk.toString('latin1') }).on('close', () => { closed = true })
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  // The server loris never stops sending, so its first bytes are enough.
  const trickles = () => name === 'loris' && isDue && /\r\n\r\n./s.test(text)
  await settled(() => text.length, () => closed || trickles())
  const first = text
  if (!closed) socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await settled(() => text.length - first.length, () => closed || (isDue && SILENT.includes(name)))
  const [head, body = ''] = first.split(/\r\n\r\n(.*)/s)
  const announced = [...head.matchAll(/^Content-Length: (\d+)/gmi)].map(([, length]) => Number(length))
  return { head, body, announced, closed, second: text.slice(first.length) }
}

/** Servers that do not respond to a second request. */
const SILENT = ['one-byte-more', 'late-body', 'no-last-chunk', 'gzip-length', 'loris']

/**
 * Waits until a response has ended or no more bytes arrive.
 * @param {() => number} length number of received bytes
 * @param {() => boolean} over
 */
async function settled (length, over) {
  const latest = performance.now() + LATEST_MS
  for (let before = 0; !over() && performance.now() < latest; before = length()) {
    await sleep(before > 0 ? QUIET_MS : QUIET_MS / 10)
    if (before > 0 && length() === before) return
  }
}

/**
 * Whether the first response has the planted fault, by the name of the server.
 * @type {Record<string, (answer: Awaited<ReturnType<typeof requestTwice>>) => boolean>}
 */
const shows = {
  'one-byte-more': ({ body, announced, closed }) => body === BODY && announced[0] === BODY.length + 1 && !closed,
  'cut-short': ({ body, announced, closed }) => body.length === 512 && announced[0] === BODY.length && closed,
  silent: ({ head, closed }) => head === '' && closed,
  'late-body': ({ head, body, closed }) => head.startsWith('HTTP/1.1 200') && body === '' && !closed,
  'gzip-length': ({ head, body, announced }) =>
    /Content-Encoding: gzip/.test(head) && body.length < announced[0] && announced[0] === BODY.length,
  split: ({ body, second }) => body === BODY && second.endsWith(BODY),
  'two-lengths': ({ announced }) => announced.length === 2 && announced[0] !== announced[1],
  'no-last-chunk': ({ head, body, closed }) =>
    /Transfer-Encoding: chunked/.test(head) && body.includes(BODY) && !/0\r\n\r\n$/.test(body) && !closed,
  'body-of-204': ({ head, body }) => head.startsWith('HTTP/1.1 204') && body === BODY,
  'later-500': ({ head, body }) => head.startsWith('HTTP/1.1 500') && body === BODY,
  'promises-keep-alive': ({ head, body, closed }) => /Connection: keep-alive/.test(head) && body === BODY && closed,
  loris: ({ body, closed }) => body.length > 0 && body.length < 10 && !closed,
  'huge-headers': ({ head, body }) => head.length > 160_000 && body === BODY
}

t.test('every planted server has a description and a test', async t => {
  t.strictSame(Object.keys(shows), Object.keys(planted))
  for (const { what, kind } of Object.values(planted)) t.ok(what && kind)
})

t.test('every planted server sends its fault when the fault is due', async t => {
  await Promise.all(Object.entries(shows).map(async ([name, show]) => {
    const answer = await requestTwice(t, name, { every: 1 })
    t.ok(show(answer), name) || t.comment(answer)
  }))
})

t.test('every planted server responds correctly before its fault is due', async t => {
  await Promise.all(Object.keys(planted).map(async name => {
    const { head, body, second } = await requestTwice(t, name, { from: 10, every: 1 })
    t.ok(head.startsWith('HTTP/1.1 200') && body === BODY && second.endsWith(BODY), name)
  }))
})

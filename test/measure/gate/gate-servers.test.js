/** Tests that the gate rejects hostile responses within seconds and with a reason. */
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { deflateSync, gzipSync } from 'node:zlib'
import t from '../../support/tap.js'
import { decoded, MAX_BYTES } from '../../../bench/machine/content-encoding.js'
import { fetchResponses, judgeAnswers } from '../../../bench/measure/gate/gate.js'
import { passGate } from '../../../bench/measure/gate/pass.js'
import { expected, jsonFixture } from '../../../bench/topology/fixtures/fixtures.js'
import { armOf } from '../../support/samples.js'

/** @import { RequestListener, Server } from 'node:http' */
/** @import { AddressInfo } from 'node:net' */
/** @import { Test } from 'tap' */

const TYPE = 'application/json; charset=utf-8'
const BODY = jsonFixture()
const LENGTH = `Content-Length: ${BODY.length}`
const expectation = expected(BODY, TYPE)
const BODY_LIMIT = 4 * 2 ** 20
const TIMES = 40

/**
 * Returns a server that sends these bytes to every request.
 * @param {string} text
 * @returns {() => net.Server}
 */
const raw = text => () => net.createServer(socket => {
  socket.on('error', () => {}).on('data', () => socket.write(text, 'latin1'))
})
/**
 * Returns a server that sends these lines of a head and a body.
 * @param {string[]} head
 * @param {string} [body]
 */
const answer = (head, body = BODY) => raw(`${head.join('\r\n')}\r\n\r\n${body}`)
/**
 * Returns an HTTP server that responds with these headers.
 * @param {Record<string, string>} headers
 * @param {string | Buffer} [body]
 * @param {number} [status]
 * @returns {() => Server}
 */
const says = (headers, body = BODY, status = 200) => () => http.createServer((_, res) => {
  res.writeHead(status, { 'Content-Type': TYPE, 'Content-Length': Buffer.byteLength(body), ...headers }).end(body)
})
/**
 * Returns an HTTP server with this listener.
 * @param {RequestListener} listener
 */
const handler = listener => () => http.createServer(listener)

const OK = 'HTTP/1.1 200 OK'
/** Member of a gzip file that decompresses to 64 MiB. Seven members exceed the limit of the gate. */
const MEMBER = gzipSync(Buffer.alloc(64 * 2 ** 20))
const BOMB = Buffer.concat(Array(7).fill(MEMBER))

/**
 * Server and expected reason of the gate, by case.
 * @type {Record<string, [() => net.Server, RegExp]>}
 */
const hostile = {
  'an unknown HTTP version': [answer(['HTTP/9.9 200 OK', LENGTH]), /Parse Error/],
  'a body without any headers': [raw(BODY), /Parse Error/],
  'a status without a number': [answer(['HTTP/1.1 OK', LENGTH]), /Parse Error/],
  'a length and chunks': [
    answer([OK, LENGTH, 'Transfer-Encoding: chunked'], `400\r\n${BODY}\r\n0\r\n\r\n`), /Parse Error/],
  'a chunk of negative size': [answer([OK, 'Transfer-Encoding: chunked'], `-5\r\n${BODY}`), /Parse Error/],
  'a chunk size beyond the integer range': [answer([OK, 'Transfer-Encoding: chunked'], `${'F'.repeat(20)}\r\n${BODY}`),
    /Parse Error/],
  'a length with a sign': [answer([OK, `Content-Length: +${BODY.length}`]), /Parse Error/],
  'a header without a colon': [answer([OK, LENGTH, 'no colon']), /Parse Error/],
  'a NUL in a header': [answer([OK, LENGTH, 'X-A: a\0b']), /Parse Error/],
  'a megabyte of headers': [answer([OK, LENGTH, `X-A: ${'a'.repeat(2 ** 20)}`]), /Header overflow|Parse Error/],
  'another protocol': [answer(['HTTP/1.1 101 Switching Protocols', 'Upgrade: x', 'Connection: Upgrade'], ''),
    /ended without a response/],
  'a part without a range request': [says({ 'Content-Range': `bytes 0-${BODY.length - 1}/9999` }, BODY, 206),
    /status 206/],
  'a 304 without a condition': [answer(['HTTP/1.1 304 Not Modified'], ''), /status 304/],
  'a redirect to itself': [says({ Location: '/' }, BODY, 302), /status 302/],
  'an empty body': [says({}, ''), /expected one \(0 bytes/],
  'a byte order mark': [says({}, `\ufeff${BODY}`), /the body differs from the expected one/],
  'an additional line break': [says({}, `${BODY}\n`), /the body differs from the expected one/],
  'the right bytes in another order': [
    says({}, [...BODY].reverse().join('')),
    /the body differs from the expected one/
  ],
  'another character set': [says({ 'Content-Type': 'application/json; charset=latin1' }), /Content-Type/],
  'plain text declared as gzip': [says({ 'Content-Encoding': 'gzip' }), /Content-Encoding is gzip/],
  'unaccepted compression': [
    says({ 'Content-Encoding': 'deflate' }, deflateSync(BODY)), /the body differs from the expected one/],
  'one wrong body after 39 correct ones': [(requests => handler((_, res) => {
    const body = ++requests === TIMES ? BODY.replace(/[a-z]/, 'Q') : BODY
    res.writeHead(200, { 'Content-Type': TYPE, 'Content-Length': BODY.length }).end(body)
  }))(0), /the body differs from the expected one .* in 1 of 40/],
  'a body without an end': [handler((_, res) => {
    res.writeHead(200, { 'Content-Type': TYPE })
    const more = () => { while (res.writable && res.write(BODY.repeat(64))); }
    res.on('drain', more)
    more()
  }), /more than 4194304 bytes/]
}

/**
 * Starts a server, and returns it as a target.
 * @param {Test} t
 * @param {() => net.Server} make
 * @returns {Promise<any>}
 */
async function listen (t, make) {
  const server = make().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sockets = new Set()
  server.on('connection', socket => sockets.add(socket))
  t.teardown(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { url: `http://127.0.0.1:${/** @type {AddressInfo} */ (server.address()).port}`, socketPath: null }
}

/** @type {any} */
const network = { enter: [] }

/**
 * Returns the reason why the gate rejects a server, or null.
 * @param {Test} t
 * @param {() => net.Server} make
 * @returns {Promise<string | null>}
 */
async function gateOf (t, make) {
  const target = await listen(t, make)
  const load = { engine: 'wrk', connections: 4, path: '/', headers: {} }
  const findings = await fetchResponses({ target, load, network, times: TIMES, keepBody: true, mostBytes: BODY_LIMIT })
  return judgeAnswers(findings, expectation, { cached: false })
}

t.test('accepts a correct server', async t => {
  t.equal(await gateOf(t, says({})), null)
})

for (const [name, [make, why]] of Object.entries(hostile)) {
  t.test(`rejects ${name}`, async t => t.match(await gateOf(t, make), why))
}

t.test('rejects a server whose counters do not count requests or connections', async t => {
  const target = await listen(t, says({}))
  const gateBy = (/** @type {number} */ requests, /** @type {number} */ connections) => {
    const counts = [{ requests: 0, connections: 0 }, { requests, connections }]
    /** @type {any} */
    const staged = {
      arm: armOf('http-json'), dir: t.testdir({}), network, running: { target, origin: async () => counts.shift() }
    }
    return passGate(staged, '/')
  }
  t.match(await gateBy(1000, 2), { passed: { target: Object } })
  t.match(await gateBy(0, 1), { refused: { why: /counted 0 of \d+ requests/ } })
  t.match(await gateBy(1000, 0), { refused: { why: /counted no connection for \d+ requests/ } })
})

t.test('does not decompress a body beyond the limit of the gate', async t => {
  t.ok(BOMB.length < 2 ** 20 && 7 * 64 * 2 ** 20 > MAX_BYTES)
  t.equal(decoded(BOMB, 'gzip'), null)
  t.equal(decoded(MEMBER, 'gzip')?.length, 64 * 2 ** 20)
})

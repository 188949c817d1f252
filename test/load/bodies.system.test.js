import { readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from '../support/tap.js'
import autocannon from '../../bench/engines/autocannon.js'
import { start, waitUntil } from '../../bench/machine/process.js'
import { listening } from '../support/listening.js'
import { tempFolder } from '../support/temp.js'

/** @import { IncomingHttpHeaders } from 'node:http' */
/** @import { Test } from 'tap' */

/** Bytes of every value, more than one read of a socket returns. */
const binary = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7 + (i >> 8)) & 0xff))

/**
 * Returns the report of the engine about a server, after some requests.
 * @param {Test} t
 * @param {Buffer} body that is expected
 * @param {(request: number) => Buffer} answer
 * @param {Record<string, string>} [headers]
 */
async function reported (t, body, answer, headers = {}) {
  const dir = tempFolder(t)
  writeFileSync(join(dir, 'body'), body)
  let requests = 0
  /** @type {IncomingHttpHeaders[]} */
  const seen = []
  const server = http.createServer((request, response) => {
    seen.push(request.headers)
    response.end(answer(requests++))
  })
  const port = await listening(t, server)
  const load = { engine: 'autocannon', connections: 2, path: '/', headers }
  const target = {
    url: `http://127.0.0.1:${port}`,
    socketPath: null,
    expectBody: { file: join(dir, 'body'), sha256: '', bytes: body.length }
  }
  const { processes: [{ argv, env }] } = autocannon.command(load, target, { program: '', dir, maxSeconds: 30 })
  const child = start({ name: 'autocannon', argv, env, log: join(dir, 'log'), stdout: join(dir, 'out') })
  t.teardown(() => child.stop({ signal: 'SIGKILL' }))
  await waitUntil(child, () => requests >= 40)
  await child.stop({ signal: 'SIGINT' })
  return {
    ...autocannon.parse([{ stdout: readFileSync(join(dir, 'out'), 'utf8'), stderr: '', dir, exit: 0 }]),
    headers: seen[0]
  }
}

t.test('compares an image byte for byte under load', async t => {
  const { requests, errors } = await reported(t, binary, () => binary)
  t.ok(requests >= 38, 'all requests except those in flight')
  t.equal(errors.mismatches, 0)
})

t.test('compares a compressed page without decompression, and requests it with the headers of the load', async t => {
  const packed = gzipSync('<p>hello</p>'.repeat(1000))
  const { errors, headers } = await reported(t, packed, () => packed, { 'Accept-Encoding': 'gzip' })
  t.equal(errors.mismatches, 0)
  t.equal(headers['accept-encoding'], 'gzip')
})

t.test('counts responses with a different byte in the middle of an image as mismatches', async t => {
  const other = Buffer.from(binary)
  other[150_000] ^= 1
  const { requests, errors } = await reported(t, binary, request => request % 4 === 0 ? other : binary)
  t.ok(errors.mismatches >= requests / 4 - 2 && errors.mismatches <= requests / 4 + 2,
    `${errors.mismatches} of ${requests}`)
})

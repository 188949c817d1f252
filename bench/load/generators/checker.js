/** Child that requests one target and hashes or compares each response. For the gate, before the load, it sends `times`
 * requests and prints its findings as JSON. As a sampler, beside an engine that does not compare bodies, it sends one
 * request every `everySeconds` and appends mismatches to `errorLog`. HOPBENCH_CHECKER holds the options. */
import { appendFileSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { MAX_BYTES, decoded } from '../../machine/content-encoding.js'
import { groupBy } from '../../shared/group-by.js'
import { sha256 } from '../../shared/sha256.js'
import { once } from 'node:events'
import tls from 'node:tls'
import { toSent } from './mix.js'
import http from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import { toPeer } from './peer.js'

/** @import { Target } from '../../types.js' */
/** @import { CheckedResponse, SlicedErrors } from '../types.js' */
/** @import { Sent } from './mix.js' */
/** @import { Duplex } from 'node:stream' */

const HANDSHAKE_MS = 1000 // On this machine.
const TIMEOUT_MS = 10_000 // Limit for one response, after which the gate names the request that has none.

/** @typedef {Pick<Target, 'url' | 'address' | 'socketPath' | 'caFile' | 'http2'> & {
 * headers: Record<string, string> }} Options headers: of all requests */
/** @typedef {(request: Omit<Sent, 'expectBytes'>) => Promise<{ status: number, headers: http.IncomingHttpHeaders,
 * body: Buffer, wire: number }>} Getter wire: bytes on the connection, headers included */
/** @typedef {{ mostBytes: number, connections: number, seconds?: number }} Limits mostBytes: of a body, because an
 * endless one would fill the memory; seconds: of a whole response */

/**
 * Returns a function that sends a request. It trusts only the certificate that was made for the arm.
 * @param {Options} options
 * @param {Limits} limits
 * @returns {Getter}
 */
const toGetter = (options, limits) => {
  const ca = options.caFile ? { ca: readFileSync(options.caFile) } : {}
  return options.http2 ? overHttp2(options, limits, ca) : overHttp1(options, limits, ca)
}

/**
 * @param {Options} options
 * @param {Limits} limits
 * @param {{ ca?: Buffer }} ca
 * @returns {Getter}
 */
function overHttp1 (options, limits, ca) {
  const url = new URL(options.url)
  const { Agent, request: send } = url.protocol === 'https:' ? https : http
  const agent = new Agent({ keepAlive: true, maxSockets: limits.connections, ...ca })
  /** Bytes that a connection had read when its last response was complete. */
  const readBefore = new WeakMap()
  return ({ path, method, headers: ofRequest, body: sent }) => new Promise((resolve, reject) => {
    /** @type {http.IncomingMessage | undefined} */
    let response
    const expire = (seconds = TIMEOUT_MS / 1000) => {
      reject(tooLate(seconds, response))
      request.destroy()
    }
    const limit = limits.seconds && setTimeout(expire, limits.seconds * 1000, limits.seconds)
    const request = send({
      agent,
      method,
      ...toPeer(url, options.address),
      path,
      socketPath: options.socketPath ?? undefined,
      headers: { Host: url.host, ...sent && { 'Content-Length': sent.length }, ...ofRequest, ...options.headers },
      timeout: TIMEOUT_MS
    }, received => {
      response = received
      const { socket, statusCode: status = 0, headers } = response
      collect(response, limits, reject, body => {
        const wire = socket.bytesRead - (readBefore.get(socket) ?? 0)
        readBefore.set(socket, socket.bytesRead)
        resolve({ status, headers, body, wire })
      })
    })
    request.end(sent)
    request.on('timeout', () => expire())
    request.on('error', reject)
    request.on('close', () => {
      clearTimeout(limit)
      // A change of protocol is neither a response nor an error.
      reject(new Error('the connection ended without a response'))
    })
  })
}

/**
 * Sends one request at a time on each connection, so that the bytes read belong to one response.
 * @param {Options} options
 * @param {Limits} limits
 * @param {{ ca?: Buffer }} ca
 * @returns {Getter}
 */
function overHttp2 (options, limits, ca) {
  /** @type {http2.ClientHttp2Session[]} */
  const free = []
  return ({ path, method, headers, body: sent }) => new Promise((resolve, reject) => {
    const session = free.pop() ?? http2.connect(options.url, ca)
    const before = session.socket?.bytesRead ?? 0
    const fail = (/** @type {Error} */ error) => {
      session.destroy()
      reject(error)
    }
    session.once('error', fail)
    const request = session.request({ ...headers, ...options.headers, ':method': method, ':path': path },
      { endStream: !sent })
    if (sent) request.end(sent)
    request.setTimeout(TIMEOUT_MS, () => request.destroy(tooLate(TIMEOUT_MS / 1000)))
    request.on('response', response => {
      /** @type {http.IncomingHttpHeaders & http2.IncomingHttpStatusHeader} */
      const { ':status': status = 0, ...headers } = response
      collect(request, limits, fail, body => {
        session.off('error', fail)
        const wire = session.socket.bytesRead - before
        free.push(session)
        resolve({ status, headers, body, wire })
      })
    })
    request.on('error', fail)
    request.on('close', () => reject(new Error('the stream ended without a response')))
  })
}

/**
 * @param {number} seconds
 * @param {http.IncomingMessage} [response] whose body is incomplete; left out: none has begun
 */
const tooLate = (seconds, response) => new Error(response
  ? `the body after its status ${response.statusCode} does not end within ${seconds} s`
  : `no response within ${seconds} s`)

/**
 * @param {Duplex | http.IncomingMessage} stream
 * @param {Limits} limits
 * @param {(error: Error) => void} fail
 * @param {(body: Buffer) => void} done
 */
function collect (stream, { mostBytes }, fail, done) {
  /** @type {Buffer[]} */
  const chunks = []
  let left = mostBytes
  stream.on('data', chunk => {
    left -= chunk.length
    if (left < 0) stream.destroy(new Error(`a response of more than ${mostBytes} bytes`))
    else chunks.push(chunk)
  })
  stream.on('error', fail)
  stream.on('end', () => done(Buffer.concat(chunks)))
}

const options = JSON.parse(process.env.HOPBENCH_CHECKER ?? '{}')
/** Requests in flight at a time. */
const IN_FLIGHT = 4
/** In stdin, because bodies and many requests are too long for the environment. @type {Sent[]} */
const requests = JSON.parse(readFileSync(0, 'utf8')).map(toSent)
const ignored = options.ignoreBody ? new RegExp(options.ignoreBody, 'g') : null
const get = toGetter(options, {
  mostBytes: options.mostBytes ?? MAX_BYTES, connections: IN_FLIGHT, seconds: options.firstSeconds
})
/** @type {NonNullable<Target['expectMix']>} */
const expectMix = options.expected?.mixFile ? JSON.parse(readFileSync(options.expected.mixFile, 'utf8')) : []
/** Headers of responses that are reported. @type {string[]} */
const headerNames = options.headerNames ?? []
let checked = 0
/** @type {Buffer} */
let lastBody = Buffer.alloc(0)
/** By request. @type {number[][]} */
const wireBytes = requests.map(() => [])

if (options.everySeconds) {
  process.on('SIGTERM', () => process.stdout.write(String(checked), () => process.exit(0)))
  while (true) {
    const answer = await check().catch(() => null)
    const expected = expectMix[answer?.request ?? 0] ?? options.expected
    const hasStatus = answer?.status === expected.status
    const isSame = !expected.sha256 || [answer?.sha256, answer?.plainSha256].includes(expected.sha256)
    if (answer && hasStatus && !isSame) note({ mismatches: 1 })
    else if (answer && !hasStatus && options.countsErrorResponses) note({ non2xx: 1 })
    await sleep(options.everySeconds * 1000)
  }
} else {
  const answers = []
  const failures = []
  for (let first = 0; first < options.times; first += IN_FLIGHT) {
    const count = Math.min(IN_FLIGHT, options.times - first)
    for (const result of await Promise.allSettled(Array.from({ length: count }, check))) {
      if (result.status === 'fulfilled') answers.push(result.value)
      else failures.push(String(result.reason.message))
    }
    if (failures.length > options.times / 4) break
  }
  process.stdout.write(
    JSON.stringify({
      answers: groupEqual(answers),
      failures,
      isTls: options.firstSeconds && [400, undefined].includes(answers[0]?.status) && await speaksTls(),
      body: options.keepBody ? lastBody.toString('base64') : null,
      bytesByRequest: wireBytes.map(findMedian)
    }),
    () => process.exit(0)
  )
}

/** Returns whether the target of http accepts a TLS handshake. */
async function speaksTls () {
  const { hostname, port } = new URL(options.url)
  const socket = tls.connect({
    ...options.socketPath ? { path: options.socketPath } : { host: hostname, port: Number(port) },
    rejectUnauthorized: false,
    timeout: HANDSHAKE_MS
  })
  socket.on('timeout', () => socket.destroy(tooLate(HANDSHAKE_MS / 1000)))
  return once(socket, 'secureConnect').then(() => true, () => false)
}

/** @param {Partial<SlicedErrors>} errors */
function note (errors) {
  appendFileSync(options.errorLog, JSON.stringify({ mismatches: 0, timeouts: 0, resets: 0, ...errors }) + '\n')
}

/** Sends the next request and describes its response. @returns {Promise<CheckedResponse>} */
async function check () {
  const request = checked++ % requests.length
  const { status, headers, body, wire } = await get(requests[request])
  lastBody = body
  wireBytes[request].push(wire)
  const header = (/** @type {string} */ name) => /** @type {string | undefined} */ (headers[name]) ?? null
  const plain = decoded(body, header('content-encoding'))
  const compared = withoutIgnored(body)
  return {
    request,
    status,
    sha256: sha256(compared),
    bytes: compared.length,
    ...ignored && { wholeBytes: body.length },
    plainSha256: plain && sha256(plain),
    contentType: header('content-type'),
    contentLength: header('content-length'),
    contentEncoding: header('content-encoding'),
    ...status >= 300 && { location: header('location') },
    ...headerNames.length > 0 && { headers: Object.fromEntries(headerNames.map(name => [name, header(name)])) },
    // The first one is nginx's. Apache sends "HIT from localhost".
    cache: header('x-cache-status') ?? header('x-cache')?.split(' ')[0] ?? null
  }
}

/** Removes what the pattern `ignoreBody` matches. Latin-1 keeps every byte of a body that is not text.
 * @param {Buffer} body */
function withoutIgnored (body) {
  return ignored ? Buffer.from(body.toString('latin1').replace(ignored, ''), 'latin1') : body
}

/** Returns the median, because the first responses of a cache may differ from the rest. @param {number[]} sizes */
function findMedian (sizes) {
  return [...sizes].sort((a, b) => a - b)[Math.floor(sizes.length / 2)] ?? null
}

/** Groups equal responses, the most frequent ones first. @param {CheckedResponse[]} answers */
function groupEqual (answers) {
  return [...groupBy(answers, answer => JSON.stringify(answer)).values()]
    .map(group => ({ answer: group[0], times: group.length })).sort((a, b) => b.times - a.times)
}

/** Child of the engine autocannon: loads one target until it gets a signal, then prints autocannon's report as JSON.
 * HOPBENCH_GENERATOR holds the order. */
import autocannon from 'autocannon'
import { appendFileSync, readFileSync } from 'node:fs'
import net from 'node:net'
import { Histogram } from '../histogram.js'
import { comparesBodies, comparesLengths } from './body-check.js'
import { readMix } from './mix.js'
import { isErrorStatus } from '../../shared/trial.js'

/** @import { EventEmitter } from 'node:events' */
/** @import { Mix } from './mix.js' */

const options = JSON.parse(process.env.HOPBENCH_GENERATOR ?? '{}')
const expected = options.expectBodyFile ? readFileSync(options.expectBodyFile) : null
const mix = readMix(options.mixFile)
const comparing = mix ? comparesLengths : comparesBodies(expected)
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2
const NONE = { mismatches: 0, timeouts: 0, resets: 0, ...options.countsErrorResponses && { non2xx: 0 } }
/** In microseconds, because autocannon's own report has whole milliseconds. */
const latency = new Histogram()

const requests = mix ? toRequests(mix) : undefined
let clients = 0

const run = autocannon({
  url: options.url,
  socketPath: options.socketPath ?? undefined,
  servername: options.serverName || undefined,
  connections: options.connections,
  headers: options.headers,
  method: options.method,
  body: options.bodyFile ? readFileSync(options.bodyFile) : undefined,
  requests,
  setupClient (client) {
    comparing(client)
    if (requests) client.setRequests(rotate(requests, clients++))
    // The published types omit this event of each response.
    /** @type {EventEmitter} */
    const events = client
    events.on('response', (status, bytes, milliseconds) => {
      latency.record(Math.max(1, Math.round(milliseconds * 1000)))
      if (options.countsErrorResponses && isErrorStatus(status)) note('non2xx')
    })
  },
  pipelining: 1,
  duration: options.maxSeconds,
  // A generator may be paused for most of its time, so no timeout may expire during a pause.
  timeout: options.timeoutSeconds ?? 2 * options.maxSeconds,
  // Period in ms in which autocannon reads its stop flag.
  sampleInt: 100
}, (error, report) => {
  if (error) {
    console.error(error.message)
    process.exit(1)
  }
  process.stdout.write(JSON.stringify({ ...report, latencyMicros: latency }), () => process.exit(0))
})

// Errors are written as they occur, so that they count in the right slice.
let pending = { ...NONE }
// The published types omit these two events.
/** @type {EventEmitter} */
const events = run
events.on('reqMismatch', () => note('mismatches'))
events.on('reqError', error => note(/timed out/.test(error.message) ? 'timeouts' : 'resets'))

process.on('SIGINT', () => run.stop?.())
process.on('SIGTERM', () => run.stop?.())

// Replies with the responses so far, by the clock of this process.
net.createServer(socket => {
  socket.on('error', () => {})
  socket.on('data', () => {
    const atSeconds = (performance.timeOrigin + performance.now()) / 1000
    socket.write(JSON.stringify({ requests: latency.count, atSeconds }) + '\n')
  })
}).listen(options.controlSocket).unref()

/**
 * Rotates a sequence so that the connections begin at places that are spread over it, neighbouring connections too.
 * Connections that began with the same request would stay in step, because a server responds in the order of arrival:
 * a slice would have other proportions than the sequence. The places follow the golden ratio (Weyl sequence), so that
 * each few consecutive ones are spread evenly.
 * @template T
 * @param {T[]} sequence
 * @param {number} index of the connection
 */
function rotate (sequence, index) {
  const start = Math.floor(index * GOLDEN_RATIO % 1 * sequence.length)
  return [...sequence.slice(start), ...sequence.slice(0, start)]
}

/** @param {keyof typeof pending} kind */
function note (kind) {
  if (Object.values(pending).every(count => count === 0)) setImmediate(flush)
  pending[kind]++
}

function flush () {
  appendFileSync(options.errorLog, JSON.stringify(pending) + '\n')
  pending = { ...NONE }
}

/**
 * Returns the requests of a mix in their sequence, as autocannon takes them.
 * @param {Mix} mix
 * @returns {any[]} the published types omit expectBytes, which comparesLengths reads
 */
function toRequests ({ requests, sequence }) {
  const each = requests.map(({ headers, ...request }) => ({ ...request, headers: { ...headers, ...options.headers } }))
  return sequence.map(index => each[index])
}

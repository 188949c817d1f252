/** Child of the engine paced, an open loop: sends requests on a schedule that does not depend on responses, and
 * measures the latency of each from its scheduled time. HOPBENCH_GENERATOR holds the options. The report is JSON. */
import { readFileSync } from 'node:fs'
import net from 'node:net'
import tls from 'node:tls'
import { setTimeout as sleep } from 'node:timers/promises'
import { arrivalTimes } from './arrivals.js'
import { Histogram } from '../../histogram.js'
import { randomFrom } from '../../../shared/random.js'
import { mergeHeaders } from '../../../shared/http/merge-headers.js'
import { isErrorStatus } from '../../../shared/trial.js'
import { readMix } from '../mix.js'
import { Connections } from './connection-pool.js'
import { startMetronome } from './metronome.js'
import { toPeer } from '../peer.js'

/** @import { Sent } from '../mix.js' */
/** @import { Sending } from './connection-pool.js' */

/**
 * @typedef {object} Options
 * @property {string} url
 * @property {string | null} socketPath
 * @property {string | null} [address] IP address of the URL's host; null: the name is resolved for each connection
 * @property {string | null} caFile
 * @property {Record<string, string>} headers
 * @property {string} [method] by default GET
 * @property {string | null} [bodyFile]
 * @property {string | null} mixFile
 * @property {string | null} expectBodyFile
 * @property {number} connections at most
 * @property {boolean} fresh
 * @property {number} rate of this process, per second
 * @property {'constant' | 'poisson'} arrivals
 * @property {number} seed
 * @property {number} process index of this process, from 0
 * @property {number} seconds of the schedule
 * @property {number} settleSeconds at the beginning, whose latencies are excluded because connections are opened
 * @property {number} patienceSeconds timeout of a response
 * @property {number} [mostRequests] of this process, after which it sends no more
 */

/** @type {Options} */
const options = JSON.parse(process.env.HOPBENCH_GENERATOR ?? '{}')
// Least time between two wake-ups. Requests that are due by then are sent together. With 0.5 ms the send lag was up to
// a third of a p99.
const STEP_MS = 0.1
const LOOK_MS = 5 // Period in which the end is checked.
const mostRequests = options.mostRequests ?? Infinity

const errors = { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 }
const latency = new Histogram()
/** Response times by kind of request, for a mix whose files are known. */
const byKind = { app: new Histogram(), files: new Histogram() }
const lag = new Histogram()
let sent = 0
let answers = 0
let bytes = 0
/** Requests without a response in the middle and at the end of the schedule. A growing queue is an overload. */
const backlog = { middle: 0, end: 0, answered: 0 }
let endMs = options.seconds * 1000

const metronome = await startMetronome(send)
const url = new URL(options.url)
const ca = options.caFile ? readFileSync(options.caFile) : undefined
const mix = readMix(options.mixFile)
const requests = (mix?.requests ?? [toOnlyRequest(options)]).map(createRequest)
const sequence = mix?.sequence ?? [0]
const connections = new Connections({
  connect,
  most: options.connections,
  requests,
  expected: options.expectBodyFile ? readFileSync(options.expectBodyFile) : null,
  fresh: options.fresh,
  answered ({ status, same, bytes: size, bodyBytes }, sending) {
    answers++
    bytes += size
    const expectBytes = mix?.requests[sending.index].expectBytes ?? bodyBytes
    // The latency of a wrong response has no meaning.
    if (isErrorStatus(status)) errors.non2xx++
    else if (!same || bodyBytes !== expectBytes) errors.mismatches++
    else time(sending)
    // Many responses may arrive together, and requests that are due must not wait for all of them.
    send()
  },
  failed () { errors.resets++ }
})
const nextArrival = arrivalTimes({ ...options, random: randomFrom(options.seed, 'arrivals', options.process) })

// The schedule begins after the start of the program.
const startMs = metronome.now()
let due = nextArrival()
setTimeout(() => { backlog.middle = connections.unanswered().length }, options.seconds * 500).unref()
const stop = () => { endMs = Math.min(endMs, metronome.now() - startMs) }
process.on('SIGINT', stop)
process.on('SIGTERM', stop)
send()
await allSent()
Object.assign(backlog, { end: connections.unanswered().length, answered: answers })
await allAnswered()
for (const sending of connections.unanswered()) {
  errors.timeouts++
  // Records a lower bound, because the percentiles would be too low without the slowest requests.
  record(sending, metronome.now() - startMs - sending.due)
}
connections.close()
process.stdout.write(JSON.stringify({
  sent,
  answers,
  bytes,
  seconds: endMs / 1000,
  opened: connections.opened,
  errors,
  latency,
  ...mix?.requests[0].kind && { byKind },
  lag,
  backlog
}), () => process.exit(0))

function connect () {
  if (options.socketPath) return net.connect({ path: options.socketPath })
  const { host, port, servername } = toPeer(url, options.address)
  return url.protocol === 'https:' ? tls.connect({ host, port, servername, ca }) : net.connect({ host, port })
}

/** Sends the requests that are due. */
function send () {
  const now = metronome.now() - startMs
  while (due <= now && due < endMs) {
    if (sent >= mostRequests) {
      endMs = due
      break
    }
    if (isReported(due)) lag.record(Math.round((now - due) * 1000))
    connections.send({ due, index: sequence[sent++ % sequence.length] })
    due = nextArrival()
  }
  if (due < endMs) metronome.wakeAt(startMs + Math.max(due, now + STEP_MS))
}

/** Returns whether a request is sent after the beginning. @param {number} due ms */
function isReported (due) {
  return due >= options.settleSeconds * 1000
}

/** @param {Sending} sending */
function time (sending) {
  const ms = metronome.now() - startMs - sending.due
  if (ms > options.patienceSeconds * 1000) errors.timeouts++
  record(sending, ms)
}

/**
 * @param {Sending} sending
 * @param {number} ms
 */
function record ({ due, index }, ms) {
  if (!isReported(due)) return
  const micros = Math.round(ms * 1000)
  latency.record(micros)
  const kind = mix?.requests[index].kind
  if (kind) byKind[kind].record(micros)
}

async function allSent () {
  const isOver = () => due >= endMs
  while (!isOver()) await sleep(Math.max(LOOK_MS, Math.min(100, endMs - (metronome.now() - startMs))))
}

async function allAnswered () {
  const limit = metronome.now() + options.patienceSeconds * 1000
  while (connections.unanswered().length > 0 && metronome.now() < limit) await sleep(LOOK_MS)
}

/**
 * Returns the request of a load that repeats one.
 * @param {Options} options
 * @returns {Omit<Sent, 'expectBytes'>}
 */
function toOnlyRequest ({ method = 'GET', bodyFile }) {
  const body = bodyFile ? readFileSync(bodyFile) : undefined
  return { path: url.pathname + url.search, method, headers: {}, body }
}

/** Returns head and body. @param {Omit<Sent, 'expectBytes'>} request */
function createRequest ({ path, method, headers, body }) {
  const all = mergeHeaders({ host: url.host }, headers, options.headers, {
    ...options.fresh && { connection: 'close' },
    ...body && { 'content-length': String(body.length) }
  })
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
  return Buffer.concat([Buffer.from(head), body ?? Buffer.alloc(0)])
}

/** Requests, timetable and counts of the clients of scenarios (bench/scenarios/). */
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Histogram } from './histogram.js'

/** @import { IncomingHttpHeaders, IncomingMessage } from 'node:http' @import { Socket } from 'node:net' */
/** @import { PlayAddress, PlayGroup, PlayTarget } from '../types.js' */

/** Time before a moment of the timetable that is spent on immediates, because timers have whole milliseconds. */
const SPIN_MS = 1.5

/** Work of `repeat` at once: far below the shortest accept queue, so that no connection waits for a retransmission. */
const AT_ONCE = 50

/** Outcomes of requests without a response, by the code of Node's error. @type {Record<string, string>} */
const OUTCOMES = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ETIMEDOUT: 'timeout',
  ABORT_ERR: 'aborted'
}

/** Returns the monotonic clock, which all processes of a machine share, in ms. */
export const clock = () => Number(process.hrtime.bigint() / 1000n) / 1000

/**
 * Returns the address of a target.
 * @param {{ url: string, socketPath: string | null }} target
 * @returns {PlayAddress}
 */
export function toAddress ({ url, socketPath }) {
  const { hostname, port } = new URL(url)
  return { url, socketPath, host: hostname, port: port === '' ? null : Number(port) }
}

/**
 * Returns an address as node:http and node:net take it.
 * @param {PlayAddress} address
 * @returns {{ socketPath: string } | { host: string, port: number | undefined }}
 */
export const connectOptions = ({ socketPath, host, port }) =>
  socketPath === null ? { host, port: port ?? undefined } : { socketPath }

/** Returns the outcome of an error, as a key of counts. @param {NodeJS.ErrnoException} error */
export const toOutcome = error => OUTCOMES[error.code ?? ''] ?? `error-${error.code ?? error.name}`

/** An agent that keeps connections although the server announces a short timeout, as proxies do. */
export class KeepingAgent extends http.Agent {
  /** @param {http.AgentOptions} [options] */
  constructor (options) {
    super({ keepAlive: true, ...options })
  }

  /**
   * @override
   * @param {import('node:stream').Duplex} socket
   */
  keepSocketAlive (socket) {
    const tcp = /** @type {Socket} */ (socket)
    tcp.setTimeout(0)
    return true
  }
}

/**
 * Response, or the reason for which there is none.
 * @typedef {object} Result
 * @property {string} outcome `ok` for 2xx, or `status-NNN`, `reset`, `refused`, `timeout`, `truncated`, `too-large`
 * @property {number} ms
 * @property {number | null} status null: there is no response
 * @property {IncomingHttpHeaders | null} headers null: no head of a response has arrived
 * @property {Buffer} body
 * @property {boolean} isKept whether the request was sent on a kept connection
 * @property {boolean} isSilent whether no byte of a response has arrived
 */

/**
 * Sends a request and reads its response.
 * @param {PlayAddress} target
 * @param {object} order
 * @param {string} order.path
 * @param {string} [order.method]
 * @param {Record<string, string>} [order.headers]
 * @param {string | Buffer} [order.body]
 * @param {http.Agent} [order.agent] omitted: a new connection
 * @param {number} [order.timeoutMs] of the whole response
 * @param {AbortSignal} [order.signal]
 * @param {number} [order.maxBytes] of the body of the response
 * @param {boolean} [order.dropsBody] whether the body of the response is read and not kept
 * @returns {Promise<Result>}
 */
export function request (target, { path, method = 'GET', body, timeoutMs = 10_000, maxBytes = Infinity, ...order }) {
  const startedAt = performance.now()
  return new Promise(resolve => {
    /** @type {Buffer[]} */
    const chunks = []
    let bytes = 0
    let bytesBefore = 0
    /** @type {IncomingHttpHeaders | null} */
    let headers = null
    const settle = (/** @type {string} */ outcome, /** @type {number | null} */ status = null) => {
      clearTimeout(timer)
      resolve({
        outcome,
        ms: performance.now() - startedAt,
        status,
        headers,
        body: Buffer.concat(chunks),
        // Not `reusedSocket`, which is false if the request has waited for the connection of another one.
        isKept: bytesBefore > 0,
        isSilent: (sending.socket?.bytesRead ?? 0) === bytesBefore
      })
    }
    const sending = http.request({
      ...connectOptions(target),
      path,
      method,
      agent: order.agent ?? false,
      signal: order.signal,
      headers: { ...order.headers, ...body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) } }
    })
    const giveUp = (/** @type {string} */ outcome) => {
      settle(outcome)
      sending.destroy()
    }
    const timer = setTimeout(() => giveUp('timeout'), timeoutMs)
    sending.on('socket', socket => { bytesBefore = socket.bytesRead })
    sending.on('error', error => settle(toOutcome(error)))
    sending.on('response', (/** @type {IncomingMessage} */ response) => {
      const { statusCode = 0 } = response
      headers = response.headers
      response.on('data', chunk => {
        bytes += chunk.length
        if (!order.dropsBody) chunks.push(chunk)
        if (bytes > maxBytes) giveUp('too-large')
      })
      response.on('error', () => settle('truncated', statusCode))
      const outcome = statusCode >= 200 && statusCode < 300 ? 'ok' : `status-${statusCode}`
      response.on('end', () => settle(outcome, statusCode))
    })
    sending.end(body)
  })
}

/**
 * Returns whether an app blocks its event loop on request. An app of the user's own usually does not.
 * @param {PlayTarget} target
 * @param {number} ms
 */
export async function canBlock ({ origin, headers }, ms) {
  const { outcome, ms: tookMs } = await request(origin, { path: `/block?ms=${ms}`, headers })
  // An app can block by a timer, and timers have whole milliseconds.
  return outcome === 'ok' && tookMs >= ms - 1
}

/**
 * Does the same work a number of times, a few at once.
 * @template T
 * @param {number} times
 * @param {() => Promise<T>} work
 * @param {AbortSignal} signal begins no further work
 * @returns {Promise<T[]>} in the order of their ends
 */
export async function repeat (times, work, signal) {
  /** @type {T[]} */
  const results = []
  let begun = 0
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    while (begun++ < times && !signal.aborted) results.push(await work())
  }))
  return results
}

/** The clock of a play, with the lateness of the client against it. */
export class Timetable {
  /** In microseconds. */
  lag = new Histogram()
  #start = performance.now()

  /** Returns the milliseconds since the start. */
  now () {
    return performance.now() - this.#start
  }

  /**
   * Waits for a moment of the timetable, and records the delay.
   * @param {number} ms since the start
   * @param {AbortSignal} [signal]
   */
  async at (ms, signal) {
    this.record(await this.wait(ms, signal))
  }

  /** @param {number} lateMs delay of a request that counts */
  record (lateMs) {
    this.lag.record(Math.round(lateMs * 1000))
  }

  /**
   * Waits for a moment of the timetable.
   * @param {number} ms since the start
   * @param {AbortSignal} [signal]
   * @returns {Promise<number>} delay in ms
   */
  async wait (ms, signal) {
    const left = ms - this.now() - SPIN_MS
    if (left > 0) await sleep(Math.ceil(left), undefined, { signal })
    while (this.now() < ms) await new Promise(resolve => setImmediate(resolve))
    return this.now() - ms
  }
}

/** Counts of the requests of one kind. */
export class Tally {
  /** @type {Record<string, number>} */
  #counts = {}
  /** @type {Record<string, Histogram>} */
  #delays = {}

  /**
   * @param {string} name
   * @param {number} [at] position on the axis of the scenario
   */
  constructor (name, at) {
    this.name = name
    this.at = at
  }

  /**
   * @param {string} outcome
   * @param {number} [times]
   */
  count (outcome, times = 1) {
    if (times > 0) this.#counts[outcome] = (this.#counts[outcome] ?? 0) + times
  }

  /**
   * @param {string} name of the delay
   * @param {number} ms
   */
  delay (name, ms) {
    this.#delays[name] ??= new Histogram()
    this.#delays[name].record(Math.max(0, Math.round(ms * 1000)))
  }

  /** @returns {PlayGroup<Histogram>} */
  toGroup () {
    const { name, at } = this
    return {
      name,
      ...at !== undefined && { at },
      requests: Object.values(this.#counts).reduce((sum, count) => sum + count, 0),
      counts: this.#counts,
      ...Object.keys(this.#delays).length > 0 && { delays: this.#delays }
    }
  }
}

/** Clients with a connection of their own that read or begin a request slowly. Clients of scenarios. */
import net from 'node:net'
import { connectOptions, toOutcome } from './scenario-client.js'

/** @import { PlayAddress } from '../types.js' */

const HEAD_END = '\r\n\r\n'

/**
 * A request on a connection of its own.
 * @typedef {object} SlowOptions
 * @property {string} path
 * @property {Record<string, string>} headers
 * @property {number} bytesPerSecond that the client reads or writes
 */

/** Moves bytes at a rate: no more of them than the time since the start allows. */
class SlowClient {
  /** Outcome of the request; null: in flight. @type {string | null} */
  outcome = null
  /** Time from the start to the outcome, in ms. */
  ms = NaN
  /** Moment of the outcome on the clock of performance.now(). */
  endedAt = NaN
  /** Bytes of the response. */
  received = 0
  #startedAt = performance.now()
  #moved = 0
  #head = ''
  /** Length of the whole response; null: before its head; Infinity: until its end. @type {number | null} */
  #length = null
  #status = 0

  /**
   * @param {PlayAddress} target
   * @param {SlowOptions} options
   */
  constructor (target, options) {
    this.options = options
    this.socket = net.connect(/** @type {net.NetConnectOpts} */ (connectOptions(target)))
    this.socket.on('error', error => this.settle(toOutcome(error)))
    for (const event of ['end', 'close']) this.socket.on(event, () => this.#end())
  }

  /** Moves the bytes that are due. */
  turn () {
    if (this.outcome !== null) return
    const due = Math.floor((performance.now() - this.#startedAt) / 1000 * this.options.bytesPerSecond) - this.#moved
    if (due > 0) this.#moved += this.move(due)
  }

  /**
   * Ends the request.
   * @param {string} outcome ignored if the request has one
   */
  settle (outcome) {
    if (this.outcome !== null) return
    this.outcome = outcome
    this.endedAt = performance.now()
    this.ms = this.endedAt - this.#startedAt
    this.socket.destroy()
  }

  /**
   * Reads or writes bytes.
   * @param {number} _most
   * @returns {number} of the bytes
   */
  move (_most) {
    return 0
  }

  /**
   * Adds a part of the response, and settles the request at its end.
   * @param {Buffer} chunk
   */
  receive (chunk) {
    this.received += chunk.length
    if (this.#length === null) this.#readHead(chunk)
    if (this.#length !== null && this.received >= this.#length) this.settle(this.#toOutcome())
  }

  /** Settles the request when the server has closed the connection. */
  #end () {
    this.settle(this.#length === Infinity ? this.#toOutcome() : 'truncated')
  }

  #toOutcome () {
    return this.#status >= 200 && this.#status < 300 ? 'ok' : `status-${this.#status}`
  }

  /** @param {Buffer} chunk */
  #readHead (chunk) {
    this.#head += chunk.toString('latin1')
    const end = this.#head.indexOf(HEAD_END)
    if (end < 0) return
    const head = this.#head.slice(0, end)
    this.#head = ''
    this.#status = Number(/^HTTP\/1\.\d (\d{3})/.exec(head)?.[1])
    this.#length = end + HEAD_END.length + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? Infinity)
  }

  /** Returns the head of the request. */
  toHead () {
    const { path, headers } = this.options
    const all = { Host: 'localhost', Connection: 'close', ...headers }
    return [`GET ${path} HTTP/1.1`, ...Object.entries(all).map(entry => entry.join(': '))].join('\r\n')
  }
}

/** Sends a GET at once and reads its response slowly. */
export class SlowReader extends SlowClient {
  /**
   * @param {PlayAddress} target
   * @param {SlowOptions} options
   */
  constructor (target, options) {
    super(target, options)
    this.socket.write(this.toHead() + HEAD_END)
  }

  /**
   * Reads from the socket in paused mode, in which Node stops reading from the kernel when its own buffer is full.
   * @override
   * @param {number} most
   */
  move (most) {
    const chunk = this.socket.read(Math.min(most, this.socket.readableLength))
    if (chunk) this.receive(chunk)
    return chunk?.length ?? 0
  }
}

/**
 * Begins a request whose head never ends: sends its first lines at once, because nginx with few connections left closes
 * those without a first byte, and then the value of a header slowly. The request ends when the server closes the
 * connection.
 */
export class SlowStarter extends SlowClient {
  /**
   * @param {PlayAddress} target
   * @param {SlowOptions} options
   */
  constructor (target, options) {
    super(target, options)
    this.socket.resume()
    this.socket.write(`${this.toHead()}\r\nX-Slow: `)
  }

  /**
   * @override
   * @param {number} most
   */
  move (most) {
    this.socket.write('x'.repeat(most))
    return most
  }

  /**
   * @override
   * @param {string} outcome
   */
  settle (outcome) {
    super.settle(outcome === 'held' ? outcome : 'closed')
  }
}

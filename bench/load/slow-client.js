/** Clients with a connection of their own that read or begin a request slowly. Clients of scenarios. */
import net from 'node:net'
import { connectOptions, toOutcome } from './scenario-client.js'

/** @import { PlayAddress } from '../types.js' */

const HEAD_END = '\r\n\r\n'

/** Holds the bytes of one reading, of all clients in turn: buffers of their own would be collected in long pauses. */
const READING = Buffer.allocUnsafeSlow(2 ** 14)

/**
 * A request on a connection of its own.
 * @typedef {object} SlowOptions
 * @property {string} path
 * @property {Record<string, string>} headers
 * @property {number} bytesPerSecond that the client reads or writes
 */

/** Moves bytes at a rate: no more of them than the time since the start allows, and one reading. */
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
    this.socket = net.connect(/** @type {net.NetConnectOpts} */ ({
      ...connectOptions(target), onread: { buffer: READING, callback: bytes => this.take(READING.subarray(0, bytes)) }
    }))
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
   * Takes what was read from the kernel.
   * @param {Buffer} _chunk valid during the call
   * @returns {boolean} whether more is read at once
   */
  take (_chunk) {
    return true
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
  /** Bytes that may be read before the next turn. */
  #due = 0
  /** Bytes that were read since the last turn. */
  #taken = 0

  /**
   * @param {PlayAddress} target
   * @param {SlowOptions} options
   */
  constructor (target, options) {
    super(target, options)
    this.socket.write(this.toHead() + HEAD_END)
  }

  /**
   * Lets the socket read from the kernel.
   * @override
   * @param {number} most
   * @returns {number} bytes that were read since the last call
   */
  move (most) {
    const taken = this.#taken
    this.#taken = 0
    this.#due = most - taken
    if (this.#due > 0) this.socket.resume()
    return taken
  }

  /**
   * @override
   * @param {Buffer} chunk
   */
  take (chunk) {
    this.#taken += chunk.length
    this.#due -= chunk.length
    this.receive(chunk)
    return this.#due > 0
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

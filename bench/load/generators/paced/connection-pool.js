/** The connections of an open loop. It opens connections as needed, up to a limit. Requests beyond the limit wait here,
 * which counts as their latency. The connection used last is used next, so that a light load uses few connections. */
import { AnswerReader } from './answers.js'

/** @import { Socket } from 'node:net' */
/** @import { PacedResponse } from './answers.js' */

/**
 * @typedef {{ due: number, index: number }} Sending due: time for which a request was scheduled, in ms; index: of
 * `requests`
 */
/**
 * @typedef {object} Connection
 * @property {Socket} socket
 * @property {AnswerReader} reader
 * @property {Sending | null} sending the request in flight
 */

export class Connections {
  #order
  /** @type {Connection[]} */
  #idle = []
  /** @type {Set<Connection>} */
  #open = new Set()
  /** @type {Sending[]} */
  #waiting = []
  #next = 0
  opened = 0

  /**
   * @param {object} order
   * @param {() => Socket} order.connect opens a connection
   * @param {number} order.most connections at a time
   * @param {Buffer[]} order.requests head and body of each
   * @param {Buffer | null} order.expected body
   * @param {boolean} order.fresh each request has a connection of its own
   * @param {(answer: PacedResponse, sending: Sending) => void} order.answered
   * @param {() => void} order.failed the connection broke before a response was complete
   */
  constructor (order) {
    this.#order = order
  }

  /** @param {Sending} sending */
  send (sending) {
    const connection = this.#idle.pop() ?? (this.#open.size < this.#order.most ? this.#connect() : null)
    if (connection) this.#write(connection, sending)
    else this.#waiting.push(sending)
  }

  /** Returns the requests without a response, unsorted. @returns {Sending[]} */
  unanswered () {
    const inFlight = [...this.#open].flatMap(({ sending }) => sending ?? [])
    return [...inFlight, ...this.#waiting.slice(this.#next)]
  }

  /** Closes all connections and sends no waiting request. */
  close () {
    this.#waiting = []
    this.#next = 0
    for (const { socket } of this.#open) socket.destroy()
  }

  /**
   * @param {Connection} connection
   * @param {Sending} sending
   */
  #write (connection, sending) {
    connection.sending = sending
    connection.socket.write(this.#order.requests[sending.index])
  }

  /** @returns {Connection} */
  #connect () {
    const { connect, expected } = this.#order
    const socket = connect()
    socket.setNoDelay(true)
    /** @type {Connection} */
    const connection = { socket, reader: new AnswerReader(expected), sending: null }
    this.#open.add(connection)
    this.opened++
    socket.on('data', chunk => this.#data(connection, chunk))
    // The close event that follows is counted.
    socket.on('error', () => {})
    socket.on('close', () => this.#closed(connection))
    return connection
  }

  /**
   * @param {Connection} connection
   * @param {Buffer} chunk
   */
  #data (connection, chunk) {
    let answer
    try {
      answer = connection.reader.read(chunk)
      if (answer && connection.sending === null) throw new Error('a response without a request')
    } catch {
      connection.socket.destroy()
      return
    }
    if (answer) this.#answered(connection, answer)
  }

  /**
   * @param {Connection} connection
   * @param {PacedResponse} answer
   */
  #answered (connection, answer) {
    const sending = /** @type {Sending} */ (connection.sending)
    connection.sending = null
    this.#order.answered(answer, sending)
    if (answer.last || this.#order.fresh) {
      connection.socket.destroy()
      return
    }
    if (this.#next < this.#waiting.length) this.#write(connection, this.#nextWaiting())
    else this.#idle.push(connection)
  }

  /** @param {Connection} connection */
  #closed (connection) {
    if (!this.#open.delete(connection)) return
    const idle = this.#idle.indexOf(connection)
    if (idle >= 0) this.#idle.splice(idle, 1)
    if (connection.sending !== null) {
      const answer = connection.reader.end()
      if (answer) this.#order.answered(answer, connection.sending)
      else this.#order.failed()
    }
    if (this.#next < this.#waiting.length) this.#write(this.#connect(), this.#nextWaiting())
  }

  #nextWaiting () {
    const sending = this.#waiting[this.#next++]
    // Shifting a long array for each request would cost more than the requests.
    if (this.#next > 4096) {
      this.#waiting.splice(0, this.#next)
      this.#next = 0
    }
    return sending
  }
}

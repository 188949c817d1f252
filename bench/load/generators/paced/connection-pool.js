/** The connections of an open loop. It opens connections as needed, up to a limit. Requests beyond the limit wait here,
 * which counts as their latency. The connection used last is used next, so that a light load uses few connections. */
import { AnswerReader } from './answers.js'

/** @import { Socket } from 'node:net' */
/** @import { PacedResponse } from './answers.js' */

/**
 * @typedef {{ socket: Socket, reader: AnswerReader, due: number | null }} Connection due: of the request in flight
 */

export class Connections {
  #order
  /** @type {Connection[]} */
  #idle = []
  /** @type {Set<Connection>} */
  #open = new Set()
  /** @type {number[]} */
  #waiting = []
  #next = 0
  opened = 0

  /**
   * @param {object} order
   * @param {() => Socket} order.connect opens a connection
   * @param {number} order.most connections at a time
   * @param {Buffer} order.request head and body
   * @param {Buffer | null} order.expected body
   * @param {boolean} order.fresh each request has a connection of its own
   * @param {(answer: PacedResponse, due: number) => void} order.answered
   * @param {(due: number) => void} order.failed the connection broke before a response was complete
   */
  constructor (order) {
    this.#order = order
  }

  /** @param {number} due time for which the request was scheduled, in ms */
  send (due) {
    const connection = this.#idle.pop() ?? (this.#open.size < this.#order.most ? this.#connect() : null)
    if (connection) this.#write(connection, due)
    else this.#waiting.push(due)
  }

  /** Returns the scheduled times of requests without a response, unsorted. @returns {number[]} */
  unanswered () {
    return [...[...this.#open].flatMap(({ due }) => due ?? []), ...this.#waiting.slice(this.#next)]
  }

  close () {
    for (const { socket } of this.#open) socket.destroy()
  }

  /**
   * @param {Connection} connection
   * @param {number} due
   */
  #write (connection, due) {
    connection.due = due
    connection.socket.write(this.#order.request)
  }

  /** @returns {Connection} */
  #connect () {
    const { connect, expected } = this.#order
    const socket = connect()
    socket.setNoDelay(true)
    /** @type {Connection} */
    const connection = { socket, reader: new AnswerReader(expected), due: null }
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
      if (answer && connection.due === null) throw new Error('a response without a request')
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
    const due = /** @type {number} */ (connection.due)
    connection.due = null
    this.#order.answered(answer, due)
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
    if (connection.due !== null) {
      const answer = connection.reader.end()
      if (answer) this.#order.answered(answer, connection.due)
      else this.#order.failed(connection.due)
    }
    if (this.#next < this.#waiting.length) this.#write(this.#connect(), this.#nextWaiting())
  }

  #nextWaiting () {
    const due = this.#waiting[this.#next++]
    // Shifting a long array for each request would cost more than the requests.
    if (this.#next > 4096) {
      this.#waiting.splice(0, this.#next)
      this.#next = 0
    }
    return due
  }
}

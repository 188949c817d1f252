/** The connections of an open loop: as many as are needed at once, up to a limit; requests beyond it wait here, and
 * their time runs. The one used last is used next, so that a light load stays on few. */
import net from 'node:net'
import tls from 'node:tls'
import { AnswerReader } from './answers.js'

/** @import { Answer } from './answers.js' */

/** @typedef {object} Order
 * @property {net.NetConnectOpts | tls.ConnectionOptions} address
 * @property {boolean} secure over TLS
 * @property {number} most connections at once
 * @property {Buffer} request as it is sent
 * @property {Buffer | null} expected body
 * @property {boolean} fresh every request on a connection of its own
 * @property {(answer: Answer, due: number) => void} answered
 * @property {(due: number) => void} failed the connection broke before an answer was complete */

/** @typedef {{ socket: net.Socket, reader: AnswerReader, due: number | null }} Connection due: of the request under way
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

  /** @param {Order} order */
  constructor (order) {
    this.#order = order
  }

  /** @param {number} due when it was scheduled, ms */
  send (due) {
    const connection = this.#idle.pop() ?? (this.#open.size < this.#order.most ? this.#connect() : null)
    if (connection) this.#write(connection, due)
    else this.#waiting.push(due)
  }

  /** When those were scheduled that have no response yet, in no order. @returns {number[]} */
  unanswered () {
    return [...[...this.#open].flatMap(({ due }) => due ?? []), ...this.#waiting.slice(this.#next)]
  }

  close () {
    for (const { socket } of this.#open) socket.destroy()
  }

  /** @param {Connection} connection @param {number} due */
  #write (connection, due) {
    connection.due = due
    connection.socket.write(this.#order.request)
  }

  /** @returns {Connection} */
  #connect () {
    const { address, secure, expected } = this.#order
    const socket = secure
      ? tls.connect(/** @type {tls.ConnectionOptions} */ (address))
      : net.connect(/** @type {net.NetConnectOpts} */ (address))
    socket.setNoDelay(true)
    /** @type {Connection} */
    const connection = { socket, reader: new AnswerReader(expected), due: null }
    this.#open.add(connection)
    this.opened++
    socket.on('data', chunk => this.#data(connection, chunk))
    // Its reason is not known: the end that follows counts.
    socket.on('error', () => {})
    socket.on('close', () => this.#closed(connection))
    return connection
  }

  /** @param {Connection} connection @param {Buffer} chunk */
  #data (connection, chunk) {
    let answer
    try {
      answer = connection.reader.read(chunk)
      if (answer && connection.due === null) throw new Error('an answer that nobody asked for')
    } catch {
      connection.socket.destroy()
      return
    }
    if (answer) this.#answered(connection, answer)
  }

  /** @param {Connection} connection @param {Answer} answer */
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

/** The connections of an open loop. It opens connections as needed, up to a limit. Requests beyond the limit wait here,
 * which counts as their latency. The connection used last is used next, so that a light load uses few connections. */
/** @import { Socket } from 'node:net' */

/** Reads the responses of one connection, one at a time, and compares their bodies with the expected one, byte for
 * byte. A general HTTP parser is too slow for an open loop on one core (docs/dependencies.md), so this one reads only
 * what servers send of RFC 9112, sections 4 to 6. */

const MAX_HEAD = 65_536 // Bytes after which a head without an end is an error.
const NOTHING = Buffer.alloc(0)

/**
 * @typedef {object} PacedResponse
 * @property {number} status
 * @property {boolean} same the body is the expected one; true without an expected body
 * @property {number} bytes of head and body on the wire
 * @property {number} bodyBytes without the framing of chunks
 * @property {boolean} last the connection ends after this response
 */

export class AnswerReader {
  #expected
  /** Received part of a head, or of a line between chunks. @type {Buffer} */
  #kept = NOTHING
  /** @type {'head' | 'length' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailers' | 'to-the-end'} */
  #reading = 'head'
  #left = 0
  #status = 0
  #last = false
  #position = 0
  #same = true
  #bytes = 0

  /** @param {Buffer | null} expected body; null: bodies are not compared */
  constructor (expected) {
    this.#expected = expected
  }

  /**
   * Reads received bytes.
   * @param {Buffer} chunk
   * @returns {PacedResponse | null} null: the response is not complete
   * @throws {Error} not a response, or more than one
   */
  read (chunk) {
    this.#bytes += chunk.length
    let rest = this.#kept.length > 0 ? Buffer.concat([this.#kept, chunk]) : chunk
    this.#kept = NOTHING
    while (true) {
      if (this.#reading === 'to-the-end') {
        this.#compare(rest)
        return null
      }
      if (this.#reading === 'length' || this.#reading === 'chunk') {
        const part = rest.length > this.#left ? rest.subarray(0, this.#left) : rest
        this.#compare(part)
        this.#left -= part.length
        rest = rest.subarray(part.length)
        if (this.#left > 0) return null
        if (this.#reading === 'length') return this.#complete(rest)
        this.#reading = 'chunk-end'
      }
      const mark = this.#reading === 'head' ? '\r\n\r\n' : '\r\n'
      const end = rest.indexOf(mark)
      if (end < 0) {
        if (rest.length > MAX_HEAD) throw new Error('a head without an end')
        this.#kept = rest
        return null
      }
      const line = rest.toString('latin1', 0, end)
      rest = rest.subarray(end + mark.length)
      if (this.#reading === 'head') this.#head(line)
      else if (this.#reading === 'chunk-size') this.#chunk(line)
      else if (this.#reading === 'chunk-end') this.#reading = 'chunk-size'
      else if (line === '') return this.#complete(rest)
    }
  }

  /**
   * Ends the connection.
   * @returns {PacedResponse | null} null: the connection ended within a response, or before one
   */
  end () {
    return this.#reading === 'to-the-end' ? this.#complete(NOTHING) : null
  }

  /** @param {string} head */
  #head (head) {
    const status = /^HTTP\/1\.([01]) (\d{3})/.exec(head)
    if (!status) throw new Error(`not a response: ${head.slice(0, 40)}`)
    this.#status = Number(status[2])
    if (this.#status < 200) return
    this.#position = 0
    this.#same = true
    this.#last = /\r\nconnection: *close/i.test(head) ||
      (status[1] === '0' && !/\r\nconnection: *keep-alive/i.test(head))
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)
    if (this.#status === 204 || this.#status === 304) [this.#reading, this.#left] = ['length', 0]
    else if (/\r\ntransfer-encoding:[^\r]*chunked/i.test(head)) this.#reading = 'chunk-size'
    else if (length) [this.#reading, this.#left] = ['length', Number(length[1])]
    else [this.#reading, this.#last] = ['to-the-end', true]
  }

  /** @param {string} line */
  #chunk (line) {
    const size = /^([0-9a-f]+)[\t ]*(;|$)/i.exec(line)
    if (!size) throw new Error(`not the size of a chunk: ${line.slice(0, 40)}`)
    this.#left = parseInt(size[1], 16)
    this.#reading = this.#left === 0 ? 'trailers' : 'chunk'
  }

  /** @param {Buffer} part of the body */
  #compare (part) {
    const expected = this.#expected
    const end = this.#position + part.length
    if (expected) this.#same &&= end <= expected.length && part.compare(expected, this.#position, end) === 0
    this.#position = end
  }

  /**
   * @param {Buffer} rest
   * @returns {PacedResponse}
   */
  #complete (rest) {
    if (rest.length > 0) throw new Error('more than one response to one request')
    const answer = {
      status: this.#status,
      same: this.#same && (this.#expected === null || this.#position === this.#expected.length),
      bytes: this.#bytes,
      bodyBytes: this.#position,
      last: this.#last
    }
    this.#reading = 'head'
    this.#bytes = 0
    return answer
  }
}

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
  #options
  /** @type {Connection[]} */
  #idle = []
  /** @type {Set<Connection>} */
  #open = new Set()
  /** @type {Sending[]} */
  #waiting = []
  #next = 0
  opened = 0

  /**
   * @param {object} options
   * @param {() => Socket} options.connect opens a connection
   * @param {number} options.most connections at a time
   * @param {Buffer[]} options.requests head and body of each
   * @param {Buffer | null} options.expected body
   * @param {boolean} options.fresh each request has a connection of its own
   * @param {(answer: PacedResponse, sending: Sending) => void} options.answered
   * @param {() => void} options.failed the connection broke before a response was complete
   */
  constructor (options) {
    this.#options = options
  }

  /** @param {Sending} sending */
  send (sending) {
    const connection = this.#idle.pop() ?? (this.#open.size < this.#options.most ? this.#connect() : null)
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
    connection.socket.write(this.#options.requests[sending.index])
  }

  /** @returns {Connection} */
  #connect () {
    const { connect, expected } = this.#options
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
    this.#options.answered(answer, sending)
    if (answer.last || this.#options.fresh) {
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
      if (answer) this.#options.answered(answer, connection.sending)
      else this.#options.failed()
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

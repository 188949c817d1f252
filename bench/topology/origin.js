/**
 * A proxy program behind another proxy, in the server's place: it serves the files. Its counts come
 * from its own counters, in the shape of those of a Node server.
 */

/** @typedef {import('./control.js').ServerCounts} ServerCounts */

export class Origin {
  #errors = 0

  /**
   * @param {object} parts
   * @param {import('./status.js').Status} parts.status its counters
   * @param {{ lines: () => string[], close: () => void }} parts.log its answers that were not plainly right
   * @param {import('../types.d.ts').ProxyPlugin['counters']['parseLogLine']} parts.parseLogLine
   * @param {'tcp' | 'unix'} parts.listening
   * @param {() => number[]} parts.pids
   */
  constructor ({ status, log, parseLogLine, listening, pids }) {
    this.status = status
    this.log = log
    this.parseLogLine = parseLogLine
    this.listening = listening
    this.pids = pids
  }

  /**
   * @returns {Promise<ServerCounts>} `workers` is empty: it counts for all of its workers together;
   *   `lost` is 0: its master starts another one for a worker that dies, and says so in its log
   * @throws {Error} when its counters do not answer
   */
  async counts () {
    const { atSeconds, connections, requests } = await this.status.counts()
    const noted = this.log.lines().flatMap(line => this.parseLogLine(line) ?? [])
    this.#errors += noted.filter(({ status }) => (status < 200 || status > 299) && status !== 304).length
    return { atSeconds, connections: connections ?? 0, requests, non2xx: this.#errors, listening: this.listening, lost: 0, pids: this.pids(), workers: [] }
  }

  close () {
    this.status.close()
    this.log.close()
  }
}

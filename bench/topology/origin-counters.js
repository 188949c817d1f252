/** Counts of a proxy program behind another one, in the server's place, in the shape of a Node server's. */
import { isErrorStatus } from '../shared/trial.js'

/** @import { ProxyPlugin, ServerCounts } from '../types.js' @import { Status } from './status.js' */

export class Origin {
  #errors = 0

  /** @param {{ status: Status, log: { lines: () => string[], close: () => void }, parseLogLine:
   * ProxyPlugin['counters']['parseLogLine'], listening: 'tcp' | 'unix', pids: () => number[] }} parts */
  constructor ({ status, log, parseLogLine, listening, pids }) {
    this.status = status
    this.log = log
    this.parseLogLine = parseLogLine
    this.listening = listening
    this.pids = pids
  }

  /** @returns {Promise<ServerCounts>} @throws {Error} when its counters do not answer */
  async counts () {
    const { atSeconds, connections, requests, non2xx = 0 } = await this.status.counts()
    const noted = this.log.lines().flatMap(line => this.parseLogLine(line) ?? [])
    this.#errors += noted.filter(({ status }) => isErrorStatus(status)).length
    return {
      atSeconds,
      connections: connections ?? 0,
      requests,
      non2xx: non2xx + this.#errors,
      listening: this.listening,
      pids: this.pids(),
      // It counts for all its workers together, and starts another one for each that dies.
      lost: 0,
      workers: []
    }
  }

  close () {
    this.status.close()
    this.log.close()
  }
}

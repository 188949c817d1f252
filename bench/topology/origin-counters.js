/** Counts of a proxy program in the server's place, in the shape of a Node server's counts. */
import { isErrorStatus } from '../shared/trial.js'

/** @import { ProxyPlugin, ServerCounts } from '../types.js' @import { Status } from './status.js' */

export class Origin {
  #errors = 0

  /**
   * @param {object} parts
   * @param {Status} parts.status
   * @param {{ lines: () => string[], close: () => void }} parts.log
   * @param {ProxyPlugin['counters']['parseLogLine']} parts.parseLogLine
   * @param {'tcp' | 'unix'} parts.listening
   * @param {() => number[]} parts.pids
   */
  constructor (parts) {
    this.parts = parts
  }

  /**
   * @returns {Promise<ServerCounts>}
   * @throws {Error} if its counters do not respond
   */
  async counts () {
    const { status, log, parseLogLine, listening, pids } = this.parts
    const { atSeconds, connections, requests, non2xx = 0 } = await status.counts()
    this.#errors += log.lines().filter(line => isErrorStatus(parseLogLine(line)?.status ?? 200)).length
    return {
      atSeconds,
      connections: connections ?? 0,
      requests,
      non2xx: non2xx + this.#errors,
      listening,
      pids: pids(),
      // The program counts for all its workers together and replaces workers that died.
      lost: 0,
      workers: []
    }
  }

  close () {
    this.parts.status.close()
    this.parts.log.close()
  }
}

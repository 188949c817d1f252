/**
 * Counts of a command's server, which has no counters, in the shape of a Node server's counts. The counts come from the
 * kernel, the proxy or the generator, so they cost the server nothing.
 *
 * Requests: those of the proxy in front without its cache hits. If the proxy serves the files of the command, the share
 * of the load that it passes on. Without a proxy, those of the generator (EngineAbout.counted).
 * TCP connections: those accepted in the topology's own network without those of the proxy's clients.
 * Unix socket connections: the kernel does not count them, so a relay counts them during the gate and is removed before
 * the measurement.
 */
import { acceptedInNetwork } from '../machine/kernel-counts.js'

/** @import { FrontCounts, ServerCounts } from '../types.js' @import { GateRelay } from './gate-relay.js' */

/** Statuses of responses that came from the cache and not from the server. */
const FROM_CACHE = ['HIT', 'STALE', 'UPDATING']

export class CommandCounters {
  /** @type {(() => Promise<{ requests: number, atSeconds: number }>) | null} */
  #countLoad = null
  #missed = 0
  /** Connections for each request over a Unix socket, as counted during the gate. @type {number | null} */
  #perRequest = null

  /**
   * @param {object} parts
   * @param {'tcp' | 'unix'} parts.listening
   * @param {() => number[]} parts.pids of the server
   * @param {boolean} parts.alone whether the topology has a network of its own
   * @param {(() => Promise<FrontCounts>) | null} parts.front counters of the proxy; null: there is no proxy
   * @param {(() => string[]) | null} parts.cacheStatuses of logged responses since the last call; null: no cache
   * @param {GateRelay[]} parts.relays of Unix sockets
   * @param {number} parts.share of the load that the proxy passes on; 1: it serves no files itself
   */
  constructor (parts) {
    this.parts = parts
  }

  /** @param {() => Promise<{ requests: number, atSeconds: number }>} countLoad reads the generator's requests */
  setLoadCounter (countLoad) {
    this.#countLoad = countLoad
  }

  /** Reads and removes the relays between proxy and server, because they must not be measured. */
  async endGateCounting () {
    const { relays } = this.parts
    if (relays.length === 0) return
    const sum = (/** @type {'connections' | 'requests'} */ key) => relays.reduce((all, relay) => all + relay[key], 0)
    this.#perRequest = sum('requests') > 0 ? sum('connections') / sum('requests') : null
    await Promise.all(relays.map(relay => relay.close()))
  }

  /**
   * @returns {Promise<ServerCounts>}
   * @throws {Error} if there are no counts
   */
  async counts () {
    const { listening, pids, front } = this.parts
    const inFront = front && await front()
    const { atSeconds, requests } = inFront
      ? { atSeconds: inFront.atSeconds, requests: this.#countBehind(inFront.requests) }
      : await this.#readLoad()
    return {
      atSeconds,
      requests,
      connections: this.#countConnections(inFront, requests),
      // Errors are counted from the proxy's log or by the client.
      non2xx: 0,
      listening,
      pids: pids(),
      lost: 0,
      workers: []
    }
  }

  close () {
    for (const relay of this.parts.relays) relay.close().catch(() => {})
  }

  async #readLoad () {
    if (!this.#countLoad) throw new Error('no load generator runs whose requests could be counted')
    return this.#countLoad()
  }

  /** @param {number} requests as counted by the proxy */
  #countBehind (requests) {
    const { cacheStatuses, share } = this.parts
    if (!cacheStatuses) return Math.round(requests * share)
    this.#missed += cacheStatuses().filter(status => !FROM_CACHE.includes(status)).length
    return this.#missed
  }

  /**
   * @param {FrontCounts | null} front
   * @param {number} requests
   * @returns {number} NaN: unknown
   */
  #countConnections (front, requests) {
    const { listening, alone, pids } = this.parts
    if (listening === 'unix') return front ? (this.#perRequest ?? NaN) * requests : NaN
    const accepted = alone ? acceptedInNetwork(pids()) : null
    // A proxy that does not count its clients' connections keeps them open.
    return accepted === null ? NaN : accepted - (front?.connections ?? 0)
  }
}

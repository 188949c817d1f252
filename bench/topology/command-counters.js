/** Counts of a server that counts nothing for us, in the shape of one that does: all of them are the kernel's or the
 * proxy's, and cost the server nothing.
 *
 * Requests: those of the proxy in front, less what its cache answered. Without a proxy they are those of the generator
 * (EngineAbout.counted).
 * Connections over TCP: those accepted in the topology's own network, less the proxy's. The kernel does not count those
 * over a Unix socket; there the gate's go through a relay that counts, and is gone before anything is measured. */
import { acceptedInNetwork } from '../machine/kernel-counts.js'

/** @import { FrontCounts, ServerCounts } from '../types.js' @import { GateRelay } from './gate-relay.js' */

/** Answers of a cache's own; the others came from the server. */
const FROM_CACHE = ['HIT', 'STALE', 'UPDATING']

/** @typedef {object} Parts
 * @property {'tcp' | 'unix'} listening
 * @property {() => number[]} pids of the server
 * @property {boolean} alone its network is nobody else's
 * @property {(() => Promise<FrontCounts>) | null} front the proxy's counters; null: there is no proxy
 * @property {(() => string[]) | null} cacheStatuses of the answers that the proxy's cache did not simply give, since
 * the last call; null: it has none
 * @property {GateRelay[]} relays of Unix sockets */

export class CommandCounters {
  /** @type {(() => Promise<{ requests: number, atSeconds: number }>) | null} */
  #countLoad = null
  #missed = 0
  /** Connections for each request over a Unix socket, as the gate has found. @type {number | null} */
  #perRequest = null

  /** @param {Parts} parts */
  constructor (parts) {
    this.parts = parts
  }

  /** @param {() => Promise<{ requests: number, atSeconds: number }>} countLoad reads the generator's requests */
  loadedBy (countLoad) {
    this.#countLoad = countLoad
  }

  /** Nothing may stand between a server and its proxy any more. */
  async gatePassed () {
    const { relays, front } = this.parts
    if (relays.length === 0 || !front) return
    const { requests } = await front()
    const connections = relays.reduce((sum, relay) => sum + relay.connections, 0)
    this.#perRequest = requests > 0 ? connections / requests : null
    await Promise.all(relays.map(relay => relay.leave()))
  }

  /** @returns {Promise<ServerCounts>} @throws {Error} where there are no counts */
  async counts () {
    const { listening, pids, front } = this.parts
    const inFront = front && await front()
    const load = inFront ? null : await this.#readLoad()
    const requests = inFront ? this.#behind(inFront.requests) : load?.requests ?? NaN
    const connections = this.#connections(inFront, requests)
    return {
      atSeconds: (inFront ?? load)?.atSeconds ?? NaN,
      requests,
      connections,
      // Errors are in the proxy's log, or by the client.
      non2xx: 0,
      listening,
      pids: pids(),
      lost: 0,
      workers: []
    }
  }

  close () {
    for (const relay of this.parts.relays) relay.leave().catch(() => {})
  }

  async #readLoad () {
    if (!this.#countLoad) throw new Error('no load generator runs whose requests could be counted')
    return this.#countLoad()
  }

  /** @param {number} requests that the proxy has counted */
  #behind (requests) {
    const { cacheStatuses } = this.parts
    if (!cacheStatuses) return requests
    this.#missed += cacheStatuses().filter(status => !FROM_CACHE.includes(status)).length
    return this.#missed
  }

  /** @param {FrontCounts | null} front @param {number} requests @returns {number} NaN: not known */
  #connections (front, requests) {
    const { listening, alone, pids } = this.parts
    if (listening === 'unix') return front ? (this.#perRequest ?? NaN) * requests : NaN
    const accepted = alone ? acceptedInNetwork(pids()) : null
    // A proxy that does not count its clients keeps their connections.
    return accepted === null ? NaN : accepted - (front?.connections ?? 0)
  }
}

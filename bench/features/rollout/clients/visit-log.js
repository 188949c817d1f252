/** Counts what the clients of a rollout see. */
import { clock } from '../../../load/scenario-client.js'
import { REQUESTING, isRight } from './outcomes.js'

/** @import { ClientCounts, ClientType, Loss } from '../types.js' */

/** Limit of the losses that are listed, of each client and outcome. */
const MAX_LOSSES = 20

export class VisitLog {
  /** @type {Loss[]} */
  losses = []
  longestPauseMs = 0
  /** @type {Map<ClientType, ClientCounts>} */
  #clients = new Map()
  #lastRightMs = clock()

  /** @param {Pick<Loss, 'client' | 'path' | 'outcome' | 'atMs'> & Partial<Loss>} request also with a right response */
  add (request) {
    const { client, outcome, atMs } = request
    const loss = { build: null, ms: clock() - atMs, isKept: false, ...request }
    /** @type {ClientCounts} */
    const found = this.#clients.get(client) ?? { client, requests: 0, counts: {} }
    this.#clients.set(client, found)
    found.requests++
    found.counts[outcome] = (found.counts[outcome] ?? 0) + 1
    if (isRight(outcome)) {
      // The other clients do not show whether the service is there.
      if (REQUESTING.includes(client)) this.notePause(atMs + loss.ms)
    } else if (found.counts[outcome] <= MAX_LOSSES) {
      this.losses.push(loss)
    }
  }

  /** Records the time since the last right response. @param {number} nowMs */
  notePause (nowMs) {
    this.longestPauseMs = Math.max(this.longestPauseMs, nowMs - this.#lastRightMs)
    this.#lastRightMs = Math.max(this.#lastRightMs, nowMs)
  }

  /** @returns {ClientCounts[]} */
  listCounts () {
    return [...this.#clients.values()]
  }
}

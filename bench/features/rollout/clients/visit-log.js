/** Counts what the clients of a rollout see. */
import { clock, Tally } from '../../../load/scenario-client.js'
import { isRight } from './outcomes.js'

/** @import { ClientCounts, ClientType, Loss } from '../types.js' */

/** Limit of the losses that are listed, of each client and outcome. */
const MAX_LOSSES = 20
/** Clients whose responses show that the service is there. */
const STEADY = ['page', 'file', 'late-file', 'api']

export class VisitLog {
  /** @type {Loss[]} */
  losses = []
  longestPauseMs = 0
  /** @type {Map<ClientType, Tally>} */
  #tallies = new Map()
  #lastRightMs = clock()

  /** @param {Pick<Loss, 'client' | 'path' | 'outcome' | 'atMs'> & Partial<Loss>} request also with a right response */
  add (request) {
    const { client, outcome, atMs } = request
    const loss = { build: null, ms: clock() - atMs, isKept: false, ...request }
    const tally = this.#tallies.get(client) ?? new Tally(client)
    this.#tallies.set(client, tally)
    tally.count(outcome)
    if (isRight(outcome)) {
      if (STEADY.includes(client)) this.notePause(atMs + loss.ms)
    } else if (tally.toGroup().counts[outcome] <= MAX_LOSSES) {
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
    return [...this.#tallies].map(([client, tally]) => {
      const { requests, counts } = tally.toGroup()
      return { client, requests, counts }
    })
  }
}

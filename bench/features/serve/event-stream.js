/** Sends the events of the current run as server-sent events, to several pages, each at its own speed. */

/** @import { RunJobs } from './job.js' */
/** @import { JobEvent } from './types.js' */
/** @import { Request, Response } from 'express' */

const MOST_CLIENTS = 20 // Enough for three browsers, which open at most six connections each.
const MOST_WAITING = 20_000 // A client with more events in its queue is disconnected. Browsers reconnect.
const STALL_SECONDS = 60 // A page that reads nothing for this long is disconnected.

/**
 * @param {Pick<RunJobs, 'events' | 'follow'>} jobs
 * @param {{ stallSeconds?: number }} [options]
 */
export function eventStream (jobs, { stallSeconds = STALL_SECONDS } = {}) {
  let clients = 0
  /**
   * @param {Request} _request
   * @param {Response} response
   */
  return (_request, response) => {
    if (clients >= MOST_CLIENTS) {
      response.status(503).json({ error: `${MOST_CLIENTS} pages follow the run already. Close one of them.` })
      return
    }
    clients++
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    response.flushHeaders()
    const queue = new EventQueue(response, stallSeconds)
    const unfollow = jobs.follow(event => queue.send(event))
    for (const event of [...jobs.events()]) queue.send(event)
    response.on('close', () => {
      clients--
      unfollow()
      queue.close()
    })
  }
}

/** Writes events only as fast as the client reads. Keeps the others here, where they are counted, not in the socket. */
class EventQueue {
  #response
  #stallSeconds
  /** @type {JobEvent[]} */
  #waiting = []
  /** @type {ReturnType<typeof setTimeout> | null} */
  #stallTimer = null

  /**
   * @param {Response} response
   * @param {number} stallSeconds a client that reads nothing for so long is disconnected
   */
  constructor (response, stallSeconds) {
    this.#response = response
    this.#stallSeconds = stallSeconds
  }

  /** @param {JobEvent} event */
  send (event) {
    this.#waiting.push(event)
    if (!this.#stallTimer) this.#flush()
    else if (this.#waiting.length > MOST_WAITING) this.#response.destroy()
  }

  close () {
    if (this.#stallTimer) clearTimeout(this.#stallTimer)
  }

  #flush () {
    this.close()
    this.#stallTimer = null
    const events = this.#waiting
    this.#waiting = []
    for (const [i, event] of events.entries()) {
      if (this.#response.write(`data: ${JSON.stringify(event)}\n\n`)) continue
      this.#waiting = events.slice(i + 1)
      this.#stallTimer = setTimeout(() => this.#response.destroy(), this.#stallSeconds * 1000)
      this.#response.once('drain', () => this.#flush())
      return
    }
  }
}

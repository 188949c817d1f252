/** The run under way as server-sent events, to some pages at a time, each as fast as it reads. */

/** @import { JobEvent, Jobs } from './types.js' */
/** @import { Request, Response } from 'express' */

const MOST_CLIENTS = 20 // Browsers open six connections to a server at most: these are three browsers.
const MOST_WAITING = 20_000 // A client that far behind begins anew: a browser does so by itself.
const STALL_SECONDS = 60

/**
 * @param {Jobs} jobs
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
    const { send, close } = paced(response, stallSeconds)
    const leave = jobs.follow(send)
    for (const event of [...jobs.events()]) send(event)
    response.on('close', () => {
      clients--
      leave()
      close()
    })
  }
}

/**
 * Writes no more than is read: what waits is counted here, and not collected in the socket.
 *
 * @param {Response} response
 * @param {number} stallSeconds one that reads nothing for so long is closed
 */
function paced (response, stallSeconds) {
  /** @type {JobEvent[]} */
  let waiting = []
  /** @type {ReturnType<typeof setTimeout> | null} */
  let stalled = null
  const flush = () => {
    const [events, resumed] = [waiting, stalled]
    if (resumed) clearTimeout(resumed)
    stalled = null
    waiting = []
    for (const [i, event] of events.entries()) {
      if (response.write(`data: ${JSON.stringify(event)}\n\n`)) continue
      waiting = events.slice(i + 1)
      stalled = setTimeout(() => response.destroy(), stallSeconds * 1000)
      response.once('drain', flush)
      return
    }
  }
  return {
    /** @param {JobEvent} event */
    send (event) {
      waiting.push(event)
      if (!stalled) flush()
      else if (waiting.length > MOST_WAITING) response.destroy()
    },
    close () {
      if (stalled) clearTimeout(stalled)
    }
  }
}

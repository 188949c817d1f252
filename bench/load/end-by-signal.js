/** Ends an app by SIGTERM while a connection is held, as platforms do before they replace an instance. */
import { setTimeout as sleep } from 'node:timers/promises'
import { endPrograms, signalAll } from '../machine/end-programs.js'
import { holdConnection } from './held-connection.js'

/** @import { HeldOrder, HeldResponse, HeldType } from './held-connection.js' */

/** Time after the signal in which an app that drops requests has ended, in milliseconds. */
const DROPPED_MS = 500
/** Time after a response in which an app has closed its connection, unless the connection is kept. */
const CLOSED_MS = 1000

/**
 * Outcome of each connection. drains: whether a request without its last line got a response after that line; null:
 * none was held. arrived: whether a request that had arrived before the signal got a response; null: none was sent.
 * endSeconds: null: still running at the limit. accepts: whether a new connection got a response after the signal.
 * closes: whether the response after the signal ended its connection; null: no response. keepAlive: header of one
 * before the signal.
 * @typedef {{ isHeld: boolean, drains: boolean | null, arrived: boolean | null, endSeconds: number | null,
 *   accepts: boolean, reply: HeldResponse | null, closes: boolean | null, keepAlive?: string | null }} EndBySignal
 */

/**
 * Returns whether the app finishes requests. One that has arrived decides, because packages that end a server close a
 * connection whose request is incomplete like an idle one.
 * @param {Pick<EndBySignal, 'drains' | 'arrived'>} end
 * @returns {boolean | null} null: no request was held
 */
export const finishesRequests = ({ drains, arrived }) => drains === null ? null : arrived ?? drains

/**
 * @param {number[]} pids of the app's programs
 * @param {HeldOrder} order
 * @param {object} [options]
 * @param {HeldType} [options.type]
 * @param {number[]} [options.members] all processes of the app, which are paused while a request arrives; left out: no
 *   such request is sent
 * @param {number} [options.limitSeconds] of the end
 * @returns {Promise<EndBySignal>}
 */
export async function endBySignal (pids, order, { type = 'request', members, limitSeconds } = {}) {
  const held = await holdConnection(type, order)
  const holdsRequest = held.isOpen && type === 'request'
  const kept = holdsRequest && members ? await holdConnection('idle', order) : null
  try {
    if (kept?.isOpen) {
      signalAll(members ?? [], 'SIGSTOP')
      await kept.send()
    }
    const ended = endPrograms(pids, limitSeconds)
    if (kept?.isOpen) signalAll(members ?? [], 'SIGCONT')
    await sleep(DROPPED_MS)
    const accepts = holdsRequest && await acceptsAnother(order)
    const reply = holdsRequest ? await held.complete() : null
    const closes = reply && (reply.isLast || await held.waitForClose(CLOSED_MS) !== null)
    return {
      isHeld: held.isOpen,
      drains: holdsRequest ? reply !== null : null,
      arrived: kept?.isOpen ? await kept.readReply() !== null : null,
      endSeconds: await ended,
      accepts,
      reply,
      closes,
      keepAlive: kept?.first?.keepAlive
    }
  } finally {
    await Promise.all([held.close(), kept?.close()])
  }
}

/** @param {HeldOrder} order */
async function acceptsAnother (order) {
  const another = await holdConnection('idle', order)
  await another.close()
  return another.first !== null
}

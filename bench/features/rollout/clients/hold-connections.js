/** Holds connections that are open for long: idle ones, streams and WebSockets. */
import { setTimeout as sleep } from 'node:timers/promises'
import { clock, KeepingAgent, request } from '../../../load/scenario-client.js'
import { openWebSocket } from '../../../load/web-sockets.js'
import { nameOutcome } from './outcomes.js'
import { sendAsBrowser } from './send.js'

/** @import { ClientType } from '../types.js' */
/** @import { ClientOrder } from './play-visits.js' */
/** @import { VisitLog } from './visit-log.js' */
/** @import { PlayAddress } from '../../../types.js' */

/** Streams and WebSockets at a time. */
const COUNT = 4
/** Time until a client opens an interrupted stream again, and limit of the times. */
const REOPEN_MS = 1000
const MAX_OPENED = 100
/** Longest time for which a stream is held, that of a rollout with all of its waits. */
export const MAX_MS = 600_000
/** Close code of a WebSocket whose connection ended without one (RFC 6455, section 7.1.5). */
const NO_CODE = 1006

/**
 * Opens connections, and opens interrupted streams and WebSockets again.
 * @param {Pick<ClientOrder, 'address' | 'sites' | 'idle' | 'stream' | 'websocket'>} order
 * @param {{ log: VisitLog, signal: AbortSignal }} options
 * @returns {{ end: () => Promise<void> }} end: after the signal; sends a request on each idle connection
 */
export function holdConnections ({ address, sites, idle, stream, websocket }, { log, signal }) {
  const { page } = sites.old
  const idles = Array.from({ length: idle }, () => openIdle(address, page, log))
  const opened = Array.from({ length: COUNT }, () => [
    ...stream === null ? [] : [keepOpen('stream', stream, () => readStream(address, stream, signal), { log, signal })],
    ...websocket === null
      ? []
      : [keepOpen('websocket', websocket, () => waitForClose(address, websocket, signal), { log, signal })]
  ]).flat()
  return {
    async end () {
      await Promise.all(opened)
      await Promise.all(idles.map(async idle => (await idle).end()))
    }
  }
}

/**
 * Opens a connection by a request that is not counted.
 * @param {PlayAddress} address
 * @param {string} path
 * @param {VisitLog} log
 * @returns {Promise<{ end: () => Promise<void> }>} end: counts whether the connection is closed, or else how a request
 *   on it ends
 */
async function openIdle (address, path, log) {
  const agent = new KeepingAgent({ maxSockets: 1 })
  await sendAsBrowser(address, { client: 'idle', path, agent })
  return {
    async end () {
      const atMs = clock()
      const isOpen = Object.keys(agent.freeSockets).length > 0
      const { outcome, isRepeated } = isOpen
        ? await sendAsBrowser(address, { client: 'idle', path, agent })
        : { outcome: 'closed', isRepeated: false }
      agent.destroy()
      log.add({ client: 'idle', path, outcome: nameOutcome(outcome, isRepeated), atMs, isKept: true })
    }
  }
}

/**
 * @param {ClientType} client
 * @param {string} path
 * @param {() => Promise<string | null>} open returns the outcome; null: the end came before a response
 * @param {{ log: VisitLog, signal: AbortSignal }} options
 */
async function keepOpen (client, path, open, { log, signal }) {
  for (let i = 0; i < MAX_OPENED && !signal.aborted; i++) {
    const atMs = clock()
    const outcome = await open()
    if (outcome !== null) log.add({ client, path, outcome, atMs })
    await sleep(REOPEN_MS, undefined, { signal }).catch(() => {})
  }
}

/**
 * Reads a stream until it ends or the signal.
 * @param {PlayAddress} address
 * @param {string} path
 * @param {AbortSignal} signal
 * @returns {Promise<string | null>} `ok`: open at the signal; `ended`: the app ended it
 */
async function readStream (address, path, signal) {
  const headers = { Accept: 'text/event-stream,*/*', 'Accept-Encoding': 'identity' }
  const { outcome, headers: received } = await request(address, {
    path, headers, signal, timeoutMs: MAX_MS, dropsBody: true
  })
  if (signal.aborted) return received === null ? null : 'ok'
  return outcome === 'ok' ? 'ended' : outcome
}

/**
 * Opens a WebSocket and waits until it is closed or the signal.
 * @param {PlayAddress} address
 * @param {string} path
 * @param {AbortSignal} signal
 * @returns {Promise<string>} `ok`: open at the signal; `closed-CODE`; `cut`: closed without a code
 */
async function waitForClose (address, path, signal) {
  const { outcome, socket } = await openWebSocket(address, { path })
  if (!socket) return outcome
  return new Promise(resolve => {
    socket.on('close', (/** @type {number} */ code) => resolve(code === NO_CODE ? 'cut' : `closed-${code}`))
    const end = () => {
      resolve('ok')
      socket.terminate()
    }
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}

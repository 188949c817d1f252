/** WebSockets of the clients of scenarios (bench/scenarios/), with the package `ws`. */
import net from 'node:net'
// @ts-expect-error the package has no types
import WebSocket from 'ws'
import { connectOptions, toOutcome } from './scenario-client.js'

/** @import { PlayAddress } from '../types.js' */

/**
 * Opens a WebSocket.
 * @param {PlayAddress} target
 * @param {{ path: string, headers?: Record<string, string>, timeoutMs?: number }} order timeoutMs: until it is open
 * @returns {Promise<{ outcome: string, ms: number, socket: any }>} outcome: `ok`, or as that of `request`, such as
 *   `status-426`; socket: of ws; null: it is not open
 */
export function openWebSocket (target, { path, headers, timeoutMs = 10_000 }) {
  const startedAt = performance.now()
  const socket = new WebSocket(`${target.url.replace(/^http/, 'ws')}${path}`, {
    headers,
    perMessageDeflate: false,
    createConnection: () => net.connect(/** @type {net.NetConnectOpts} */ (connectOptions(target)))
  })
  return new Promise(resolve => {
    const settle = (/** @type {string} */ outcome) => {
      clearTimeout(timer)
      if (outcome !== 'ok') socket.terminate()
      resolve({ outcome, ms: performance.now() - startedAt, socket: outcome === 'ok' ? socket : null })
    }
    const timer = setTimeout(() => settle('timeout'), timeoutMs)
    socket.on('open', () => settle('ok'))
    socket.on('error', (/** @type {NodeJS.ErrnoException} */ error) => settle(toOutcome(error)))
    socket.on('unexpected-response', (/** @type {unknown} */ _, /** @type {{ statusCode: number }} */ response) =>
      settle(`status-${response.statusCode}`))
  })
}

/** Measures the network round trip to a host. A TCP handshake is one round trip, and the server's program takes no part
 * in it. */
import { connect } from 'node:net'
import { median } from '../../../judge/stats/quantile.js'
import { getErrorMessage, HopbenchError } from '../../../errors.js'

/** Handshakes one after the other: few enough for any host, enough for a median that varies by 5 % (0.38 to 0.40 ms on
 * the loopback in repeated measurements). */
const HANDSHAKES = 21
/** Limit of a handshake. The kernel repeats a lost packet after one and after three seconds. */
const PATIENCE_MS = 5000

/**
 * @param {{ host: string, port: number }} peer host: IP address, because a look-up is not a part of the round trip
 * @param {string} url for messages
 * @returns {Promise<{ p50Ms: number, maxMs: number }>}
 * @throws {HopbenchError} url-unreachable
 */
export async function measureRoundTrip (peer, url) {
  const times = []
  try {
    for (let i = 0; i < HANDSHAKES; i++) times.push(await timeHandshake(peer))
  } catch (error) {
    throw new HopbenchError('url-unreachable', { url, why: getErrorMessage(error) }, { cause: error })
  }
  return { p50Ms: median(times), maxMs: Math.max(...times) }
}

/**
 * @param {{ host: string, port: number }} peer
 * @returns {Promise<number>} ms
 */
const timeHandshake = peer => new Promise((resolve, reject) => {
  const startedAt = performance.now()
  const socket = connect({ ...peer, timeout: PATIENCE_MS }, () => {
    resolve(performance.now() - startedAt)
    socket.destroy()
  })
  socket.on('timeout', () => socket.destroy(new Error(`no connection within ${PATIENCE_MS / 1000} s`)))
  socket.on('error', reject)
})

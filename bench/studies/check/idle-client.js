/** Times how long a server keeps an idle connection. */
import net from 'node:net'
import { NoResponse } from './client.js'
import { readMessage } from './message.js'

/** @import { Context, IdleTime } from './types.js' */

const RESPONSE_MS = 1500 // Limit of a response.

/**
 * Sends a request, and waits until the server closes the connection. Does not wait where the response announces the
 * timeout.
 *
 * @param {Context['address']} address
 * @param {string} path
 * @param {number} longestMs limit of the wait
 * @returns {Promise<IdleTime>}
 * @throws {NoResponse}
 */
export function timeIdle (address, path, longestMs) {
  return new Promise((resolve, reject) => {
    /** @type {Buffer[]} */
    const chunks = []
    let answeredAt = NaN
    let failure = ''
    const socket = net.connect(address, () => socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`))
    let limit = setTimeout(() => end(() => reject(new NoResponse(`no response within ${RESPONSE_MS / 1000} s`))),
      RESPONSE_MS)
    const end = (/** @type {() => void} */ settle) => {
      clearTimeout(limit)
      socket.removeAllListeners('close').destroy()
      settle()
    }
    socket.on('data', chunk => {
      chunks.push(chunk)
      const message = readMessage(Buffer.concat(chunks), { method: 'GET', closed: false })
      if (!message?.complete || !Number.isNaN(answeredAt)) return
      answeredAt = performance.now()
      const announced = /\btimeout=(\d+)/.exec(message.headers['keep-alive'] ?? '')?.[1]
      if (announced !== undefined) {
        return end(() => resolve({ announcedSeconds: Number(announced), closedAfterMs: null }))
      }
      clearTimeout(limit)
      limit = setTimeout(() => end(() => resolve({ announcedSeconds: null, closedAfterMs: null })), longestMs)
    })
    socket.on('error', error => { failure = ` (${error.message})` })
    socket.on('close', () => end(() => Number.isNaN(answeredAt)
      ? reject(new NoResponse(`the connection ended without a response${failure}`))
      : resolve({ announcedSeconds: null, closedAfterMs: performance.now() - answeredAt })))
  })
}

/** Creates the context of a probe: a client, the served folder, and readings of the server's processes. */
import { readFileSync, readdirSync } from 'node:fs'
import net from 'node:net'
import { attempt } from '../../shared/attempt.js'
import { NoResponse, onNoResponse, send } from './client.js'
import { readMessage } from './message.js'

/** @import { Context, IdleTime } from './types.js' */

const RESPONSE_MS = 1500 // Limit of a response.
const PROXY_STATUSES = [502, 504] // Sent by a proxy if the server behind it did not respond.

/**
 * @param {Pick<Context, 'address' | 'site' | 'proxied'> & { pids: () => number[] }} parts
 * @returns {Context}
 */
export const createContext = ({ address, site, proxied, pids }) => ({
  address,
  site,
  proxied,
  async request (path, headers = {}, more = {}) {
    const shortPath = path.length > 60 ? `${path.slice(0, 20)}… (${path.length} characters)` : path
    const fail = (/** @type {string} */ why) => {
      throw new NoResponse(`${more.method ?? 'GET'} ${shortPath}: ${why}`)
    }
    const [response] = await send(address, [{ path, headers, ...more }])
      .catch(onNoResponse(({ message }) => fail(message)))
    const { status, body, surplus, complete, headers: { 'content-length': length } } = response
    if (proxied && PROXY_STATUSES.includes(status)) fail(`the proxy got no response (${status})`)
    if (!complete) fail(`the response broke off after ${body.length} of ${length ?? 'unknown'} bytes`)
    const hasNoBody = more.method === 'HEAD' || [204, 304].includes(status)
    if (surplus.length > 0 && !hasNoBody) {
      fail(`the body is ${surplus.length} bytes longer than the Content-Length of ${length}`)
    }
    return response
  },
  timeIdle: (path, longestMs) => timeIdle(address, path, longestMs),
  openFiles: () => total(pids(), pid => readdirSync(`/proc/${pid}/fd`).length),
  memoryMiB: () =>
    total(pids(), pid => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)
})

/**
 * @param {number[]} pids
 * @param {(pid: number) => number} read fails without /proc, or if the process is gone
 */
const total = (pids, read) =>
  attempt(() => pids.length === 0 ? null : pids.reduce((sum, pid) => sum + read(pid), 0), () => null)

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
function timeIdle (address, path, longestMs) {
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

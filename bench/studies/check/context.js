/** Creates the context of a probe: a client, the served folder, and readings of the server's processes. */
import { readFileSync, readdirSync } from 'node:fs'
import { attempt } from '../../shared/attempt.js'
import { NoResponse, onNoResponse, send } from './client.js'
import { timeIdle } from './idle-client.js'

/** @import { Context } from './types.js' */

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

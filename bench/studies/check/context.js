/** What a probe is given: a client, the folder that is served, and a look at the server's process. */
import { readFileSync, readdirSync } from 'node:fs'
import { NoAnswer, send } from './client.js'

/** @import { Context, Place, Site } from './types.js' */

const PROXY_STATUSES = [502, 504] // What a proxy answers when the server behind it did not.

/**
 * @param {{ place: Place, site: Site, proxied: boolean, pids: () => number[] }} parts
 * @returns {Context}
 */
export const contextOf = ({ place, site, proxied, pids }) => ({
  place,
  site,
  proxied,
  async ask (path, headers = {}, more = {}) {
    const what =
      `${more.method ?? 'GET'} ${path.length > 60 ? `${path.slice(0, 20)}… (${path.length} characters)` : path}`
    const answer = await send(place, { path, headers, ...more }).catch(error => {
      throw error instanceof NoAnswer ? new NoAnswer(`${what}: ${error.message}`) : error
    })
    if (proxied && PROXY_STATUSES.includes(answer.status)) {
      throw new NoAnswer(`${what}: the proxy got no answer (${answer.status})`)
    }
    if (!answer.complete) {
      throw new NoAnswer(
        `${what}: the answer broke off after ${answer.body.length} of ` +
        `${answer.headers['content-length'] ?? 'unknown'} bytes`
      )
    }
    const bodiless = more.method === 'HEAD' || [204, 304].includes(answer.status)
    if (answer.surplus.length > 0 && !bodiless) {
      throw new NoAnswer(
        `${what}: ${answer.surplus.length} bytes more came than the Content-Length of ` +
        `${answer.headers['content-length']} says`
      )
    }
    return answer
  },
  openFiles: () => total(pids(), pid => readdirSync(`/proc/${pid}/fd`).length),
  memoryMiB: () =>
    total(pids(), pid => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)
})

/**
 * @param {number[]} pids
 * @param {(pid: number) => number} read
 */
function total (pids, read) {
  try {
    return pids.length === 0 ? null : pids.reduce((sum, pid) => sum + read(pid), 0)
  } catch {
    return null // no /proc, or the process is gone
  }
}

/** Reads a proxy's own counters, over its Unix socket or wherever they lie, less what the readings themselves add. */
import http from 'node:http'
import { join } from 'node:path'

/** @import { CountersByHttp, ProxyCounters, ProxyPlugin } from '../types.js' */

const ANSWER_MS = 5000

/** @param {ProxyPlugin['counters']} counters @param {{ dir: string, memory?: string }} where its folders
 * @returns {Status} */
export const statusOf = (counters, { dir, memory = dir }) => 'read' in counters
  ? readingStatus(() => counters.read(dir, memory))
  : new HttpStatus(counters, dir)

/** @typedef {object} Status
 * @property {() => Promise<boolean>} isUp does it answer, and is all of it up?
 * @property {() => Promise<ProxyCounters>} counts
 * @property {() => void} close */

/** @param {() => ProxyCounters} read @returns {Status} */
const readingStatus = read => ({
  async isUp () {
    try {
      read()
      return true
    } catch {
      return false
    }
  },
  counts: async () => read(),
  close () {}
})

/** @implements {Status} */
class HttpStatus {
  #agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  #readings = 0

  /** @param {CountersByHttp} plugin @param {string} dir where the proxy's socket lies */
  constructor (plugin, dir) {
    this.plugin = plugin
    this.socketPath = join(dir, plugin.socket)
  }

  async isUp () {
    try {
      const { body, headers } = await this.#ask()
      this.plugin.parse(body, headers)
      return this.plugin.isReady?.(body) ?? true
    } catch {
      return false
    }
  }

  /** @returns {Promise<ProxyCounters>} */
  async counts () {
    const { body, headers } = await this.#ask()
    const counts = this.plugin.parse(body, headers)
    return { ...counts, requests: counts.requests - this.#readings * this.plugin.cost.requests }
  }

  close () {
    this.#agent.destroy()
  }

  async #ask () {
    const answer = await this.#get().catch(error => {
      // Apache closes waiting connections when all its threads are busy, at times just when it is queried.
      if (!error.reused) throw error
      return this.#get()
    })
    this.#readings++
    return answer
  }

  /** @returns {Promise<{ body: string, headers: http.IncomingHttpHeaders }>} */
  #get () {
    return new Promise((resolve, reject) => {
      const request = http.get({
        socketPath: this.socketPath,
        path: this.plugin.path,
        agent: this.#agent
      }, response => {
        let body = ''
        response.setEncoding('utf8')
        response.on('data', chunk => { body += chunk })
        response.on('end', () => resolve({ body, headers: response.headers }))
        response.on('error', reject)
      })
      // Of the whole answer: one that comes byte by byte is never idle.
      const timer = setTimeout(() =>
        request.destroy(new Error(`the proxy's counters did not answer within ${ANSWER_MS / 1000} s`)), ANSWER_MS)
      request.on('close', () => clearTimeout(timer))
      request.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
        reject(Object.assign(error, { reused: request.reusedSocket && error.code === 'ECONNRESET' }))
      })
    })
  }
}

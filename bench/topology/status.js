/** Reads the counters of a proxy over its Unix socket or from its files, without the requests of the readings. */
import { once } from 'node:events'
import http from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { getErrorCode } from '../errors.js'

/** @import { CountersByHttp, FrontCounts, ProxyPlugin } from '../types.js' */

const RESPONSE_MS = 5000 // Counters are read in a millisecond; a saturated proxy may queue the request.
/** Errors of a request on a kept connection that the proxy closed meanwhile: before, or while it was sent. */
const CLOSED = ['ECONNRESET', 'EPIPE']

/** @typedef {HttpStatus | FileStatus} Status */

/**
 * @param {ProxyPlugin['counters']} counters
 * @param {string} dir of the proxy
 * @param {string} [memory] folder on tmpfs
 * @returns {Status}
 */
export const getStatus = (counters, dir, memory = dir) => 'read' in counters
  ? new FileStatus(counters, dir, memory)
  : new HttpStatus(counters, dir)

class FileStatus {
  /**
   * @param {{ read: (dir: string, memory: string) => FrontCounts }} plugin
   * @param {string} dir
   * @param {string} memory
   */
  constructor (plugin, dir, memory) {
    this.read = () => plugin.read(dir, memory)
  }

  async isUp () {
    try {
      this.read()
      return true
    } catch {
      return false
    }
  }

  async counts () {
    return this.read()
  }

  close () {}
}

class HttpStatus {
  #agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  #readings = 0

  /**
   * @param {CountersByHttp} plugin
   * @param {string} dir folder of the proxy's socket
   */
  constructor (plugin, dir) {
    this.plugin = plugin
    this.socketPath = join(dir, plugin.socket)
  }

  async isUp () {
    try {
      const { body, headers } = await this.#read()
      this.plugin.parse(body, headers)
      return this.plugin.isReady?.(body) ?? true
    } catch {
      return false
    }
  }

  /** @returns {Promise<FrontCounts>} */
  async counts () {
    const { body, headers, atSeconds } = await this.#read()
    const counts = this.plugin.parse(body, headers)
    return { atSeconds, ...counts, requests: counts.requests - this.#readings * this.plugin.cost.requests }
  }

  close () {
    this.#agent.destroy()
  }

  async #read () {
    const response = await this.#get()
    this.#readings++
    return response
  }

  /**
   * Reads the counters. Returns the middle between the request and the head of the response as their time, for programs
   * that state none.
   * @returns {Promise<{ body: string, headers: http.IncomingHttpHeaders, atSeconds: number }>}
   */
  async #get () {
    // Limits the whole response, because one that arrives byte by byte is never idle.
    const signal = AbortSignal.timeout(RESPONSE_MS)
    const { socketPath, plugin } = this
    const sentMs = performance.now()
    const request = http.get({ socketPath, path: plugin.path, agent: this.#agent, signal }).on('error', () => {})
    try {
      const [response] = await once(request, 'response')
      const atSeconds = (performance.timeOrigin + (sentMs + performance.now()) / 2) / 1000
      return { body: await text(response), headers: response.headers, atSeconds }
    } catch (error) {
      if (signal.aborted) throw new Error(`the proxy's counters did not respond within ${RESPONSE_MS / 1000} s`)
      // Apache closes idle connections while all its threads are busy, and a process that a reload replaces closes its
      // own.
      if (request.reusedSocket && CLOSED.includes(String(getErrorCode(error)))) return this.#get()
      throw error
    }
  }
}

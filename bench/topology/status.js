/** Reads a proxy's own counters over its Unix socket, less what the readings themselves add. */
import http from 'node:http'
import { join } from 'node:path'

export class Status {
  #agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  #readings = 0

  /**
   * @param {import('../types.d.ts').ProxyPlugin['counters']} plugin
   * @param {string} dir where the proxy's socket lies
   */
  constructor (plugin, dir) {
    this.plugin = plugin
    this.socketPath = join(dir, plugin.socket)
  }

  async isUp () {
    try {
      await this.counts()
      return true
    } catch {
      return false
    }
  }

  /** @returns {Promise<import('../types.d.ts').ProxyCounters>} */
  async counts () {
    const { body, headers } = await this.#get()
    this.#readings++
    const counts = this.plugin.parse(body, headers)
    return { ...counts, requests: counts.requests - this.#readings * this.plugin.cost.requests }
  }

  close () {
    this.#agent.destroy()
  }

  /** @returns {Promise<{ body: string, headers: http.IncomingHttpHeaders }>} */
  #get () {
    return new Promise((resolve, reject) => {
      const request = http.get({ socketPath: this.socketPath, path: this.plugin.path, agent: this.#agent, timeout: 5000 }, response => {
        let body = ''
        response.setEncoding('utf8')
        response.on('data', chunk => { body += chunk })
        response.on('end', () => resolve({ body, headers: response.headers }))
        response.on('error', reject)
      })
      request.on('timeout', () => request.destroy(new Error('the proxy\'s counters did not answer within 5 s')))
      request.on('error', reject)
    })
  }
}

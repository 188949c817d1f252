/** Stands between a proxy and a server's Unix socket while the gate asks, and counts the connections. It takes the
 * place of the socket's name, and gives it back: what is measured goes straight to the server. */
import { once } from 'node:events'
import { renameSync, rmSync } from 'node:fs'
import net from 'node:net'

export class GateRelay {
  connections = 0
  /** @type {Set<net.Socket>} */
  #open = new Set()
  #left = false

  /** @param {string} path of the server's socket */
  constructor (path) {
    this.path = path
    this.behind = `${path}.own`
    this.server = net.createServer(proxy => this.#join(proxy))
  }

  async open () {
    renameSync(this.path, this.behind)
    await once(this.server.listen({ path: this.path, readableAll: true, writableAll: true }), 'listening')
    this.server.unref()
    return this
  }

  async leave () {
    if (this.#left) return
    this.#left = true
    const closed = once(this.server, 'close')
    this.server.close()
    for (const socket of this.#open) socket.destroy()
    await closed
    rmSync(this.path, { force: true })
    renameSync(this.behind, this.path)
  }

  /** @param {net.Socket} proxy */
  #join (proxy) {
    this.connections++
    const server = net.connect(this.behind)
    proxy.pipe(server).pipe(proxy)
    for (const [one, other] of [[proxy, server], [server, proxy]]) {
      this.#open.add(one)
      one.on('error', () => {}).on('close', () => {
        this.#open.delete(one)
        other.destroy()
      })
    }
  }
}

/**
 * Counts the connections and requests of a proxy to a Unix socket of a server during the gate. The relay takes over the
 * path of the socket, and gives it back after the gate, so that measured requests go straight to the server.
 */
import { once } from 'node:events'
import { renameSync, rmSync } from 'node:fs'
import net from 'node:net'

/** End of a request's first line. The bodies of requests at the gate do not contain it. */
const REQUEST_LINE = / HTTP\/1\.[01]\r\n/g

export class GateRelay {
  connections = 0
  requests = 0
  /** @type {Set<net.Socket>} */
  #sockets = new Set()
  #isClosed = false

  /** @param {string} path of the server's socket */
  constructor (path) {
    this.path = path
    /** Path of the server's socket while the relay has its path. */
    this.serverPath = `${path}.own`
    this.listener = net.createServer(socket => this.#join(socket))
  }

  async open () {
    renameSync(this.path, this.serverPath)
    await once(this.listener.listen({ path: this.path, readableAll: true, writableAll: true }), 'listening')
    this.listener.unref()
    return this
  }

  async close () {
    if (this.#isClosed) return
    this.#isClosed = true
    const closed = once(this.listener, 'close')
    this.listener.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
    rmSync(this.path, { force: true })
    renameSync(this.serverPath, this.path)
  }

  /** @param {net.Socket} proxy */
  #join (proxy) {
    this.connections++
    const server = net.connect(this.serverPath)
    proxy.on('data', chunk => { this.requests += chunk.toString('latin1').match(REQUEST_LINE)?.length ?? 0 })
    proxy.pipe(server).pipe(proxy)
    this.#destroyTogether(proxy, server)
    this.#destroyTogether(server, proxy)
  }

  /**
   * @param {net.Socket} socket
   * @param {net.Socket} peer
   */
  #destroyTogether (socket, peer) {
    this.#sockets.add(socket)
    socket.on('error', () => {}).on('close', () => {
      this.#sockets.delete(socket)
      peer.destroy()
    })
  }
}

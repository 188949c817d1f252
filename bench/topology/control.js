/** Asks a server's workers for their counts. What one had counted stays in the sum after its death: see `lost`. */
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import { exchangeLine } from '../machine/line-socket.js'

/** @import { ServerCounts, WorkerCounts } from '../types.js' */

/** @typedef {{ socket: net.Socket, last: WorkerCounts | null }} Worker */

export class Control {
  /** @type {Map<string, Worker>} by socket name */
  #workers = new Map()
  /** @type {WorkerCounts[]} the last counts of the dead */
  #dead = []
  /** The reading under way: two at once would find both answers in one piece. */
  #last = Promise.resolve()

  /** @param {string} dir folder with a socket for each worker */
  constructor (dir) {
    this.dir = dir
  }

  /** Do so many answer? @param {number} workers */
  async isUp (workers) {
    try {
      return (await this.counts()).pids.length >= workers
    } catch {
      return false
    }
  }

  /** @returns {Promise<ServerCounts>} @throws {Error} when no worker is alive, or one does not answer */
  counts () {
    const reading = this.#last.then(() => this.#read())
    this.#last = reading.then(() => {}, () => {})
    return reading
  }

  /** @returns {Promise<ServerCounts>} */
  async #read () {
    const names = readdirSync(this.dir).filter(name => name.endsWith('.sock'))
    const alive = (await Promise.all(names.map(name => this.#ask(name)))).filter(counts => counts !== null)
    if (alive.length === 0) throw new Error('no process of the server answers on its control socket')
    const all = [...alive, ...this.#dead]
    const sum = (/** @type {'connections' | 'requests' | 'non2xx'} */ key) =>
      all.reduce((total, worker) => total + worker[key], 0)
    return {
      pids: alive.map(worker => worker.pid),
      workers: alive,
      lost: this.#dead.length,
      atSeconds: Math.max(...alive.map(worker => worker.atSeconds)),
      listening: alive[0].listening,
      connections: sum('connections'),
      requests: sum('requests'),
      non2xx: sum('non2xx')
    }
  }

  close () {
    for (const { socket } of this.#workers.values()) socket.destroy()
    this.#workers.clear()
  }

  /** @param {string} name @returns {Promise<WorkerCounts | null>} null: it has died */
  async #ask (name) {
    const known = this.#workers.get(name)
    const worker = known ?? await this.#connect(name)
    if (!worker) return null
    const line = await exchangeLine(worker.socket, 'counts', 'a process of the server')
    // Another process may have got its id, and so the name of its socket.
    if (line === null) return known ? this.#ask(name) : null
    worker.last = /** @type {WorkerCounts} */ (JSON.parse(line))
    return worker.last
  }

  /** @param {string} name @returns {Promise<Worker | null>} null: nobody listens there any more */
  async #connect (name) {
    const socket = net.connect(join(this.dir, name))
    try {
      await once(socket, 'connect')
    } catch {
      // Killed, or about to listen: between bind and listen the file is there already. It must not be removed for that.
      return null
    }
    const worker = /** @type {Worker} */ ({ socket, last: null })
    socket.on('error', () => {})
    socket.on('close', () => {
      if (this.#workers.get(name) !== worker) return
      this.#workers.delete(name)
      if (worker.last) this.#dead.push(worker.last)
    })
    socket.unref()
    this.#workers.set(name, worker)
    return worker
  }
}

/** Starts the Node server of a topology and waits until all its workers respond. */
import { HopbenchError } from '../../errors.js'
import { waitUntilListening } from './wait-until-listening.js'
import { makeFolder } from '../../machine/files/make-folder.js'
import { once } from 'node:events'
import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readdirSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import { exchangeLine } from '../../machine/network/line-socket.js'

/** @import { Child } from '../../machine/types.js' */
/** @import { ServerCounts, ServerDescription, WorkerCounts } from '../../types.js' */

/** For a busy machine, on which a core loads one worker in 0.5 s and PM2 tries a failing worker four times. */
const START_SECONDS = 30
const START_SECONDS_PER_WORKER = 1

/**
 * @param {ServerDescription} server
 * @param {(process: ServerDescription['processes'][number], i: number) => Child} launch
 * @throws {HopbenchError} process-died, not-ready, gate-refused, port-in-use
 */
export async function startServer ({ processes, workers, controlDir }, launch) {
  makeFolder(controlDir)
  const children = processes.map(launch)
  const control = new Control(controlDir)
  const timeoutSeconds = START_SECONDS + workers * START_SECONDS_PER_WORKER
  try {
    await Promise.all(children.map((child, i) => {
      const { listen, gaveUp } = processes[i]
      return waitUntilListening(child, listen, () => isUp(child, gaveUp), timeoutSeconds)
    }))
    const { listening } = await control.counts()
    const { kind } = processes[0].listen
    if (listening === kind) return control
    const why = `it listens on ${listening}, not on ${kind}`
    throw new HopbenchError('gate-refused', { name: children[0].name, why })
  } catch (error) {
    control.close()
    throw error
  }

  /**
   * @param {Child} child
   * @param {string} [gaveUp]
   */
  async function isUp (child, gaveUp) {
    const failure = findGivenUp(child, gaveUp)
    if (failure) throw failure
    return control.isUp(workers)
  }
}

/**
 * Returns an error if a manager gave up its workers, because such a manager (PM2) keeps running.
 * @param {Child} child
 * @param {string} [message] in the log of a manager that gave up
 */
export function findGivenUp (child, message) {
  if (message === undefined) return null
  const output = child.tail()
  if (!output.includes(message)) return null
  return new HopbenchError('process-died', { name: child.name, how: 'stopped restarting its workers', output })
}

/** @typedef {{ socket: net.Socket, last: WorkerCounts | null }} Worker last: its latest counts */

/** Name of a worker's control socket: the index of its process, and its PID. */
const SOCKET_NAME = /^\d+-\d+\.sock$/
/** Flag of open(2) for a descriptor that only names a file. Not among Node's constants. */
const O_PATH = 0o10000000
/** Names of this process's descriptors. Missing without /proc, where no server is confined by a namespace. */
const DESCRIPTORS = '/proc/self/fd'

export class Control {
  /** Workers by the names of their sockets. @type {Map<string, Worker>} */
  #workers = new Map()
  /** @type {WorkerCounts[]} */
  #dead = []
  /** The reading in progress, because responses to concurrent readings of a worker cannot be distinguished. */
  #last = Promise.resolve()

  /** @param {string} dir folder with a socket for each worker */
  constructor (dir) {
    this.dir = dir
  }

  /** @param {number} workers least number that must respond */
  async isUp (workers) {
    return this.counts().then(({ pids }) => pids.length >= workers, () => false)
  }

  /**
   * @returns {Promise<ServerCounts>}
   * @throws {Error} if no worker runs, or a worker does not respond
   */
  counts () {
    const reading = this.#last.then(() => this.#read())
    this.#last = reading.then(() => {}, () => {})
    return reading
  }

  /** @returns {Promise<ServerCounts>} */
  async #read () {
    const names = readdirSync(this.dir).filter(name => SOCKET_NAME.test(name))
    const alive = (await Promise.all(names.map(name => this.#readWorker(name)))).filter(counts => counts !== null)
    if (alive.length === 0) throw new Error('no process of the server responds on its control socket')
    const all = [...alive, ...this.#dead]
    const sum = (/** @type {'connections' | 'requests' | 'non2xx' | 'files'} */ key) =>
      all.reduce((total, worker) => total + (worker[key] ?? 0), 0)
    return {
      pids: alive.map(worker => worker.pid),
      workers: alive,
      lost: this.#dead.length,
      atSeconds: Math.max(...alive.map(worker => worker.atSeconds)),
      listening: alive[0].listening,
      connections: sum('connections'),
      requests: sum('requests'),
      non2xx: sum('non2xx'),
      ...alive[0].files !== undefined && { files: sum('files') }
    }
  }

  close () {
    for (const { socket } of this.#workers.values()) socket.destroy()
    this.#workers.clear()
  }

  /**
   * @param {string} name of the worker's socket
   * @returns {Promise<WorkerCounts | null>} null: the worker died
   */
  async #readWorker (name) {
    const connected = this.#workers.get(name)
    const worker = connected ?? await this.#connect(name)
    if (!worker) return null
    const line = await exchangeLine(worker.socket, 'counts', 'a process of the server')
    // A new process can have the PID of the dead one, and so the same name of its socket.
    if (line === null) return connected ? this.#readWorker(name) : null
    worker.last = /** @type {WorkerCounts} */ (JSON.parse(line))
    return worker.last
  }

  /**
   * @param {string} name of the worker's socket
   * @returns {Promise<Worker | null>} null: no process listens on the socket
   */
  async #connect (name) {
    const socket = await connectWithoutLinks(join(this.dir, name))
    // Keeps the file, because a starting worker has created its file (bind) before it accepts (listen).
    if (!socket) return null
    /** @type {Worker} */
    const worker = { socket, last: null }
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

/**
 * Connects to a Unix socket. Does not follow a symbolic link, because a confined server can replace its socket by one.
 * @param {string} path
 * @returns {Promise<net.Socket | null>} null: no process listens on the socket, or it is not a socket
 */
async function connectWithoutLinks (path) {
  let fd = null
  try {
    if (existsSync(DESCRIPTORS)) fd = openSync(path, O_PATH | constants.O_NOFOLLOW)
    if (!(fd === null ? lstatSync(path) : fstatSync(fd)).isSocket()) return null
    // connect(2) would follow a link, and has no flag against it. The descriptor names the file that was checked.
    const socket = net.connect(fd === null ? path : `${DESCRIPTORS}/${fd}`)
    await once(socket, 'connect')
    return socket
  } catch {
    return null
  } finally {
    if (fd !== null) closeSync(fd)
  }
}

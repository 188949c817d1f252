/** Counts of the requests of one load generator, for a served side that cannot count them itself. */
import { once } from 'node:events'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { areSleeping, writeCalls } from '../machine/kernel-counts.js'
import { exchangeLine } from '../machine/network/line-socket.js'

/** Name of the control socket of a generator that counts its own responses, in the generator's folder. */
export const CONTROL_SOCKET = 'control.sock'

/**
 * Reads the count of a generator whose served side is paused. The count is at rest after `still` equal readings, 250 ms
 * in all, because the kernel of a paused app still sends: a response in two segments waits for a delayed
 * acknowledgement (40 ms), a lost segment for its retransmission (200 ms). With 20 ms one quick run in 200 missed two
 * responses.
 */
const AT_REST = { everyMs: 25, still: 10, readings: 120 }

/** @import { Generator, LoadCounts } from './types.js' */

/**
 * Waits until a generator whose served side is paused sends nothing more.
 *
 * @param {Pick<Generator, 'counts'>} generator
 * @returns {Promise<number>} its requests
 * @throws {Error} when it goes on sending
 */
export async function readCountAtRest (generator) {
  let last = NaN
  let equalReadings = 0
  for (let reading = 0; reading < AT_REST.readings; reading++) {
    const { requests, isIdle } = await generator.counts()
    equalReadings = isIdle && requests === last ? equalReadings + 1 : 0
    if (equalReadings === AT_REST.still) return requests
    last = requests
    await sleep(AT_REST.everyMs)
  }
  throw new Error('the load generator went on sending although the served side was paused')
}

/** Reads the responses that a generator of our own has counted, with the time by the generator's own clock. */
export class OwnCounts {
  /** @type {net.Socket | null} */
  #socket = null
  /** @type {LoadCounts | null} */
  #last = null

  /** @param {string} path of the generator's control socket */
  constructor (path) {
    this.path = path
  }

  /**
   * Reads the count.
   * @param {boolean} isPaused a paused generator cannot reply: returns its last count
   * @returns {Promise<LoadCounts>}
   */
  async read (isPaused) {
    if (isPaused && this.#last) return this.#last
    this.#socket ??= await connect(this.path)
    const line = await exchangeLine(this.#socket, 'counts', 'the load generator')
    if (line === null) throw new Error('the load generator has ended')
    // A generator that replies has handled every response that had arrived.
    /** @type {LoadCounts} */
    const counts = { ...JSON.parse(line), isIdle: true }
    this.#last = counts
    return counts
  }

  close () {
    this.#socket?.destroy()
  }
}

/** Reads the calls of write(2) of a generator that sends each request by one call and writes nothing else. */
export class WriteCounts {
  /** @type {number[]} */
  #pids = []

  /** @param {() => number[]} findPids of the generator's processes */
  constructor (findPids) {
    this.findPids = findPids
  }

  /** @returns {Promise<LoadCounts>} */
  async read () {
    if (this.#pids.length === 0) this.#pids = this.findPids()
    const requests = writeCalls(this.#pids)
    if (requests === null) throw new Error('the kernel does not show how many requests the load generator has sent')
    return { requests, atSeconds: performance.now() / 1000, isIdle: areSleeping(this.#pids) }
  }

  close () {}
}

/**
 * @param {string} path
 * @returns {Promise<net.Socket>}
 */
async function connect (path) {
  const socket = net.connect(path)
  await once(socket, 'connect')
  socket.on('error', () => {})
  return socket.unref()
}

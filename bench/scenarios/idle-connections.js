// How much memory does an idle WebSocket take in the proxy and in the app? Opens connections, and reads the memory of
// both at several numbers of them.
import { repeat, request, Tally, Timetable } from '../load/scenario-client.js'
import { openWebSocket } from '../load/web-sockets.js'
import { count } from '../shared/format.js'

/** @import { PlayContext, PlayMetric, PlayTarget, Scenario } from '../types.js' */

/** Numbers of connections at which memory is read, besides all of them. */
const SIZES = [1000, 5000]
/** Share of the connections before the first reading. The first ones make programs load code and grow their pools. */
const FIRST_SHARE = 0.01
/** Time between the last connection and a reading, in which programs free what opening took. */
const REST_MS = 1000
const KIB_PER_MIB = 1024
const NOT_COLLECTED = 'The memory of the app includes garbage: it has no path /gc, or no flag expose-gc.'

/** @type {Scenario} */
export default {
  options: { connections: { type: 'number', default: 9000, help: 'WebSockets at the end' } },
  needs: ({ connections }) => ({ seconds: 60, connections: Number(connections), upgrade: true }),
  async play (context) {
    const { target, options: { connections }, signal } = context
    const timetable = new Timetable()
    // A reading that is late changes no figure.
    timetable.record(0)
    const held = new Held(target)
    const most = Number(connections)
    await held.grow(Math.max(1, Math.round(most * FIRST_SHARE)), signal)
    const first = { open: held.open, ...await readAtRest(context, timetable) }
    /** @type {PlayMetric[]} */
    const figures = []
    for (const size of [...SIZES.filter(size => size < most), most]) {
      await held.grow(size, signal)
      const { open } = held
      const { memoryMiB } = await readAtRest(context, timetable)
      if (open > first.open) figures.push(...toMetrics(size, memoryMiB, first.memoryMiB, open - first.open))
    }
    return {
      groups: [held.end()],
      figures,
      lag: timetable.lag,
      evidence: [...first.isCollected ? [] : [NOT_COLLECTED], ...held.evidence]
    }
  }
}

/**
 * Reads the served side after a rest, and after the app has collected its garbage if it can.
 * @param {PlayContext} context
 * @param {Timetable} timetable
 */
async function readAtRest ({ target: { origin, headers }, read, signal }, timetable) {
  const { outcome } = await request(origin, { path: '/gc', headers })
  await timetable.wait(timetable.now() + REST_MS, signal)
  const { memoryMiB } = await read()
  return { memoryMiB, isCollected: outcome === 'ok' }
}

/**
 * Returns the growth of memory per connection, of both hops and of each.
 * @param {number} size number of connections, for names
 * @param {{ proxy: number, server: number }} now in MiB
 * @param {{ proxy: number, server: number }} first in MiB
 * @param {number} more connections since the first reading
 * @returns {PlayMetric[]}
 */
function toMetrics (size, now, first, more) {
  const [proxy, app] = /** @type {const} */ (['proxy', 'server'])
    .map(hop => (now[hop] - first[hop]) * KIB_PER_MIB / more)
  const at = `at ${count(size)} connections`
  const unit = 'KiB each'
  return [
    { name: `memory ${at}`, value: proxy + app, unit },
    ...now.proxy > 0 ? [{ name: `memory of the proxy ${at}`, value: proxy, unit }] : [],
    { name: `memory of the app ${at}`, value: app, unit }
  ]
}

/** Connections that are kept open. */
class Held {
  /** First connection that did not open. @type {string[]} */
  evidence = []
  /** @type {(() => void)[]} */
  #ends = []
  /** Outcomes of connections that did not open. @type {string[]} */
  #failed = []
  #closed = 0
  #isEnding = false

  /** @param {PlayTarget} target */
  constructor (target) {
    this.target = target
  }

  get open () {
    return this.#ends.length - this.#closed
  }

  /**
   * Opens connections up to a number, which includes those that did not open.
   * @param {number} size
   * @param {AbortSignal} signal
   */
  async grow (size, signal) {
    const onEnd = () => { if (!this.#isEnding) this.#closed++ }
    const missing = size - this.#ends.length - this.#failed.length
    const opened = await repeat(missing, () => openSocket(this.target, onEnd), signal)
    for (const { outcome, end } of opened) {
      if (outcome === 'ok') this.#ends.push(end)
      else this.#failed.push(outcome)
    }
    if (this.#failed.length > 0) this.evidence = [`first connection that did not open: ${this.#failed[0]}`]
  }

  /** Closes all connections. */
  end () {
    const tally = new Tally('websocket')
    tally.count('ok', this.open)
    tally.count('closed', this.#closed)
    for (const outcome of this.#failed) tally.count(outcome)
    this.#isEnding = true
    for (const end of this.#ends) end()
    return tally.toGroup()
  }
}

/**
 * @param {PlayTarget} target
 * @param {() => void} onEnd
 */
async function openSocket (target, onEnd) {
  const { outcome, socket } = await openWebSocket(target, { path: '/echo', headers: target.headers })
  socket?.once('close', onEnd)
  return { outcome, end: () => socket.terminate() }
}

// Which idle timeouts lose requests? Lets connections to the app idle for about as long as the app keeps them, and then
// uses them again, while the app closes them.
import { setTimeout as sleep } from 'node:timers/promises'
import { canBlock, KeepingAgent, request, Tally, Timetable } from '../load/scenario-client.js'
import { randomFrom, shuffle } from '../shared/random.js'

/** @import { PlayContext, PlayTarget, Scenario } from '../types.js' */

/** Reuse relative to the moment at which the app closes an idle connection, in milliseconds. */
const OFFSETS = [-10, -5, -2, -1, 0, 1, 2, 5, 10]
/** The same for an app whose timeout is so long that a play has no time for more. */
const FEW_OFFSETS = [-5, -1, 0, 1, 5]
const LONG_IDLE_MS = 3000
/** Reuse around a block of the event loop of the app, whose timers then fire after the block. */
const BUSY_OFFSETS = [-20, -10, 0, 10, 20]
/** Longest wait for the app to close an idle connection: Node's default of 5 s with a buffer of 1 s. */
const MAX_IDLE_MS = 7000
/** Idle time where the app does not close its connections within that time. */
const SHORT_IDLE_MS = 1000
const METHODS = ['GET', 'POST']
/** Delay of the client from which on a burst is repeated, because it misses its moment. */
const LATE_MS = 2
const MAX_REPEATS = 10 // Bursts of a play that are repeated.
/** Limit of the bursts of a play, so that the last one ends within the limit of a play. */
const MAX_PLAY_MS = 50_000
const PROBES = 3 // Connections whose end is timed.

/** @type {Scenario} */
export default {
  axis: 'ms after the app closes an idle connection',
  options: {
    requests: { type: 'number', default: 50, help: 'requests of each method that are sent at once' },
    busy: {
      type: 'duration',
      default: 'off',
      help: 'time for which the event loop of the app is then blocked by GET /block, or off'
    }
  },
  needs: ({ requests }) => ({ seconds: 60, connections: 2 * Number(requests) + PROBES + 1, post: true }),
  async play (context) {
    const { options, seed, signal } = context
    const timetable = new Timetable()
    const wantedBusyMs = Number(options.busy) || 0
    const busyMs = await canBlock(context.target, wantedBusyMs) ? wantedBusyMs : 0
    const idleMs = await timeIdle(context)
    const client = new Client(context, timetable)
    await client.burst(timetable.now())
    if (idleMs === null) {
      while (!await client.reuse(SHORT_IDLE_MS, { kinds: '' }));
    } else {
      const random = randomFrom(seed, 'offsets')
      const rounds = [
        ...shuffle(idleMs > LONG_IDLE_MS ? FEW_OFFSETS : OFFSETS, random)
          .map(offset => ({ offset, kinds: '', busyMs: 0 })),
        ...busyMs > 0 ? shuffle(BUSY_OFFSETS, random).map(offset => ({ offset, kinds: ', busy app', busyMs })) : []
      ]
      for (const round of rounds) {
        if (timetable.now() + idleMs > MAX_PLAY_MS || signal.aborted) break
        const { offset, ...kind } = round
        while (!await client.reuse(idleMs + offset, { at: offset, idleMs, ...kind }));
      }
    }
    client.agent.destroy()
    return {
      groups: client.groups(),
      figures: idleMs === null ? [] : [{ name: 'idle time after which the app closes', value: idleMs, unit: 'ms' }],
      lag: timetable.lag,
      evidence: [
        ...busyMs < wantedBusyMs ? ['The app has no path /block?ms= that blocks its event loop.'] : [],
        ...idleMs === null ? [`The app keeps an idle connection for more than ${MAX_IDLE_MS} ms.`] : [],
        ...client.evidence.values()
      ]
    }
  }
}

/**
 * Returns how long the app keeps an idle connection: the median of several.
 * @param {PlayContext} context
 * @returns {Promise<number | null>} in milliseconds; null: longer than the limit
 */
async function timeIdle ({ target, signal }) {
  const times = await Promise.all(Array.from({ length: PROBES }, () => timeOneIdle(target, signal)))
  const sorted = times.sort((a, b) => a - b)
  const middle = sorted[Math.floor(PROBES / 2)]
  return Number.isFinite(middle) ? middle : null
}

/**
 * @param {PlayTarget} target
 * @param {AbortSignal} signal
 * @returns {Promise<number>} Infinity: longer than the limit
 */
async function timeOneIdle ({ origin, path, headers }, signal) {
  const agent = new KeepingAgent({ maxSockets: 1 })
  /** @type {Promise<number>} */
  const closed = new Promise(resolve => {
    agent.once('free', socket => socket.once('close', () => resolve(performance.now())))
  })
  await request(origin, { path, headers, agent })
  const from = performance.now()
  const at = await Promise.race([closed, sleep(MAX_IDLE_MS, Infinity, { signal, ref: false })])
  agent.destroy()
  return at - from
}

/** Sends bursts over kept connections, each a time after the responses of the one before. */
class Client {
  /** First fault of each kind of request. @type {Map<string, string>} */
  evidence = new Map()
  /** @type {Map<string, Tally>} */
  #tallies = new Map()
  agent = new KeepingAgent()
  #repeats = MAX_REPEATS
  /** Middle of the responses of the last burst, in ms of the timetable. */
  #idleSince = 0

  /**
   * @param {PlayContext} context
   * @param {Timetable} timetable
   */
  constructor ({ target, options, signal }, timetable) {
    this.target = target
    this.count = Number(options.requests)
    this.signal = signal
    this.timetable = timetable
  }

  /**
   * Waits until the connections were idle for a time, and uses them again.
   * @param {number} afterMs
   * @param {{ at?: number, kinds: string, idleMs?: number, busyMs?: number }} round kinds: end of the names of groups;
   *   idleMs: time after which the app closes idle connections; busyMs: block of its event loop around that time
   * @returns {Promise<boolean>} false: the client was late, and the burst is not counted
   */
  async reuse (afterMs, { at, kinds, idleMs = 0, busyMs = 0 }) {
    const blocked = busyMs > 0 ? this.#block(this.#idleSince + idleMs - busyMs / 2, busyMs) : null
    const isCounted = await this.burst(this.#idleSince + afterMs, { at, kinds })
    await blocked
    return isCounted
  }

  /**
   * @param {number} atMs in the timetable
   * @param {{ at?: number, kinds: string }} [round] omitted: the requests are not counted
   */
  async burst (atMs, round) {
    const lateMs = await this.timetable.wait(atMs, this.signal)
    const isCounted = lateMs <= LATE_MS || this.timetable.now() > MAX_PLAY_MS / 2 || this.#repeats-- <= 0
    if (isCounted) this.timetable.record(lateMs)
    const counted = isCounted ? round : undefined
    const sent = Array.from({ length: this.count }, () => METHODS.map(method => this.#send(method, counted))).flat()
    const ended = (await Promise.all(sent)).sort((a, b) => a - b)
    this.#idleSince = ended[Math.floor(ended.length / 2)]
    return isCounted
  }

  groups () {
    return [...this.#tallies.values()].map(tally => tally.toGroup())
      .sort((a, b) => a.name.localeCompare(b.name) || (a.at ?? 0) - (b.at ?? 0))
  }

  /**
   * @param {string} method
   * @param {{ at?: number, kinds: string }} [round]
   * @returns {Promise<number>} end of the response, in ms of the timetable
   */
  async #send (method, round) {
    const { path, headers } = this.target
    const { outcome, ms } = await request(this.target, {
      path, headers, method, agent: this.agent, ...method === 'POST' && { body: 'hopbench' }
    })
    if (round) {
      const name = `${method}${round.kinds}`
      this.#getTally(name, round.at).count(outcome)
      if (outcome !== 'ok' && !this.evidence.has(name)) {
        const sent = round.at === undefined ? '' : `, sent ${round.at} ms after the app closes an idle connection`
        this.evidence.set(name, `first fault of ${name}: ${outcome} after ${Math.round(ms)} ms${sent}`)
      }
    }
    return this.timetable.now()
  }

  /**
   * @param {string} name
   * @param {number} [at]
   */
  #getTally (name, at) {
    const key = `${name} ${at}`
    const tally = this.#tallies.get(key) ?? new Tally(name, at)
    this.#tallies.set(key, tally)
    return tally
  }

  /**
   * Blocks the event loop of the app, over a connection of its own.
   * @param {number} atMs
   * @param {number} ms
   */
  async #block (atMs, ms) {
    await this.timetable.wait(atMs, this.signal)
    await request(this.target.origin, { path: `/block?ms=${ms}`, headers: this.target.headers })
  }
}

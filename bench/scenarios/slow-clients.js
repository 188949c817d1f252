// Holds many slow requests, and sends others meanwhile.
import { setTimeout as sleep } from 'node:timers/promises'
import { request, Tally, Timetable } from '../load/scenario-client.js'
import { SlowReader, SlowStarter } from '../load/slow-client.js'
import { attempt } from '../shared/attempt.js'

/** @import { OptionValue, PlayContext, PlayMetric, PlayReading, PlayTarget, Scenario } from '../types.js' */

/**
 * Kinds of slow clients. path: that the app must have; unfinished: outcome of a request that is in flight at the end;
 * returns: a client whose connection was closed opens another one.
 * @type {Record<string, { name: string, Client: typeof SlowReader | typeof SlowStarter,
 *   path: ((bytes: number) => string) | null, unfinished: string, returns?: boolean }>}
 */
const KINDS = {
  readers: { name: 'slow readers', Client: SlowReader, path: bytes => `/bytes?size=${bytes}`, unfinished: 'timeout' },
  starters: { name: 'slow starters', Client: SlowStarter, path: null, unfinished: 'held', returns: true }
}
const QUIET_MS = 3000 // Time before the slow clients come.
const STARTS_MS = 1000 // Time in which they come.
/** Interval of the turns of a slow client, and the parts of all clients that have one after another. */
const TURN_MS = 100
const PARTS = 10
const RETURN_MS = 1000 // Time after which a client whose connection was closed returns.
const READING_MS = 1000 // Interval of readings of the served side.
/** Time after which a request of the others has failed, in ms: visitors leave. */
const PATIENCE_MS = 2000

/** @type {Scenario} */
export default {
  // A connection that only begins a request ends as the server likes.
  expects: ['held', 'closed'],
  options: {
    clients: {
      type: 'string',
      default: 'readers',
      choices: Object.keys(KINDS),
      help: 'slow clients: they read a response, or never end the head of a request'
    },
    count: { type: 'number', default: 50, help: 'slow clients' },
    speed: { type: 'number', default: 400_000, help: 'bytes per second of a slow client' },
    bytes: { type: 'number', default: 8_000_000, help: 'bytes of a response' },
    seconds: { type: 'number', default: 30, help: 'time for which the slow clients stay at most' },
    others: { type: 'number', default: 50, help: 'other requests per second, each on a new connection' }
  },
  needs: ({ count, seconds, others }) => ({
    seconds: Number(seconds) + Math.ceil((QUIET_MS + 3 * PATIENCE_MS) / 1000),
    connections: Number(count) + Math.ceil(Number(others) * PATIENCE_MS / 1000)
  }),
  async play (context) {
    const { target, options, read, signal } = context
    const kind = KINDS[String(options.clients)]
    await rejectWithoutPath(target, kind, Number(options.bytes))
    const timetable = new Timetable()
    const others = new Others(context, timetable)
    const sending = others.run()
    await timetable.wait(QUIET_MS, signal)
    const before = await read()
    await readDelay(target)
    others.phase = 'others'
    const slow = new SlowClients(context, kind)
    const playing = slow.run()
    const peaks = await watchPeaks(read, playing)
    const delay = await readDelay(target)
    others.isOver = true
    await sending
    return {
      groups: [...others.tallies.values(), slow.tally].map(tally => tally.toGroup()),
      figures: [...toMetrics(before, peaks), ...delay ?? []],
      lag: timetable.lag,
      evidence: [
        ...delay ? [] : ['The app has no path /delay that reports the delay of its event loop.'],
        ...others.evidence.values(),
        ...slow.evidence
      ]
    }
  }
}

/**
 * Rejects an app without the path that the slow clients request.
 * @param {PlayTarget} target
 * @param {typeof KINDS[string]} kind
 * @param {number} bytes
 */
async function rejectWithoutPath ({ origin, headers }, { name, path }, bytes) {
  if (path === null) return
  const { outcome } = await request(origin, { path: path(bytes), headers })
  if (outcome === 'ok') return
  throw new Error(`the ${name} send GET ${path(bytes)}, and the app has no such path: ${outcome}`)
}

/**
 * Returns the delay of the event loop of the app since the last reading.
 * @param {PlayTarget} target
 * @returns {Promise<PlayMetric[] | null>} null: the app does not report it
 */
async function readDelay ({ origin, headers }) {
  const { outcome, body } = await request(origin, { path: '/delay', headers })
  const { p99Ms, maxMs } = outcome === 'ok' ? attempt(() => JSON.parse(body.toString()), () => ({})) : {}
  if (!Number.isFinite(p99Ms) || !Number.isFinite(maxMs)) return null
  return [
    { name: 'p99 of the event loop of the app', value: p99Ms, unit: 'ms' },
    { name: 'longest block of the app', value: maxMs, unit: 'ms' }
  ]
}

/**
 * Reads the served side until the slow clients have ended.
 * @param {PlayContext['read']} read
 * @param {Promise<void>} playing
 * @returns {Promise<PlayReading[]>}
 */
async function watchPeaks (read, playing) {
  const readings = []
  const over = playing.then(() => true)
  do {
    readings.push(await read())
  } while (await Promise.race([over, sleep(READING_MS)]) !== true)
  return readings
}

/**
 * @param {PlayReading} before
 * @param {PlayReading[]} readings
 * @returns {PlayMetric[]}
 */
function toMetrics (before, readings) {
  const peak = (/** @type {(reading: PlayReading) => number} */ get) => Math.max(...readings.map(get))
  const growth = (/** @type {'proxy' | 'server'} */ hop) =>
    Math.max(0, peak(({ memoryMiB }) => memoryMiB[hop]) - before.memoryMiB[hop])
  return [
    { name: 'memory that the app adds', value: growth('server'), unit: 'MiB' },
    { name: 'memory that the proxy adds', value: growth('proxy'), unit: 'MiB' },
    { name: 'temporary files of the proxy', value: peak(({ temporaryMiB }) => temporaryMiB.proxy), unit: 'MiB' }
  ]
}

/** Requests of other clients, each on a connection of its own, by a timetable. */
class Others {
  phase = 'others, before'
  /** @type {Map<string, Tally>} */
  tallies = new Map()
  /** First fault of each phase. @type {Map<string, string>} */
  evidence = new Map()
  isOver = false

  /**
   * @param {PlayContext} context
   * @param {Timetable} timetable
   */
  constructor ({ target, options }, timetable) {
    this.target = target
    this.stepMs = 1000 / Number(options.others)
    this.timetable = timetable
  }

  /** Sends requests until the end, and waits for their responses. */
  async run () {
    const sent = []
    for (let at = 0; !this.isOver; at += this.stepMs) {
      await this.timetable.at(at)
      sent.push(this.#send(this.phase))
    }
    await Promise.all(sent)
  }

  /** @param {string} phase */
  async #send (phase) {
    const { path, headers } = this.target
    const { outcome, ms } = await request(this.target, { path, headers, timeoutMs: PATIENCE_MS })
    const tally = this.tallies.get(phase) ?? new Tally(phase)
    this.tallies.set(phase, tally)
    tally.count(outcome)
    if (outcome === 'ok') tally.delay('response', ms)
    else if (!this.evidence.has(phase)) {
      this.evidence.set(phase, `first fault of ${phase}: ${outcome} after ${Math.round(ms)} ms`)
    }
  }
}

/** Slow clients that come one after another, and stay until their requests end. */
class SlowClients {
  /** First fault, if any. @type {string[]} */
  evidence = []

  /**
   * @param {PlayContext} context
   * @param {typeof KINDS[string]} kind
   */
  constructor ({ target, options, signal }, kind) {
    this.target = target
    this.options = options
    this.signal = signal
    this.kind = kind
    this.tally = new Tally(kind.name)
  }

  async run () {
    const [count, mostMs] = [Number(this.options.count), Number(this.options.seconds) * 1000]
    const start = performance.now()
    const clients = []
    for (let turn = 0; performance.now() - start < mostMs; turn++) {
      const wanted = Math.min(count, Math.ceil(count * (performance.now() - start) / STARTS_MS))
      while (clients.length < wanted) clients.push(this.#connect())
      for (let i = turn % PARTS; i < clients.length; i += PARTS) clients[i] = this.#turn(clients[i])
      if (!this.kind.returns && clients.length === count && clients.every(({ outcome }) => outcome !== null)) break
      await sleep(TURN_MS / PARTS, undefined, { signal: this.signal })
    }
    for (const client of clients) {
      client.settle(this.kind.unfinished)
      this.#count(client)
    }
  }

  /**
   * Moves the bytes of a client that are due, and replaces a client that returns.
   * @param {InstanceType<typeof KINDS[string]['Client']>} client
   */
  #turn (client) {
    client.turn()
    if (!this.kind.returns || !(performance.now() - client.endedAt >= RETURN_MS)) return client
    this.#count(client)
    return this.#connect()
  }

  #connect () {
    const { speed, bytes } = this.options
    const { path } = this.kind
    return new this.kind.Client(this.target, {
      path: path === null ? this.target.path : path(Number(bytes)),
      headers: this.target.headers,
      bytesPerSecond: Number(speed)
    })
  }

  /** @param {{ outcome: string | null, ms: number, received: number }} client */
  #count ({ outcome, ms, received }) {
    const { name } = this.kind
    this.tally.count(String(outcome))
    if (outcome === 'ok' || outcome === 'closed') this.tally.delay(outcome === 'ok' ? 'response' : 'until closed', ms)
    else if (outcome !== 'held' && this.evidence.length === 0) {
      this.evidence.push(`first fault of ${name}: ${outcome} after ${Math.round(ms)} ms and ${received} bytes`)
    }
  }
}

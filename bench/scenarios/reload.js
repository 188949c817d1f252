// Sends requests at a steady rate while the proxy reloads, or while the app is replaced or killed.
import { setTimeout as sleep } from 'node:timers/promises'
import { KeepingAgent, request, Tally, Timetable } from '../load/scenario-client.js'
import { randomFrom, shuffle } from '../shared/random.js'

/** @import { PlayContext, Scenario } from '../types.js' */

/** Time before the first action and after each one, in which the requests show the service without an action. */
const CALM_MS = 1500
/** Most time for a response. A request without one has failed. */
const TIMEOUT_MS = 5000
const MAX_SECONDS = 50
const SPARE_SECONDS = 8
/**
 * Kinds of requests. Each is sent once before one is sent again, in a random order: in a fixed one a proxy that takes
 * the processes in turn sends each process requests of one kind only.
 */
const KINDS = ['GET', 'POST'].flatMap(method => [true, false].map(isKept =>
  ({ name: `${method}, ${isKept ? 'kept' : 'new'} connection`, method, isKept })))

/** Unit of failed requests by action. */
const UNITS = { 'reload-proxy': 'per reload', 'restart-app': 'per restart', 'kill-app': 'per killed process' }

/** @type {Scenario} */
export default {
  options: {
    act: {
      type: 'string',
      default: 'reload-proxy',
      choices: Object.keys(UNITS),
      help: 'action: the proxy reloads; each process of the app is replaced; one process of the app is killed'
    },
    times: { type: 'number', default: 3, help: 'actions of a play' },
    post: { type: 'boolean', default: true, help: 'every second request is a POST' },
    rate: { type: 'number', default: 200, help: 'requests per second' }
  },
  needs: ({ act, post }) =>
    ({ seconds: MAX_SECONDS + SPARE_SECONDS, connections: 400, post: post !== false, acts: [String(act)] }),
  async play (context) {
    const { options, seed, signal } = context
    const client = new Client(context)
    const released = release(context, client).finally(() => { client.isDone = true })
    // Handled below, after the last request.
    released.catch(() => {})
    const kinds = KINDS.filter(({ method }) => method === 'GET' || options.post !== false)
    const random = randomFrom(seed, 'kinds')
    /** @type {typeof KINDS} */
    let next = []
    const sent = []
    for (let i = 0; !client.isDone && client.timetable.now() < MAX_SECONDS * 1000; i++) {
      await client.timetable.at(i * 1000 / Number(options.rate), signal)
      if (next.length === 0) next = shuffle(kinds, random)
      sent.push(client.send(/** @type {typeof KINDS[number]} */ (next.pop())))
    }
    const tookMs = await released
    await Promise.all(sent)
    client.agent.destroy()
    const act = /** @type {keyof typeof UNITS} */ (options.act)
    const groups = client.tallies.map(tally => tally.toGroup()).filter(({ requests }) => requests > 0)
    const failed = groups.reduce((sum, { requests, counts }) => sum + requests - (counts.ok ?? 0), 0)
    return {
      groups,
      figures: [
        { name: 'failed requests', value: failed / tookMs.length, unit: UNITS[act] },
        { name: 'longest time without a response', value: client.longestGapMs, unit: 'ms' },
        { name: 'longest duration of a release', value: Math.max(...tookMs), unit: 'ms' }
      ],
      lag: client.timetable.lag,
      evidence: [...client.evidence.values()]
    }
  }
}

/**
 * Performs the actions one after the other.
 * @param {PlayContext} context
 * @param {Client} client
 * @returns {Promise<number[]>} duration of each, in ms
 */
async function release ({ act, options, signal }, client) {
  const tookMs = []
  await sleep(CALM_MS, undefined, { signal })
  for (let i = 0; i < Number(options.times); i++) {
    client.releasedAt = client.timetable.now()
    await act(String(options.act))
    tookMs.push(client.timetable.now() - client.releasedAt)
    await sleep(CALM_MS, undefined, { signal })
  }
  return tookMs
}

/** Sends requests on kept and new connections, and notes the time between responses. */
class Client {
  timetable = new Timetable()
  tallies = KINDS.map(({ name }) => new Tally(name))
  /** First failure of each kind. @type {Map<string, string>} */
  evidence = new Map()
  longestGapMs = 0
  /** Whether the last action and the time after it are over. */
  isDone = false
  /** Begin of the last action, in ms of the timetable. */
  releasedAt = 0
  agent = new KeepingAgent({ scheduling: 'fifo' })
  /** @type {number | null} */
  #lastResponseAt = null

  /** @param {PlayContext} context */
  constructor ({ target }) {
    this.target = target
  }

  /** @param {typeof KINDS[number]} kind */
  async send (kind) {
    const { name, method, isKept } = kind
    const { path, headers } = this.target
    const { outcome, ms } = await request(this.target, {
      path,
      headers,
      method,
      timeoutMs: TIMEOUT_MS,
      ...isKept && { agent: this.agent },
      ...method === 'POST' && { body: 'hopbench' }
    })
    const tally = this.tallies[KINDS.indexOf(kind)]
    tally.count(outcome)
    if (outcome === 'ok') {
      tally.delay('response', ms)
      this.#noteResponse()
    } else if (!this.evidence.has(name)) {
      const since = Math.round(this.timetable.now() - this.releasedAt)
      this.evidence.set(name,
        `first failure of ${name}: ${outcome} after ${Math.round(ms)} ms, ${since} ms after the release began`)
    }
  }

  #noteResponse () {
    const now = this.timetable.now()
    if (this.#lastResponseAt !== null) this.longestGapMs = Math.max(this.longestGapMs, now - this.#lastResponseAt)
    this.#lastResponseAt = now
  }
}

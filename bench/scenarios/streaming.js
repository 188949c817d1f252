// Do events arrive when the app sends them? Reads streams whose events hold the time at which they were sent.
import { readEvents } from '../load/event-client.js'
import { Tally, Timetable } from '../load/scenario-client.js'
import { randomFrom, shuffle } from '../shared/random.js'

/** @import { OptionValue, PlayContext, PlayTarget, Scenario } from '../types.js' */
/** @import { TimedEvent } from '../load/event-client.js' */

/** Kinds of streams: server-sent events, and text as models of language send it. Proxies compress them by type. */
const KINDS = [{ name: 'SSE', type: 'events' }, { name: 'text', type: 'text' }]
/** Time between the starts of two streams, so that their events do not come at once. */
const SPACING_MS = 23
/** Time after which a stream that has not ended is given up, beyond the time of its events. */
const GRACE_MS = 5000
const TICK_MS = 20 // Interval in which the lateness of the client is recorded.

/** @type {Scenario} */
export default {
  options: {
    streams: { type: 'number', default: 10, help: 'streams of each kind' },
    events: { type: 'number', default: 40, help: 'events of a stream' },
    every: { type: 'number', default: 100, help: 'time between two events of a stream, in ms' },
    bytes: { type: 'number', default: 100, help: 'bytes of an event' },
    accept: {
      type: 'string',
      default: 'identity',
      choices: ['identity', 'gzip'],
      help: 'encoding that the client accepts'
    }
  },
  needs: options => ({
    seconds: Math.ceil((streamMs(options) + startsMs(options) + 2 * GRACE_MS) / 1000),
    connections: KINDS.length * Number(options.streams)
  }),
  async play (context) {
    const { target, options, seed, signal } = context
    await rejectWithoutEvents(target)
    const timetable = new Timetable()
    const tallies = new Map(KINDS.map(({ name }) => [name, new Tally(name)]))
    /** First fault of each kind of stream. @type {Map<string, string>} */
    const evidence = new Map()
    const kinds = shuffle(Array.from({ length: Number(options.streams) }, () => KINDS).flat(),
      randomFrom(seed, 'streams'))
    let ended = 0
    const streams = kinds.map(async (kind, i) => {
      await timetable.wait(i * SPACING_MS)
      const fault = await playStream(context, kind, /** @type {Tally} */ (tallies.get(kind.name)))
      if (fault !== null && !evidence.has(kind.name)) evidence.set(kind.name, `first fault of ${kind.name}: ${fault}`)
      ended++
    })
    // Events are read by the same event loop, which is late for them when it is late for these moments.
    for (let at = 0; ended < streams.length; at += TICK_MS) await timetable.at(at, signal)
    await Promise.all(streams)
    return {
      groups: [...tallies.values()].map(tally => tally.toGroup()),
      lag: timetable.lag,
      evidence: [...evidence.values()]
    }
  }
}

/** @param {Record<string, OptionValue>} options */
const streamMs = ({ events, every }) => Number(events) * Number(every)

/** @param {Record<string, OptionValue>} options */
const startsMs = ({ streams }) => KINDS.length * Number(streams) * SPACING_MS

/**
 * Rejects an app without the path of the streams.
 * @param {PlayTarget} target
 */
async function rejectWithoutEvents ({ origin, headers }) {
  const { outcome, events } = await readEvents(origin,
    { path: '/events?count=1&every=1', count: 1, headers, timeoutMs: GRACE_MS })
  if (outcome === 'ok' && Number.isFinite(events[0].sentAt)) return
  throw new Error('the scenario reads streams, and the app has no path /events?count=&every= that sends events with ' +
    `their time (docs/behaviour.md): ${outcome === 'ok' ? 'the time is missing' : outcome}`)
}

/**
 * Reads a stream and counts its outcome and its delays.
 * @param {PlayContext} context
 * @param {typeof KINDS[number]} kind
 * @param {Tally} tally
 * @returns {Promise<string | null>} null: no fault
 */
async function playStream ({ target, options }, { type }, tally) {
  const { events: count, every, bytes, accept } = options
  const { outcome, startedAt, events } = await readEvents(target, {
    path: `/events?count=${count}&every=${every}&bytes=${bytes}&type=${type}`,
    count: Number(count),
    headers: { ...target.headers, 'Accept-Encoding': String(accept) },
    timeoutMs: streamMs(options) + GRACE_MS
  })
  recordDelays(events, startedAt, tally)
  const late = events.findIndex(({ sentAt, arrivedAt }) => arrivedAt - sentAt >= Number(every))
  const isLate = outcome === 'ok' && late >= 0
  tally.count(isLate ? 'late-event' : outcome)
  if (isLate) return `event ${late + 1} arrived ${Math.round(toDelay(events[late]))} ms after the app sent it`
  return outcome === 'ok' ? null : `${outcome} after ${events.length} of ${count} events`
}

/**
 * @param {TimedEvent[]} events
 * @param {number} startedAt
 * @param {Tally} tally
 */
function recordDelays (events, startedAt, tally) {
  events.forEach((event, i) => {
    tally.delay('event', toDelay(event))
    if (i === 0) tally.delay('first event', event.arrivedAt - startedAt)
    else tally.delay('between events', event.arrivedAt - events[i - 1].arrivedAt)
  })
}

/** Returns the time from sending an event to its arrival, in ms. @param {TimedEvent} event */
const toDelay = ({ sentAt, arrivedAt }) => arrivedAt - sentAt

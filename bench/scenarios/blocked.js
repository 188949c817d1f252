// How long do the others wait while a request blocks the event loop of its process? One of many requests does so.
import { canBlock, KeepingAgent, request, Tally, Timetable } from '../load/scenario-client.js'
import { randomFrom } from '../shared/random.js'

/** @import { Scenario } from '../types.js' */

/** Seconds of a play beside its requests: connections before the first one, and responses after the last one. */
const SPARE_SECONDS = 8
/** Connections that are opened before the first request, so that each process has some. */
const CONNECTIONS = 64
/** Delay from which on a request counts as held up, well above that of an idle app. */
const HELD_UP_MS = 20

/** @type {Scenario} */
export default {
  options: {
    rate: { type: 'number', default: 100, help: 'requests per second' },
    every: { type: 'number', default: 100, help: 'one of this many requests blocks, at a random position' },
    block: { type: 'duration', default: '200ms', help: 'time for which a request blocks the event loop' },
    seconds: { type: 'number', default: 8, help: 'length of a play, up to 50' }
  },
  needs: ({ seconds }) => ({ seconds: Number(seconds) + SPARE_SECONDS, connections: 2 * CONNECTIONS }),
  async play ({ target, options, seed, signal }) {
    const [rate, every, blockMs, seconds] = ['rate', 'every', 'block', 'seconds'].map(name => Number(options[name]))
    if (!await canBlock(target, blockMs)) {
      throw new Error(`the scenario blocks the event loop, and the app has no path /block?ms=${blockMs} that does so`)
    }
    // The oldest idle connection is used next, so that requests reach the processes in turn.
    const agent = new KeepingAgent({ scheduling: 'fifo' })
    const others = new Tally('others')
    const blocking = new Tally('blocking')
    let heldUp = 0
    const send = async (/** @type {boolean} */ blocks) => {
      const path = blocks ? `/block?ms=${blockMs}` : target.path
      const { outcome, ms } = await request(target, { path, headers: target.headers, agent })
      const tally = blocks ? blocking : others
      tally.count(outcome)
      if (outcome === 'ok') tally.delay('response', ms)
      if (!blocks && ms >= HELD_UP_MS) heldUp++
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, () =>
      request(target, { path: target.path, headers: target.headers, agent })))

    const random = randomFrom(seed, 'blocks')
    const timetable = new Timetable()
    const startMs = timetable.now()
    const sent = []
    let position = 0
    for (let i = 0; i < rate * seconds && !signal.aborted; i++) {
      if (i % every === 0) position = i + Math.floor(random() * every)
      await timetable.at(startMs + i * 1000 / rate, signal)
      sent.push(send(i === position))
    }
    await Promise.all(sent)
    agent.destroy()
    const group = others.toGroup()
    const share = 100 * heldUp / group.requests
    return {
      groups: [group, blocking.toGroup()].filter(({ requests }) => requests > 0),
      figures: [{ name: `others that took ${HELD_UP_MS} ms or longer`, value: share, unit: '%' }],
      lag: timetable.lag
    }
  }
}

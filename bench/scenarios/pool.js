// How large must the pool of upstream connections be? Bursts of requests that are all in flight at once.
import { KeepingAgent, request, Tally, Timetable } from '../load/scenario-client.js'

/** @import { PlayTarget, Scenario } from '../types.js' */

/** Bursts that are not counted, because the first one opens all connections. */
const UNCOUNTED = 1
/**
 * Time limit of a play, in seconds. 41 bursts at the default interval take about 20 s; the rest is for slow responses.
 */
const MAX_SECONDS = 60
const UNKNOWN_CONNECTIONS =
  'New upstream connections could not be counted: GET /connections of the app returned no number.'

/** @type {Scenario} */
export default {
  options: {
    requests: { type: 'number', default: 200, help: 'requests of a burst, each on a kept connection of its own' },
    bursts: { type: 'number', default: 10, help: 'bursts of a play, up to 40' },
    pause: { type: 'duration', default: '500ms', help: 'time from the start of one burst to the start of the next' }
  },
  // A further connection reads /connections.
  needs: ({ requests }) => ({ seconds: MAX_SECONDS, connections: Number(requests) + 1 }),
  async play ({ target, options, read, signal }) {
    const { path, headers } = target
    const [requests, bursts, pauseMs] = ['requests', 'bursts', 'pause'].map(name => Number(options[name]))
    const agent = new KeepingAgent()
    const readAgent = new KeepingAgent()
    const timetable = new Timetable()
    const tally = new Tally('burst')
    const send = async (/** @type {boolean} */ isCounted) => {
      const { outcome, ms } = await request(target, { path, headers, agent })
      if (!isCounted) return
      tally.count(outcome)
      if (outcome === 'ok') tally.delay('response', ms)
    }

    let before = null
    for (let i = 0; i < bursts + UNCOUNTED && !signal.aborted; i++) {
      await timetable.at(i * pauseMs, signal)
      if (i === UNCOUNTED) before = await countConnections(target, readAgent)
      await Promise.all(Array.from({ length: requests }, () => send(i >= UNCOUNTED)))
    }
    const { memoryMiB, openFiles } = await read()
    const after = await countConnections(target, readAgent)
    agent.destroy()
    readAgent.destroy()
    const group = tally.toGroup()
    const opened = before === null || after === null ? null : after - before
    return {
      groups: [group],
      figures: [
        ...opened === null
          ? []
          : [{ name: 'new upstream connections', value: opened / group.requests, unit: 'per request' }],
        { name: 'memory of the proxy', value: memoryMiB.proxy, unit: 'MiB' },
        { name: 'memory of the app', value: memoryMiB.server, unit: 'MiB' },
        { name: 'open files of the proxy between bursts', value: openFiles.proxy, unit: 'files' }
      ],
      lag: timetable.lag,
      evidence: opened === null ? [UNKNOWN_CONNECTIONS] : []
    }
  }
}

/**
 * Returns how many connections the app has accepted so far. An app of your own usually has no count of them.
 * @param {PlayTarget} target
 * @param {KeepingAgent} agent keeps the connection of the reading, so that further readings open none
 * @returns {Promise<number | null>} null: unknown
 */
async function countConnections ({ origin, headers }, agent) {
  const { outcome, body } = await request(origin, { path: '/connections', headers, agent })
  const count = Number(body.toString())
  return outcome === 'ok' && body.length > 0 && Number.isFinite(count) ? count : null
}

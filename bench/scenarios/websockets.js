// Sends messages over WebSockets by a timetable: to an app that sends each back, and to an app that sends each to all
// connections.
import { repeat, Tally, Timetable } from '../load/scenario-client.js'
import { openWebSocket } from '../load/web-sockets.js'
import { findMoving, RoleCosts } from '../measure/steady.js'

/** @import { PlayContext, PlayMetric, PlayReading, Scenario, Unsteady } from '../types.js' */

/**
 * Messages of one kind.
 * @typedef {object} Part
 * @property {string} name of the group
 * @property {string} messages plural, for figures
 * @property {string} path
 * @property {string} rate option: messages per second that the client sends
 * @property {(connections: number) => number} copies messages that the app sends for each
 */

/** @type {Part[]} */
const PARTS = [
  { name: 'echo', messages: 'echoes', path: '/echo', rate: 'rate', copies: () => 1 },
  { name: 'fan-out', messages: 'deliveries', path: '/fan-out', rate: 'broadcasts', copies: connections => connections }
]
/** Longest wait for the last messages. */
const PATIENCE_MS = 2000
/** Interval of looking whether all messages have arrived. */
const LOOK_MS = 10
/** Part of the warm-up after which the cost of a message is looked at, in seconds. */
const WARM_UP_STEP_SECONDS = 0.1
/** Rate of the messages that the app sends during the warm-up, per second: several times that of the options, because
 * compilers count calls. */
const WARM_UP_RATE = 16_000
/** Bytes of the time at which a message was due, which every message contains. */
const DUE_BYTES = 8

/** @type {Scenario} */
export default {
  options: {
    connections: { type: 'number', default: 100, help: 'WebSockets that are open' },
    rate: { type: 'number', default: 2000, help: 'messages per second over all connections that the app sends back' },
    broadcasts: { type: 'number', default: 20, help: 'messages per second that the app sends to all connections' },
    bytes: { type: 'number', default: 64, help: 'length of a message, at least 8' },
    seconds: { type: 'number', default: 2, help: 'time for each of the two kinds of messages' },
    warmUp: { type: 'number', default: 15, help: 'longest warm-up for each kind of messages, in s; 0: none' }
  },
  needs: ({ connections, seconds, warmUp }) =>
    ({ seconds: 2 * (Number(seconds) + Number(warmUp)) + 20, connections: Number(connections), upgrade: true }),
  async play (context) {
    const timetable = new Timetable()
    const opening = new Tally('open')
    /** @type {Awaited<ReturnType<typeof playPart>>[]} */
    const played = []
    for (const part of PARTS) {
      played.push(await playPart(context, part, { timetable, opening, isCompiled: played.length > 0 }))
    }
    // Without an open WebSocket nothing has a timetable.
    if (timetable.lag.count === 0) timetable.record(0)
    return {
      groups: [opening.toGroup(), ...played.flatMap(({ tally }) => tally ? [tally.toGroup()] : [])],
      figures: played.flatMap(({ figures }) => figures),
      lag: timetable.lag,
      evidence: played.flatMap(({ fault }) => fault ?? []),
      unsteady: played.find(({ unsteady }) => unsteady)?.unsteady
    }
  }
}

/**
 * Opens WebSockets, and sends the messages of one kind over them in turn.
 * @param {PlayContext} context
 * @param {Part} part
 * @param {{ timetable: Timetable, opening: Tally, isCompiled: boolean }} state isCompiled: an earlier part has compiled
 *   most of the app's code
 * @returns {Promise<{ tally?: Tally, figures: PlayMetric[], fault?: string, unsteady?: Unsteady }>}
 */
async function playPart ({ target, options, read, signal }, part, { timetable, opening, isCompiled }) {
  const { headers } = target
  const opened = await repeat(Number(options.connections),
    () => openWebSocket(target, { path: part.path, headers }), signal)
  for (const { outcome, ms } of opened) {
    opening.count(outcome)
    opening.delay('upgrade', ms)
  }
  const failed = opened.find(({ socket }) => !socket)
  const fault = failed && `first WebSocket of ${part.path} that did not open: ${failed.outcome}`
  const sockets = opened.flatMap(({ socket }) => socket ?? [])
  if (sockets.length === 0) return { figures: [], fault }
  const tally = new Tally(part.name)
  const bytes = Math.max(DUE_BYTES, Number(options.bytes))
  let received = 0
  let warmedUp = 0
  let countedFrom = Infinity
  for (const socket of sockets) {
    socket.on('message', (/** @type {Buffer} */ message) => {
      const isWarmUp = countedFrom === Infinity || (message.length === bytes && message.readDoubleLE(0) < countedFrom)
      if (isWarmUp) {
        warmedUp++
        return
      }
      received++
      tally.count(message.length === bytes ? 'ok' : 'altered')
      if (message.length === bytes) tally.delay('message', timetable.now() - message.readDoubleLE(0))
    })
  }
  const perSecond = Number(options[part.rate])
  const order = { timetable, bytes, perSecond }
  const unsteady = await warmUp({
    ...order,
    seconds: WARM_UP_STEP_SECONDS,
    perSecond: WARM_UP_RATE / part.copies(sockets.length),
    wait: ms => timetable.wait(ms, signal)
  }, { sockets, read, getReceived: () => warmedUp, limitSeconds: Number(options.warmUp), isCompiled })
  const before = await read()
  countedFrom = timetable.now()
  const sent = await send(sockets, { ...order, seconds: Number(options.seconds), wait: ms => timetable.at(ms, signal) })
  const expected = sent * part.copies(sockets.length)
  const deadline = timetable.now() + PATIENCE_MS
  const isWaiting = () => received < expected && timetable.now() < deadline
  while (isWaiting()) await timetable.wait(timetable.now() + LOOK_MS, signal)
  const after = await read()
  tally.count('lost', Math.max(0, expected - received))
  for (const socket of sockets) socket.terminate()
  return { tally, figures: toMetrics(part, received, before, after), fault, ...unsteady && { unsteady } }
}

/**
 * Sends messages until the CPU time of a message no longer falls, at the proxy and at the app.
 *
 * @param {Parameters<typeof send>[1]} order of one step
 * @param {{ sockets: any[], read: PlayContext['read'], getReceived: () => number, limitSeconds: number,
 *   isCompiled: boolean }} played
 * @returns {Promise<Unsteady | null>} null: both are warm
 */
async function warmUp (order, { sockets, read, getReceived, limitSeconds, isCompiled }) {
  const roles = [new RoleCosts('server', isCompiled ? 'native' : 'compiled'), new RoleCosts('proxy', 'native')]
  if (limitSeconds === 0) return null
  const startedMs = order.timetable.now()
  while (true) {
    await send(sockets, order)
    const { cpuSeconds } = await read()
    const atSeconds = order.timetable.now() / 1000
    for (const role of roles) {
      const used = cpuSeconds[/** @type {'server' | 'proxy'} */ (role.role)]
      role.add({ atSeconds, requests: getReceived(), cpuSeconds: new Map([[0, used]]) })
    }
    const seconds = atSeconds - startedMs / 1000
    const isLast = seconds >= limitSeconds
    const moving = findMoving(roles, isLast)
    if (!moving) return null
    if (isLast) return { role: moving.role, change: moving.isFalling ? moving.change : null, seconds }
  }
}

/**
 * Sends messages at a constant rate. Each contains the moment at which it was due.
 * @param {any[]} sockets
 * @param {object} order
 * @param {Timetable} order.timetable
 * @param {number} order.bytes length of a message
 * @param {number} order.perSecond
 * @param {number} order.seconds
 * @param {(ms: number) => Promise<unknown>} order.wait waits for a moment of the timetable
 * @returns {Promise<number>} of messages
 */
async function send (sockets, { timetable, bytes, perSecond, seconds, wait }) {
  const count = perSecond * seconds
  const startMs = timetable.now()
  let sent = 0
  while (sent < count) {
    const dueMs = startMs + sent * 1000 / perSecond
    await wait(dueMs)
    const message = Buffer.alloc(bytes)
    message.writeDoubleLE(dueMs)
    sockets[sent % sockets.length].send(message)
    sent++
  }
  return sent
}

/**
 * Returns the messages per second of CPU time: of proxy and app, and of the app alone.
 * @param {Part} part
 * @param {number} received
 * @param {PlayReading} before
 * @param {PlayReading} after
 * @returns {PlayMetric[]}
 */
function toMetrics ({ messages }, received, before, after) {
  const [proxy, app] = /** @type {const} */ (['proxy', 'server'])
    .map(hop => after.cpuSeconds[hop] - before.cpuSeconds[hop])
  if (received === 0 || app <= 0) return []
  const unit = 'per CPU second'
  return [
    { name: messages, value: received / (proxy + app), unit },
    { name: `${messages}, app alone`, value: received / app, unit }
  ]
}

/** Tests the scenario about WebSockets against planted faults, and without any. */
import t from '../support/tap.js'
// @ts-expect-error the package has no types
import { WebSocketServer } from 'ws'
import { Histogram } from '../../bench/load/histogram.js'
import { upgrade } from '../../servers/behaviour.js'
import { behaviourApp, listen, NO_READING, play } from '../support/plays.js'

/** @import { Played } from '../../bench/measure/play.js' */
/** @import { UpgradeListener } from '../../bench/types.js' */

const options = { connections: 5, rate: 200, broadcasts: 20, seconds: 1, warmUp: 0 }
const ECHOES = 200
const DELIVERIES = 20 * 5

/** Returns readings in which the proxy uses one second and the app three seconds of CPU time for each part. */
function makeReadings () {
  let readings = 0
  return async () => {
    const part = readings++ % 2
    return { ...NO_READING, cpuSeconds: { proxy: part, server: 3 * part } }
  }
}

/**
 * Returns an app whose echo is a function of the message.
 * @param {(message: Buffer, send: (message: Buffer) => void) => void} echo
 * @returns {UpgradeListener}
 */
function plant (echo) {
  const sockets = new WebSocketServer({ noServer: true })
  return (req, socket, head) => {
    sockets.handleUpgrade(req, socket, head, (/** @type {any} */ opened) => {
      opened.on('message', (/** @type {Buffer} */ message) =>
        echo(message, (/** @type {Buffer} */ sent) => opened.send(sent)))
    })
  }
}

/**
 * @param {Played} played
 * @param {string} name
 */
const findGroup = ({ groups }, name) => groups.find(group => group.name === name)

t.test('every message arrives in the built-in app, and costs are messages by CPU time', async t => {
  const server = await listen(t, await behaviourApp(t), upgrade)
  const played = await play(t, 'websockets', { server, options, read: makeReadings() })
  t.match(findGroup(played, 'open'), { counts: { ok: 10 }, delays: { upgrade: { count: 10 } } })
  t.match(findGroup(played, 'echo'),
    { requests: ECHOES, counts: { ok: ECHOES }, delays: { message: { count: ECHOES } } })
  t.match(findGroup(played, 'fan-out'), { requests: DELIVERIES, counts: { ok: DELIVERIES } })
  t.strictSame(played.figures?.map(({ name, value }) => [name, value]), [
    ['echoes', ECHOES / 4], ['echoes, app alone', ECHOES / 3],
    ['deliveries', DELIVERIES / 4], ['deliveries, app alone', DELIVERIES / 3]
  ])
  t.strictSame(played.evidence, [])
})

t.test('finds messages that are lost, and those that are altered', async t => {
  let received = 0
  const server = await listen(t, (req, res) => { res.end() }, plant((message, send) => {
    received++
    if (received % 10 === 0) return
    send(received % 10 === 1 ? message.subarray(1) : message)
  }))
  const played = await play(t, 'websockets', { server, options, read: makeReadings() })
  const { altered = 0, ok = 0, lost = 0 } = findGroup(played, 'echo')?.counts ?? {}
  t.equal(altered + ok + lost, ECHOES)
  // Messages to all clients are numbered with the echoes, and may come between any two of them.
  for (const count of [altered, lost]) t.ok(Math.abs(count - ECHOES / 10) <= 2, `${count} of ${ECHOES}`)
  t.ok((findGroup(played, 'fan-out')?.counts.lost ?? 0) >= DELIVERIES * 0.8, 'an app that sends each message once')
})

t.test('finds messages that are late', async t => {
  const server = await listen(t, (req, res) => { res.end() },
    plant((message, send) => { setTimeout(() => send(message), 50) }))
  const played = await play(t, 'websockets', { server, options, read: makeReadings() })
  const delay = findGroup(played, 'echo')?.delays?.message
  // A timer may fire up to 1 ms early, because Node rounds the time at which it starts.
  t.ok(delay && Histogram.of([delay]).milliseconds().p50 >= 49)
})

t.test('counts the status of an app without WebSockets', async t => {
  const server = await listen(t, (req, res) => { res.writeHead(426).end() })
  const { groups, evidence } = await play(t, 'websockets', { server, options, read: makeReadings() })
  t.match(groups, [{ name: 'open', requests: 10, counts: { 'status-426': 10 } }])
  t.equal(groups.length, 1)
  t.match(evidence, [/\/echo that did not open: status-426/, /\/fan-out/])
})

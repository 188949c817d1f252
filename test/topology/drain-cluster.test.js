/** A worker of node:cluster that drains returns connections which it has not accepted to its primary. */
import { existsSync } from 'node:fs'
import { once } from 'node:events'
import net from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t from '../support/tap.js'
import { freePort } from '../../bench/machine/network/ports.js'
import { start, waitUntil } from '../../bench/machine/process.js'

/** @import { Socket } from 'node:net' */
/** @import { LaunchOrder } from '../../bench/topology/types.js' */

const primary = fileURLToPath(new URL('../../bench/topology/launch-cluster.js', import.meta.url))
const LIMIT_MS = 5000
const POLL_MS = 5
/** Returns its PID, and writes a file after the launcher has handled SIGTERM. */
const SERVER = `import { writeFileSync } from 'node:fs'
process.on('SIGTERM', () => writeFileSync(new URL('ending-' + process.pid, import.meta.url), ''))
export default (req, res) => { res.end(String(process.pid)) }
`

/** @param {number} port */
async function connect (port) {
  const socket = net.connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return socket.setTimeout(LIMIT_MS, () => socket.destroy(new Error('no response')))
}

/**
 * @param {Socket} socket
 * @returns {Promise<string>} the response
 */
function send (socket) {
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  return text(socket)
}

t.test('a worker that drains loses no connection that the primary gives to it', async t => {
  const dir = t.testdir({ 'server.mjs': SERVER })
  const port = await freePort(18_300, '127.0.0.1')
  /** @type {LaunchOrder} */
  const order = {
    module: join(dir, 'server.mjs'),
    root: dir,
    listen: { kind: 'tcp', host: '127.0.0.1', port },
    instances: 2,
    control: null,
    backlog: 100,
    drains: true,
    keepAliveSeconds: 60
  }
  const env = { HOPBENCH_LAUNCH: JSON.stringify(order) }
  const cluster = start({ name: 'cluster', argv: [process.execPath, primary], env, log: join(dir, 'cluster.log') })
  t.teardown(() => cluster.stop())
  /** @type {Set<number>} */
  const workers = new Set()
  await waitUntil(cluster, async () => {
    const response = await connect(port).then(send, () => '')
    if (response !== '') workers.add(Number(response.split('\r\n').at(-1)))
    return workers.size === 2
  })
  // The kernel accepts connections while the primary is paused, and a worker begins to end. Then the primary gives the
  // first two connections to both workers.
  process.kill(cluster.pid, 'SIGSTOP')
  const sockets = await Promise.all(Array.from({ length: 4 }, () => connect(port)))
  const [ending] = workers
  process.kill(ending, 'SIGTERM')
  const deadline = performance.now() + LIMIT_MS
  while (!existsSync(join(dir, `ending-${ending}`)) && performance.now() < deadline) await sleep(POLL_MS)
  process.kill(cluster.pid, 'SIGCONT')
  for (const response of await Promise.all(sockets.map(send))) t.match(response, /^HTTP\/1.1 200 OK\r\n/)
})

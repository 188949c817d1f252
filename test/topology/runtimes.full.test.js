/** Servers under real runtimes, fetched from npm: requests and connections are counted as under Node. */
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import t from '../support/tap.js'
import { findRuntime, platformName } from '../../bench/machine/setup/runtime.js'
import { runtimes } from '../../bench/plan/runtimes.js'
import { skipWithout } from '../support/needs.js'
import { staged } from '../support/stage.js'

/**
 * @import { StagedArm } from '../../bench/measure/types.js'
 * @import { ServerCounts } from '../../bench/types.js'
 */

const REQUESTS = 10

/**
 * Sends requests over one persistent connection, or over a connection for each request.
 * @param {StagedArm} arm
 * @param {boolean} keepAlive
 */
async function ask ({ running: { originTarget: { url, socketPath } } }, keepAlive) {
  const agent = new http.Agent({ keepAlive, maxSockets: 1 })
  for (let i = 0; i < REQUESTS; i++) {
    await new Promise((resolve, reject) => http.get(url, { agent, ...socketPath !== null && { socketPath } }, answer =>
      answer.resume().on('end', resolve)).on('error', reject))
  }
  agent.destroy()
}

for (const [name, runtime] of Object.entries(runtimes)) {
  t.test(`${name} counts requests and connections`, {
    skip: runtime.builds[platformName()] ? skipWithout('registry', 'nginx') : 'no build for this platform'
  }, async t => {
    await findRuntime(name, runtime)
    // Express 5 requires Node 18.
    const server = name === 'node-16' ? 'http-json' : 'express-json'
    const arm = await staged(t, `nginx:uds/${server}+runtime=${name}`)
    const counts = async () => /** @type {ServerCounts} */ (await arm.running.origin())
    const { requests, connections } = await counts()
    await ask(arm, true)
    const kept = await counts()
    await ask(arm, false)
    const fresh = await counts()
    t.strictSame([kept.requests - requests, kept.connections - connections], [REQUESTS, 1], 'one connection')
    t.strictSame([fresh.requests - kept.requests, fresh.connections - kept.connections], [REQUESTS, REQUESTS],
      'a connection for each request')
    t.equal(fresh.listening, 'unix')
    t.equal(fresh.non2xx, 0)
  })
}

t.test('confines a server with known vulnerabilities under Node, Bun and Deno', {
  skip: skipWithout('registry', 'namespaces')
}, async t => {
  for (const name of ['node-26', 'bun', 'deno']) {
    const { running } = await staged(t, `node-static+runtime=${name}`, { path: '/page.html' })
    t.equal(running.confinedBy, 'namespace', name)
  }
})

t.test('servers of the project survive clients that disconnect early, under the newest Node', {
  skip: skipWithout('registry', 'nginx')
}, async t => {
  for (const server of ['http-fs', 'http-memory', 'http-json']) {
    const path = server === 'http-json' ? '/' : '/page.html'
    const { running } = await staged(t, `nginx:uds/${server}+runtime=node-26`, { path })
    const { socketPath } = running.originTarget
    for (let i = 0; i < 300; i++) {
      const socket = net.connect({ path: String(socketPath) })
      // Some clients disconnect before the file is open, others while it is sent.
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`, () => setTimeout(() => socket.destroy(), i % 3))
      await once(socket, 'close')
    }
    t.equal(running.failure(), null, server)
  }
})

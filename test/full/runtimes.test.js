/** Real runtimes: what is measured under Node is counted as well under each of them. They are fetched from npm. */
import http from 'node:http'
import t from 'tap'
import { findRuntime, platformName } from '../../bench/machine/setup/runtime.js'
import { runtimes } from '../../bench/plan/runtimes.js'
import { skipWithout } from '../support/needs.js'
import { staged } from '../support/stage.js'

/** @import { StagedArm } from '../../bench/measure/stage.js' @import { ServerCounts } from '../../bench/types.js' */

const REQUESTS = 10

/** Asks over one connection, then over one for each request. @param {StagedArm} arm @param {boolean} keepAlive */
async function ask ({ running: { originTarget: { url, socketPath } } }, keepAlive) {
  const agent = new http.Agent({ keepAlive, maxSockets: 1 })
  for (let i = 0; i < REQUESTS; i++) {
    await new Promise((resolve, reject) => http.get(url, { agent, ...socketPath !== null && { socketPath } }, answer =>
      answer.resume().on('end', resolve)).on('error', reject))
  }
  agent.destroy()
}

for (const [name, runtime] of Object.entries(runtimes)) {
  t.test(name, {
    skip: runtime.builds[platformName()] ? skipWithout('registry', 'nginx') : 'no build for this platform'
  }, async t => {
    await findRuntime(name, runtime)
    // Express 5 needs Node 18.
    const server = name === 'node-16' ? 'http-json' : 'express-json'
    const arm = await staged(t, `nginx:uds/${server}+runtime=${name}`)
    const counts = async () => /** @type {ServerCounts} */ (await arm.running.origin())
    const { requests, connections } = await counts()
    await ask(arm, true)
    const kept = await counts()
    await ask(arm, false)
    const fresh = await counts()
    t.strictSame([kept.requests - requests, kept.connections - connections], [REQUESTS, 1], 'over one connection')
    t.strictSame([fresh.requests - kept.requests, fresh.connections - kept.connections], [REQUESTS, REQUESTS],
      'over a connection each')
    t.equal(fresh.listening, 'unix')
    t.equal(fresh.non2xx, 0)
  })
}

t.test('a server with known vulnerabilities is confined under all of them', {
  skip: skipWithout('registry', 'namespaces')
}, async t => {
  for (const name of ['node-26', 'bun', 'deno']) {
    const { running } = await staged(t, `node-static+runtime=${name}`, { path: '/page.html' })
    t.equal(running.confinedBy, 'namespace', name)
  }
})

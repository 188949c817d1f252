/** Locust with a master and workers on this machine. */
import { createServer } from 'node:http'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import t from '../support/tap.js'
import { localEngines } from '../../bench/load/find-engine.js'
import { enginesWithWorkers } from '../../bench/studies/remote/locust-workers.js'
import { skipWithout } from '../support/needs.js'

/** @import { AddressInfo } from 'node:net' */
/** @import { Test } from 'tap' */

const skip = skipWithout('locust')
const ANSWERS = 100 // Responses to twenty users with five requests per second each, in one second.

/** @param {Test} t */
async function orderFor (t) {
  let answered = 0
  // Stops responding after a second, because Locust does not count responses that are in flight when users leave.
  const server = createServer((_, response) => {
    if (answered === ANSWERS) return
    answered++
    response.end('yes')
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(null)))
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = /** @type {AddressInfo} */ (server.address())
  return {
    answered: () => answered,
    order: {
      name: 'it',
      load: { engine: 'locust', connections: 20, path: '/', headers: {}, spawnPerSecond: 20, perUserPerSecond: 5 },
      target: { url: `http://127.0.0.1:${port}`, socketPath: null, expectBody: null },
      network: { enter: [] },
      cores: null,
      dir: join(t.testdir({}), 'load'),
      // Much longer than the responses take, because the users start late on a busy machine.
      maxSeconds: 12
    }
  }
}

t.test('divides users between workers, and counts every response', { skip }, async t => {
  const { order, answered } = await orderFor(t)
  const here = { name: 'here', engines: localEngines, seenFrom: '127.0.0.1', workers: availableParallelism() }
  const engine = await enginesWithWorkers(localEngines, {
    hosts: [here],
    byHand: 0,
    address: '127.0.0.1',
    print: () => {}
  }).find('locust')
  const generator = await engine.start(order)
  t.teardown(() => generator.kill())
  const { measurement } = await generator.finished(30)
  t.equal(answered(), ANSWERS)
  t.equal(measurement.requests, ANSWERS)
  t.same(measurement.errors, { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 })
})

t.test('prints the command to start a worker, and reports a worker that does not connect', { skip }, async t => {
  const { order } = await orderFor(t)
  /** @type {string[]} */
  const said = []
  const engine = await enginesWithWorkers(localEngines, {
    hosts: [],
    byHand: 1,
    address: '127.0.0.1',
    print: text => said.push(text),
    waitSeconds: 1
  }).find('locust')
  await t.rejects(engine.start(order), {
    code: 'no-workers',
    message: /did not all connect to its master within 1 s/
  })
  t.match(said.join(''),
    /Start a worker now.*\n {4}locust -f - --worker --master-host 127\.0\.0\.1 --master-port \d+/)
})

t.test('rejects an engine without workers', async t => {
  await t.rejects(
    enginesWithWorkers(localEngines, { hosts: [], byHand: 1, address: '127.0.0.1', print: () => {} }).find(
      'autocannon'
    ),
    { code: 'engine-cannot' }
  )
})

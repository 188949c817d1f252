import t from '../support/tap.js'
import { findPool, sampleBetween, subtract } from '../../bench/measure/sample.js'
import { parse } from '../../bench/plan/spec.js'
import { isErrorStatus } from '../../bench/shared/trial.js'
import { errors, reading, seen } from '../support/readings.js'
import { makeArm } from '../support/record.js'

/** @import { Reading, Seen } from '../../bench/measure/types.js' */

/** @param {number} status */
const noted = status => ({ atSeconds: 0, status, cache: null })
/** @type {import('../../bench/types.js').ServerCounts} */
const counts = {
  atSeconds: 0, requests: 0, connections: 0, non2xx: 0, listening: 'unix', pids: [], lost: 0, workers: []
}
/**
 * @param {number} requests
 * @param {number} non2xx
 * @returns {NonNullable<Seen['report']>}
 */
const report = (requests, non2xx) => ({
  measurement: { requests, errors: { ...errors, non2xx }, bytes: 9000, seconds: 2, latencyMs: null },
  sampled: 3,
  seconds: 2,
  cpuSeconds: 0.7
})

t.test('treats every status except 2xx and 304 as an error', async t => {
  for (const status of [200, 204, 299, 304]) t.notOk(isErrorStatus(status), String(status))
  for (const status of [101, 199, 300, 301, 302, 400, 404, 499, 500, 503]) t.ok(isErrorStatus(status), String(status))
})

t.test('a pool may open at most one connection per client', async t => {
  const arm = (/** @type {string} */ spec) => ({ ...makeArm(), topology: parse(spec), twinOf: null })
  const after = (/** @type {number} */ connections) =>
    reading(0, 0, { origin: { ...counts, requests: 500, connections } })
  const clients = makeArm().load.connections
  const pooled = arm('nginx:uds-keepalive/http-json')
  t.equal(findPool(pooled), clients, 'no connection is open')
  t.equal(findPool(pooled, after(clients - 10)), 10)
  t.equal(findPool(pooled, after(500)), 0, 'every request has opened a connection')
  t.equal(findPool(arm('nginx:uds/http-json')), 0)
  t.equal(findPool(arm('http-json')), 0)
  const first = after(clients - 10)
  const last = reading(200, 1, { origin: { ...counts, requests: 600, connections: clients } })
  const { proof } = sampleBetween(first, last, { ...seen, pool: findPool(pooled, first) })
  t.equal(proof.upstreamConnectionsPerRequest, 0)
  const reopened = (/** @type {number} */ requests, /** @type {number} */ connections) =>
    sampleBetween(reading(0, 0, { origin: { ...counts, requests: 0, connections: 0 } }),
      reading(200, 1, { origin: { ...counts, requests, connections } }),
      { ...seen, pool: clients, reopens: true }).proof.upstreamConnectionsPerRequest
  t.equal(reopened(2 * clients, 2 * clients), null, 'too few requests for a proof')
  t.equal(reopened(10 * clients, clients), 0)
  t.equal(reopened(10 * clients, 10 * clients), 0.9, 'a connection for each request')
})

t.test('computes the differences between two readings without requests in flight', async t => {
  t.match(subtract(reading(100, 10), reading(400, 12)), {
    front: { requests: 300, connections: 0, seconds: 2 },
    origin: null,
    cpuSeconds: { load: 0, proxy: 1, server: 0.5 },
    linkBytes: null,
    non2xx: 0
  })
  t.equal(subtract(reading(0, 0, { front: null }), reading(400, 12)).front, null, 'no free connection for the counters')
})

t.test('scales CPU time to the clock that counted the requests', async t => {
  const load = (/** @type {number} */ at) => ({ seconds: at / 10, atSeconds: at, alive: true })
  const first = reading(0, 10, { atSeconds: 50, load: load(70) })
  const last = reading(100, 12, { atSeconds: 54, load: load(71) })
  t.match(subtract(first, last).cpuSeconds, { proxy: 0.5, server: 0.25 }, '4 s of the suite were 2 s of the front')
  t.ok(Math.abs(subtract(first, last).cpuSeconds.load - 0.2) < 1e-9, 'and 1 s of the load machine')
})

t.test('subtracts error responses from requests, with any source of counts', async t => {
  const proxied = sampleBetween(reading(0, 0), reading(1000, 2, { noted: [noted(502), noted(200), noted(304)] }), seen)
  t.match(proxied, { requests: 999, seconds: 2, rps: 499.5 }, 'from the log of the front')
  const direct = (/** @type {number} */ non2xx, /** @type {number} */ requests, /** @type {number} */ at) =>
    reading(requests, at, { front: { atSeconds: at, requests, connections: 0, non2xx } })
  t.match(sampleBetween(direct(5, 0, 0), direct(25, 1000, 2), seen), { requests: 980 },
    'from the counters of the server')
  const reported = { ...seen, errors: { ...errors, non2xx: 100 }, report: report(1100, 100) }
  t.match(sampleBetween(reading(0, 0), reading(9999, 2), reported),
    { requests: 1000, rps: 500, cpuSeconds: { load: 0.7 } }, 'from the report of the generator')
  t.match(sampleBetween(reading(0, 0), reading(9999, 2), { ...reported, unit: 'bytes' }), { requests: 9000 })
  t.equal(sampleBetween(reading(0, 0), reading(1, 2, { noted: [noted(500), noted(500)] }), seen).requests, 0,
    'never negative')
})

t.test('computes the proof from counts without requests in flight', async t => {
  const origin = (/** @type {number} */ n) =>
    (/** @type {any} */ ({ requests: n, connections: n, lost: 0, listening: 'unix' }))
  /** @type {[Reading, Reading]} */
  const atRest = [reading(0, 0, { origin: origin(0) }), reading(1000, 3, {
    origin: origin(100), noted: [{ atSeconds: 0, status: 200, cache: 'EXPIRED' }]
  })]
  t.match(sampleBetween(reading(100, 1), reading(900, 2), { ...seen, atRest }).proof, {
    upstreamConnectionsPerRequest: 1,
    cacheHitRatio: 0.9,
    cacheExpiries: 1,
    clientConnectionsPerRequest: 0,
    socketType: 'unix'
  })
  const { proof, originRequests } = sampleBetween(...atRest, { ...seen, report: report(997, 0), pool: 60 })
  t.equal(proof.upstreamConnectionsPerRequest, 0.4, 'connections within the pool are subtracted')
  t.equal(proof.clientConnectionsPerRequest, undefined, 'unknown for connections of an engine')
  t.equal(originRequests, 100)
})

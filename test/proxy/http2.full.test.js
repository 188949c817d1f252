/** HTTP/2 of nginx and Node with real engines: the result of ALPN, and many requests on each connection. */
import t from '../support/tap.js'
import { findEngine } from '../../bench/load/find-engine.js'
import { fetchResponses } from '../../bench/measure/gate/gate.js'
import { passTlsGate } from '../../bench/measure/gate/pass.js'
import { skipWithoutProgram } from '../support/needs.js'
import { staged, startOn } from '../support/stage.js'

const SECONDS = 1
const GRACE_SECONDS = 20
const [CONNECTIONS, STREAMS] = [4, 5]

const words = {
  nginx: 'nginx+tls=ecdsa-p256+http2/files',
  'nginx before an app': 'nginx:uds-keepalive+tls=ecdsa-p256+http2/http-json',
  Node: 'http-json+tls=ecdsa-p256+http2',
  'Node, in workers': 'http-json@cluster:2+tls=ecdsa-p256+http2'
}
const pathOf = (/** @type {string} */ spec) => spec.endsWith('files') ? '/1kb.json' : '/'

for (const [name, spec] of Object.entries(words)) {
  t.test(`${name} negotiates HTTP/2 and passes the gate`, async t => {
    const arm = await staged(t, spec, { path: pathOf(spec), connections: CONNECTIONS })
    t.equal(arm.running.target.http2, true)
    t.equal(await passTlsGate(arm), null, 'ALPN ends with HTTP/2')
    const topology = structuredClone(arm.arm.topology)
    Object.assign(/** @type {{ options: {} }} */ (topology.proxy ?? topology.server).options, { http2: false })
    t.equal(await passTlsGate({ ...arm, arm: { ...arm.arm, topology } }),
      'of HTTP/2 and HTTP/1.1 it chooses HTTP/2 (ALPN h2)', 'refused for an arm without HTTP/2')
    const older = await fetchResponses({
      target: { ...arm.running.target, http2: false }, load: arm.arm.load, network: arm.network, times: 4
    })
    t.strictSame(older.failures, [], 'HTTP/1.1 works, too')
    t.match(older.answers, [{ times: 4, answer: { status: 200 } }])

    for (const engine of ['h2load', 'oha']) {
      const skip = skipWithoutProgram(engine, engine === 'h2load' ? ['nghttp2-client'] : [])
      t.test(`${engine}: a few connections carry all requests`, { skip }, async t => {
        const before = await arm.running.front()
        const load = { ...arm.arm.load, engine, streams: STREAMS }
        const generator = startOn(await findEngine(engine), arm, { load, dir: engine, maxSeconds: SECONDS })
        t.teardown(() => generator.kill())
        const { measurement: { requests, errors } } = await generator.finished(GRACE_SECONDS)
        const after = await arm.running.front()
        const connections = Number(after.connections) - Number(before.connections)
        const served = after.requests - before.requests
        t.same(errors, { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 })
        t.ok(requests > 0 && served >= requests, `${requests} of ${served} requests`)
        // Two more: one that tries the address, and one of the sampler.
        t.ok(connections >= CONNECTIONS && connections <= CONNECTIONS + 2, `${connections} connections`)
      })
    }
  })
}

t.test('h2load sends no request to a hop that only speaks HTTP/1.1', async t => {
  const arm = await staged(t, 'nginx+tls=ecdsa-p256/files', { path: '/1kb.json', connections: CONNECTIONS })
  const generator = startOn(await findEngine('h2load'), arm, {
    load: { ...arm.arm.load, engine: 'h2load' }, target: { ...arm.target, http2: true }, maxSeconds: SECONDS
  })
  t.teardown(() => generator.kill())
  const before = (await arm.running.front()).requests
  await generator.finished(GRACE_SECONDS).catch(() => {})
  t.equal((await arm.running.front()).requests, before, 'no request was served')
})

t.test('a confined server can read its certificate', async t => {
  const arm = await staged(t, 'node-static+tls=ecdsa-p256+http2', { path: '/1kb.json' })
  t.equal(await passTlsGate(arm), null)
  t.not(arm.running.confinedBy, 'nothing')
})

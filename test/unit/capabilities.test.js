import t from '../support/tap.js'
import { getTargetFacts, findRefusal, refuseImpossible } from '../../bench/load/capabilities.js'
import { loadPlugin } from '../../bench/plan/plugins.js'
import { parse } from '../../bench/plan/spec.js'
import { planFrom } from '../../bench/request/request.js'
import { protocols } from '../support/samples.js'

/** @import { Facts } from '../../bench/load/capabilities.js' */
/** @import { Load } from '../../bench/types.js' */

const load = { engine: '', connections: 10, path: '/', headers: {} }
const plain = { unix: false, tls: false, sessions: false, http2: false }
const https = { ...plain, tls: true }

/**
 * @param {string} name
 * @param {{ load?: Partial<Load>, facts?: Facts, protocol?: string }} [options]
 */
async function cannot (name, { load: more = {}, facts = plain, protocol = 'slices' } = {}) {
  const { default: { about } } = await loadPlugin('engine', name)
  return findRefusal(about, { load: { ...load, ...more }, facts, protocol: protocols[protocol] })
}

t.test('every engine except s-time loads a plain target over persistent connections', async t => {
  for (const name of ['autocannon', 'wrk', 'h2load', 'ab', 'oha']) t.equal(await cannot(name), null, name)
  t.equal(await cannot('s-time'), 'speak HTTP without TLS')
  t.equal(await cannot('s-time', { facts: https }), 'keep its connections open')
})

t.test('rejects a Unix socket with engines that only use TCP', async t => {
  const facts = { ...plain, unix: true }
  for (const name of ['autocannon', 'h2load', 'oha']) t.equal(await cannot(name, { facts }), null, name)
  for (const name of ['wrk', 'ab']) t.equal(await cannot(name, { facts }), 'connect to a Unix socket', name)
})

t.test('rejects a new connection per request with engines that cannot close connections', async t => {
  for (const name of ['wrk', 'ab', 'oha']) t.equal(await cannot(name, { load: { fresh: true } }), null, name)
  for (const name of ['autocannon', 'h2load']) {
    t.equal(await cannot(name, { load: { fresh: true } }), 'open a new connection for every request', name)
  }
})

t.test('rejects engines that cannot resume TLS sessions, or cannot avoid resuming them', async t => {
  const full = { load: { fresh: true, resume: false }, facts: https }
  const open = { load: { fresh: true }, facts: { ...https, sessions: true } }
  const resumed = { load: { fresh: true, resume: true }, facts: { ...https, sessions: true } }
  for (const name of ['wrk', 'ab', 'oha', 's-time']) {
    t.equal(await cannot(name, full), null, `${name} against a server that resumes nothing`)
  }
  for (const name of ['wrk', 'oha']) t.equal(await cannot(name, open), 'keep from resuming TLS sessions', name)
  for (const name of ['ab', 's-time']) t.equal(await cannot(name, open), null, name)
  t.equal(await cannot('ab', resumed), 'resume a TLS session')
  for (const name of ['wrk', 'oha', 's-time']) t.equal(await cannot(name, resumed), null, name)
  t.equal(await cannot('h2load', { facts: { ...https, sessions: true } }), null,
    'a persistent connection has one handshake')
})

t.test('rejects HTTP/2 and concurrent streams where an engine or a connection does not support them', async t => {
  const facts = { ...https, http2: true }
  for (const name of ['h2load', 'oha']) {
    t.equal(await cannot(name, { facts }), null, name)
    t.equal(await cannot(name, { facts, load: { streams: 10 } }), null, name)
    t.equal(await cannot(name, { facts: https, load: { streams: 1 } }), null, name)
    t.equal(await cannot(name, { facts: https, load: { streams: 10 } }),
      'have several requests in flight on a connection of HTTP/1.1', name)
  }
  t.equal(await cannot('oha', { facts, load: { streams: 2, fresh: true } }),
    'have several requests in flight on a connection that is for one')
  for (const name of ['autocannon', 'wrk', 'ab']) t.equal(await cannot(name, { facts }), 'speak HTTP/2', name)
  t.equal(await cannot('s-time', { facts, load: { fresh: true } }), 'speak HTTP/2')
  t.equal(await cannot('paced', { facts, load: { rate: 100 }, protocol: 'series' }), 'speak HTTP/2')
  t.equal(await cannot('locust', { facts, load: { spawnPerSecond: 1 }, protocol: 'series' }), 'speak HTTP/2')
})

t.test('rejects unsupported lists of paths, headers and numbers of connections', async t => {
  t.equal(await cannot('ab', { load: { paths: ['/a', '/b'] } }), 'go through a list of paths')
  for (const name of ['autocannon', 'wrk', 'h2load', 'oha']) {
    t.equal(await cannot(name, { load: { paths: ['/a', '/b'] } }), null, name)
  }
  const page = { requests: [{ path: '/a', headers: { Accept: 'text/html' } }, { path: '/b' }], sequence: [0, 1, 1] }
  t.equal(await cannot('ab', { load: page }), 'go through a list of paths')
  for (const name of ['autocannon', 'wrk']) t.equal(await cannot(name, { load: page }), null, name)
  t.equal(await cannot('paced', { load: { ...page, rate: 100 }, protocol: 'series' }), null)
  for (const name of ['h2load', 'oha']) {
    t.match(await cannot(name, { load: page }), /^send a list of requests with headers of their own \(--header/)
    const post = { requests: [{ path: '/a', method: 'POST' }], sequence: [0] }
    t.equal(await cannot(name, { load: post }), 'send a list of requests with methods of their own')
  }
  t.equal(await cannot('s-time', { load: { fresh: true, headers: { A: 'b' } }, facts: https }),
    'send headers of the load')
  t.equal(await cannot('s-time', { load: { fresh: true, connections: 17 }, facts: https }),
    'make load on more than 16 connections at once')
})

t.test('makes users that wait between requests only with Locust, and never in slices', async t => {
  const users = { spawnPerSecond: 100, perUserPerSecond: 1 }
  for (const protocol of /** @type {const} */ (['window', 'ladder', 'series'])) {
    t.equal(await cannot('locust', { load: users, protocol }), null, protocol)
    t.equal(await cannot('locust', { load: { perUserPerSecond: 2 }, protocol }), null, protocol)
  }
  t.equal(await cannot('locust', { load: users }), 'be paused while its users wait')
  t.equal(await cannot('locust', { load: { ...users, rate: 100 }, protocol: 'series' }),
    'make users at a rate that does not depend on them')
  t.equal(await cannot('locust', { load: { ...users, fresh: true }, protocol: 'series' }),
    'open a new connection for every request')
  t.equal(await cannot('locust', { load: { ...users, paths: ['/a', '/b'] }, protocol: 'series' }),
    'go through a list of paths')
  t.equal(await cannot('locust', { load: users, facts: { ...plain, unix: true }, protocol: 'series' }),
    'connect to a Unix socket')
  for (const protocol of /** @type {const} */ (['gang', 'slices', 'window'])) {
    t.equal(await cannot('locust', { protocol }), 'load without users that wait between their requests', protocol)
  }
  for (const name of ['autocannon', 'wrk', 'h2load', 'ab', 'oha', 'paced', 's-time']) {
    t.equal(await cannot(name, { load: { spawnPerSecond: 1 }, protocol: 'series' }),
      'make users that wait between their requests', name)
    t.equal(await cannot(name, { load: { perUserPerSecond: 1 }, protocol: 'series' }),
      'make users that wait between their requests', name)
  }
})

t.test('rejects a body that takes several writes where writes are the count of requests', async t => {
  const facts = { ...plain, uncounted: true }
  const bodyOf = (/** @type {number} */ bytes) =>
    ({ method: 'POST', body: { base64: null, bytes, sha256: 'f'.repeat(64) } })
  for (const name of ['wrk', 'ab', 'h2load']) {
    t.equal(await cannot(name, { load: bodyOf(8000), facts }), null, name)
    t.match(await cannot(name, { load: bodyOf(5_000_000), facts }), /^have requests .* counted/, name)
    t.equal(await cannot(name, { load: bodyOf(5_000_000) }), null, `${name} behind a proxy, which counts`)
  }
  t.equal(await cannot('autocannon', { load: bodyOf(5_000_000), facts }), null)
})

t.test('rejects timeouts in slices and with engines that do not count late responses', async t => {
  for (const name of ['autocannon', 'wrk', 'oha']) {
    t.equal(await cannot(name, { load: { timeoutSeconds: 2 }, protocol: 'window' }), null, name)
    t.equal(await cannot(name, { load: { timeoutSeconds: 2 } }),
      'distinguish a late response from the pause between two slices', name)
  }
  for (const name of ['ab', 'h2load']) {
    t.equal(await cannot(name, { load: { timeoutSeconds: 2 }, protocol: 'window' }),
      'count responses that are too late', name)
  }
})

t.test('rejects a window with an engine that does not report its measured time', async t => {
  for (const protocol of /** @type {const} */ (['window', 'ladder', 'series'])) {
    t.equal(await cannot('s-time', { load: { fresh: true }, facts: https, protocol }),
      'report for how long it has counted', protocol)
    t.equal(await cannot('ab', { protocol }), null, protocol)
  }
})

t.test('reads TLS, HTTP/2 and sessions of the front from the topology', async t => {
  t.same(getTargetFacts(parse('nginx:uds/express-json')), plain, 'the front listens on TCP with every transport')
  t.same(getTargetFacts(parse('express-json')), plain)
  t.same(getTargetFacts(parse('nginx+tls=rsa2048/files')), https)
  t.same(getTargetFacts(parse('nginx+tls=off/files')), plain)
  t.same(getTargetFacts(parse('nginx+tls=ecdsa-p256+tls_session/files')), { ...https, sessions: true })
  t.same(getTargetFacts(parse('st+tls=ecdsa-p256+http2')), { ...https, http2: true }, 'a server may be the front')
  t.same(getTargetFacts(parse('nginx:uds/st+tls=ecdsa-p256')), plain, 'the load does not reach the server behind')
})

t.test('names the engine, the arm and the missing capability in the error', async t => {
  const { default: ab } = await loadPlugin('engine', 'ab')
  const arm = { name: 'it', spec: 'express-json', topology: parse('express-json'), load, twinOf: null }
  const target = { url: 'http://localhost', socketPath: '/run/x.sock', expectBody: null }
  t.doesNotThrow(() => refuseImpossible(ab, arm, protocols.slices))
  t.throws(() => refuseImpossible(ab, arm, protocols.slices, target), {
    code: 'engine-cannot',
    exit: 2,
    message: 'ab cannot connect to a Unix socket, which it requires.'
  })
})

t.test('rejects a run with an unsuitable engine before anything starts', async t => {
  const options = { lab: true }
  await t.rejects(planFrom(['connections'], { ...options, engine: 'h2load' }), {
    code: 'engine-cannot',
    exit: 2,
    message: /h2load cannot open a new connection for every request/
  })
  await t.rejects(planFrom(['tls-handshakes'], { ...options, engine: 'ab' }), {
    code: 'engine-cannot',
    message: /ab cannot resume a TLS session/
  })
  await t.rejects(planFrom(['users'], { ...options, engine: 'wrk' }), {
    code: 'engine-cannot',
    message: /wrk cannot make users that wait between their requests/
  })
  await t.rejects(planFrom(['http-json'], { ...options, engine: 'locust' }), {
    code: 'engine-cannot',
    message: /Locust cannot load without users that wait between their requests/
  })
  await t.rejects(planFrom(['http-json'], { ...options, engine: 's-time' }), {
    code: 'engine-cannot',
    message: /openssl s_time cannot speak HTTP without TLS/
  })
  await t.resolves(planFrom(['http-json'], { ...options, engine: 'ab' }))
})

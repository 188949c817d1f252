import t from 'tap'
import { factsOf, refusal, refuseImpossible } from '../../bench/load/capabilities.js'
import { loadPlugin } from '../../bench/plugins.js'
import { parse } from '../../bench/plan/word.js'
import { planFrom } from '../../bench/studies/request.js'
import { protocols } from '../support/samples.js'

/** @import { Facts } from '../../bench/load/capabilities.js' */
/** @import { Load } from '../../bench/types.js' */

const load = { engine: '', connections: 10, path: '/', headers: {} }
const plain = { unix: false, tls: false, sessions: false, http2: false }
const https = { ...plain, tls: true }

/**
 * @param {string} name
 * @param {{ load?: Partial<Load>, facts?: Facts, protocol?: string }} [asked]
 */
async function cannot (name, { load: more = {}, facts = plain, protocol = 'slices' } = {}) {
  const { default: { about } } = await loadPlugin('engine', name)
  return refusal(about, { load: { ...load, ...more }, facts, protocol: protocols[protocol] })
}

t.test('every engine but the one for handshakes loads a plain target with kept connections', async t => {
  for (const name of ['autocannon', 'wrk', 'h2load', 'ab', 'oha']) t.equal(await cannot(name), null, name)
  t.equal(await cannot('s-time'), 'speak HTTP without TLS')
  t.equal(await cannot('s-time', { facts: https }), 'keep its connections open')
})

t.test('a Unix socket', async t => {
  const facts = { ...plain, unix: true }
  for (const name of ['autocannon', 'h2load', 'oha']) t.equal(await cannot(name, { facts }), null, name)
  for (const name of ['wrk', 'ab']) t.equal(await cannot(name, { facts }), 'connect to a Unix socket', name)
})

t.test('a new connection for every request', async t => {
  for (const name of ['wrk', 'ab', 'oha']) t.equal(await cannot(name, { load: { fresh: true } }), null, name)
  for (const name of ['autocannon', 'h2load']) {
    t.equal(await cannot(name, { load: { fresh: true } }), 'open a new connection for every request', name)
  }
})

t.test('TLS sessions that are to be resumed, or not', async t => {
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
  t.equal(await cannot('h2load', { facts: { ...https, sessions: true } }), null, 'kept connections shake hands once')
})

t.test('HTTP/2, and several requests at once on a connection', async t => {
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

t.test('paths, headers and the number of connections', async t => {
  t.equal(await cannot('ab', { load: { paths: ['/a', '/b'] } }), 'go through a list of paths')
  t.equal(await cannot('oha', { load: { paths: ['/a', '/b'] } }), 'go through a list of paths')
  t.equal(await cannot('h2load', { load: { paths: ['/a', '/b'] } }), null)
  t.equal(await cannot('s-time', { load: { fresh: true, headers: { A: 'b' } }, facts: https }),
    'send headers of the load')
  t.equal(await cannot('s-time', { load: { fresh: true, connections: 17 }, facts: https }),
    'make load on more than 16 connections at once')
})

t.test('users that wait between their requests', async t => {
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

t.test('timeouts: never in slices, and not with every engine', async t => {
  for (const name of ['autocannon', 'wrk', 'oha']) {
    t.equal(await cannot(name, { load: { timeoutSeconds: 2 }, protocol: 'window' }), null, name)
    t.equal(await cannot(name, { load: { timeoutSeconds: 2 } }),
      'distinguish a late answer from the pause between two slices', name)
  }
  for (const name of ['ab', 'h2load']) {
    t.equal(await cannot(name, { load: { timeoutSeconds: 2 }, protocol: 'window' }),
      'count answers that come too late', name)
  }
})

t.test('a window needs an engine that says for how long it has counted', async t => {
  for (const protocol of /** @type {const} */ (['window', 'ladder', 'series'])) {
    t.equal(await cannot('s-time', { load: { fresh: true }, facts: https, protocol }),
      'report for how long it has counted', protocol)
    t.equal(await cannot('ab', { protocol }), null, protocol)
  }
})

t.test('what the load meets is read from the topology', async t => {
  t.same(factsOf(parse('nginx:uds/express-json')), plain, 'the front listens on TCP whatever is behind it')
  t.same(factsOf(parse('express-json')), plain)
  t.same(factsOf(parse('nginx+tls=rsa2048/files')), https)
  t.same(factsOf(parse('nginx+tls=off/files')), plain)
  t.same(factsOf(parse('nginx+tls=ecdsa-p256+tls_session/files')), { ...https, sessions: true })
  t.same(factsOf(parse('st+tls=ecdsa-p256+http2')), { ...https, http2: true }, 'a server may be the front')
  t.same(factsOf(parse('nginx:uds/st+tls=ecdsa-p256')), plain, 'what is behind the front is not met')
})

t.test('it is refused with the engine, the arm and what it asks for', async t => {
  const { default: ab } = await loadPlugin('engine', 'ab')
  const arm = { name: 'it', word: 'express-json', topology: parse('express-json'), load, twinOf: null }
  const target = { url: 'http://localhost', socketPath: '/run/x.sock', expectBody: null }
  t.doesNotThrow(() => refuseImpossible(ab, arm, protocols.slices))
  t.throws(() => refuseImpossible(ab, arm, protocols.slices, target), {
    code: 'engine-cannot',
    exit: 2,
    message: 'ab cannot connect to a Unix socket, which it requires.'
  })
})

t.test('a run is refused before anything starts', async t => {
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

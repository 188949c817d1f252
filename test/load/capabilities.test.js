import t from '../support/tap.js'
import { getTargetFacts, findRefusal, rejectImpossible } from '../../bench/load/capabilities.js'
import { loadPlugin } from '../../bench/plan/plugins.js'
import { parse } from '../../bench/plan/spec.js'
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

const EVERY_ENGINE = 'autocannon wrk h2load ab oha paced s-time'
const FRESH = { fresh: true }
const UNIX = { ...plain, unix: true }
const HTTP2 = { ...https, http2: true }
const SESSIONS = { ...https, sessions: true }
const UNCOUNTED = { ...plain, uncounted: true }
const NAMED = { ...https, named: true }
const PATHS = { paths: ['/a', '/b'] }
const PAGE = { requests: [{ path: '/a', headers: { Accept: 'text/html' } }, { path: '/b' }], sequence: [0, 1, 1] }
const POSTS = { requests: [{ path: '/a', method: 'POST' }], sequence: [0] }
const LATE = { timeoutSeconds: 2 }
const USERS = { spawnPerSecond: 100, perUserPerSecond: 1 }
const NO_USERS = 'load without users that wait between their requests'
const OWN_HEADERS =
  'send a list of requests with headers of their own (--header \'Accept: */*\' makes them equal)'

/** @param {number} bytes */
const bodyOf = bytes => ({ method: 'POST', body: { base64: null, bytes } })

/**
 * Engines, what they cannot do (null: they can make the load), the load, facts of the target and protocols.
 *
 * @type {[string, string | null, object?, Facts?, string?][]}
 */
const CASES = [
  ['autocannon wrk h2load ab oha', null],
  ['s-time', 'speak HTTP without TLS'],
  ['s-time', 'keep its connections open', {}, https],
  ['autocannon h2load oha', null, {}, UNIX],
  ['autocannon h2load', null, {}, NAMED],
  ['wrk ab oha s-time', 'connect to the checked address of a URL with https', {}, NAMED],
  ['wrk ab', 'connect to a Unix socket', {}, UNIX],
  ['wrk ab oha', null, FRESH],
  ['autocannon h2load', 'open a new connection for every request', FRESH],
  // TLS sessions
  ['wrk ab oha s-time', null, { fresh: true, resume: false }, https],
  ['wrk oha', 'keep from resuming TLS sessions', FRESH, SESSIONS],
  ['ab s-time', null, FRESH, SESSIONS],
  ['ab', 'resume a TLS session', { fresh: true, resume: true }, SESSIONS],
  ['wrk oha s-time', null, { fresh: true, resume: true }, SESSIONS],
  ['h2load', null, {}, SESSIONS], // A persistent connection has one handshake.
  // HTTP/2 and concurrent streams
  ['h2load oha', null, {}, HTTP2],
  ['h2load oha', null, { streams: 10 }, HTTP2],
  ['h2load oha', null, { streams: 1 }, https],
  ['h2load oha', 'have several requests in flight on a connection of HTTP/1.1', { streams: 10 }, https],
  ['oha', 'have several requests in flight on a connection that is for one', { streams: 2, fresh: true }, HTTP2],
  ['autocannon wrk ab', 'speak HTTP/2', {}, HTTP2],
  ['s-time', 'speak HTTP/2', FRESH, HTTP2],
  ['paced', 'speak HTTP/2', { rate: 100 }, HTTP2, 'series'],
  ['locust', 'speak HTTP/2', { spawnPerSecond: 1 }, HTTP2, 'series'],
  // lists of paths, headers and numbers of connections
  ['ab', 'go through a list of paths', PATHS],
  ['autocannon wrk h2load oha', null, PATHS],
  ['ab', 'go through a list of paths', PAGE],
  ['autocannon wrk', null, PAGE],
  ['paced', null, { ...PAGE, rate: 100 }, plain, 'series'],
  ['h2load oha', OWN_HEADERS, PAGE],
  ['h2load oha', 'send a list of requests with methods of their own', POSTS],
  ['s-time', 'send headers of the load', { fresh: true, headers: { A: 'b' } }, https],
  ['s-time', 'make load on more than 16 connections at once', { fresh: true, connections: 17 }, https],
  // users that wait between their requests
  ['locust', null, USERS, plain, 'window ladder series'],
  ['locust', null, { perUserPerSecond: 2 }, plain, 'window ladder series'],
  ['locust', 'be paused while its users wait', USERS],
  ['locust', 'make users at a rate that does not depend on them', { ...USERS, rate: 100 }, plain, 'series'],
  ['locust', 'open a new connection for every request', { ...USERS, fresh: true }, plain, 'series'],
  ['locust', 'go through a list of paths', { ...USERS, ...PATHS }, plain, 'series'],
  ['locust', 'connect to a Unix socket', USERS, UNIX, 'series'],
  ['locust', NO_USERS, {}, plain, 'gang slices window'],
  [EVERY_ENGINE, 'make users that wait between their requests', { spawnPerSecond: 1 }, plain, 'series'],
  [EVERY_ENGINE, 'make users that wait between their requests', { perUserPerSecond: 1 }, plain, 'series'],
  // a body that takes several writes, where writes are the count of requests
  ['wrk ab h2load', null, bodyOf(8000), UNCOUNTED],
  ['wrk ab h2load', null, bodyOf(5_000_000)], // A proxy in front counts the requests.
  ['autocannon', null, bodyOf(5_000_000), UNCOUNTED],
  // late responses
  ['autocannon wrk oha', null, LATE, plain, 'window'],
  ['autocannon wrk oha', 'distinguish a late response from the pause between two slices', LATE],
  ['ab h2load', 'count responses that are too late', LATE, plain, 'window'],
  // the measured time
  ['s-time', 'report for how long it has counted', FRESH, https, 'window ladder series'],
  ['ab', null, {}, plain, 'window ladder series']
]

t.test('finds what an engine cannot do for a load, a target and a protocol', async t => {
  for (const [engines, rejection, load, facts, protocols = 'slices'] of CASES) {
    for (const name of engines.split(' ')) {
      for (const protocol of protocols.split(' ')) {
        t.equal(await cannot(name, { load, facts, protocol }), rejection, JSON.stringify([name, load, facts, protocol]))
      }
    }
  }
  for (const name of ['wrk', 'ab', 'h2load']) {
    t.match(await cannot(name, { load: bodyOf(5_000_000), facts: UNCOUNTED }), /^have requests .* counted/, name)
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
  t.doesNotThrow(() => rejectImpossible(ab, arm, protocols.slices))
  t.throws(() => rejectImpossible(ab, arm, protocols.slices, target), {
    code: 'engine-cannot',
    exit: 2,
    message: 'ab cannot connect to a Unix socket, which it requires.'
  })
})

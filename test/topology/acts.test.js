import { once } from 'node:events'
import t from '../support/tap.js'
import { createArm } from '../../bench/plan/plan.js'
import { parse } from '../../bench/plan/spec.js'
import { checkScenario } from '../../bench/request/scenario-plan.js'
import { request } from '../../bench/load/scenario-client.js'
import { endListener, listenerFor, toDrain } from '../../bench/topology/listener.js'
import { listening } from '../support/listening.js'

/** @import { Test } from 'tap' */

/**
 * @param {string} spec
 * @param {string} act
 */
const check = (spec, act) => checkScenario(createArm(parse(spec), { scenario: { name: 'reload', options: { act } } }))

t.test('accepts an action that the topology has', async t => {
  for (const proxy of ['nginx:keepalive', 'apache:keepalive', 'haproxy:keepalive+master', 'caddy:keepalive+admin']) {
    await t.resolves(check(`${proxy}/behaviour`, 'reload-proxy'), proxy)
  }
  for (const server of ['behaviour', 'behaviour@cluster:2', 'behaviour@pm2:2']) {
    await t.resolves(check(server, 'restart-app'), server)
    await t.resolves(check(server, 'kill-app'), server)
  }
})

t.test('rejects a reload without a proxy, and names the actions that there are', async t => {
  await t.rejects(check('behaviour', 'reload-proxy'),
    { code: 'bad-topology', details: { why: /needs the action reload-proxy, and it can restart-app, kill-app/ } })
})

t.test('names the option without which a proxy cannot reload', async t => {
  for (const [proxy, remedy] of /** @type {const} */ ([
    ['haproxy', /haproxy:keepalive\+master/], ['caddy', /caddy:keepalive\+admin/], ['varnish', /another proxy/]
  ])) {
    await t.rejects(check(`${proxy}:keepalive/behaviour`, 'reload-proxy'),
      { code: 'bad-topology', details: { remedy } })
  }
})

t.test('rejects a restart of a proxy program in the place of the server', async t => {
  await t.rejects(check('nginx:keepalive/nginx', 'restart-app'), { code: 'bad-topology' })
})

/**
 * Returns the outcomes of a request that is in flight when the server begins to end, and of one after its end.
 * @param {Test} t
 * @param {boolean} drains
 */
async function toFollow (t, drains) {
  const server = listenerFor(undefined, 60)
  const end = drains ? toDrain(server) : (/** @type {() => void} */ done) => endListener(server, done)
  /** @type {() => void} */
  let respond = () => {}
  server.on('request', (/** @type {unknown} */ _, /** @type {any} */ response) => {
    respond = () => response.end('response')
  })
  const target = { url: '', socketPath: null, host: '127.0.0.1', port: await listening(t, server) }
  const arrived = once(server, 'request')
  const inFlight = request(target, { path: '/' })
  await arrived
  const ended = new Promise(resolve => end(() => resolve(null)))
  respond()
  const { outcome } = await inFlight
  await ended
  const { outcome: later } = await request(target, { path: '/' })
  t.equal(server.listening, false)
  return { inFlight: outcome, later }
}

t.test('a server that drains completes the response in flight, and another one does not', async t => {
  t.same(await toFollow(t, true), { inFlight: 'ok', later: 'refused' })
  t.match(await toFollow(t, false), { inFlight: 'reset', later: 'refused' })
})

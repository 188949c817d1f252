import t from '../support/tap.js'
import { createArm } from '../../bench/plan/plan.js'
import { parse } from '../../bench/plan/spec.js'
import { checkScenario } from '../../bench/request/scenario-plan.js'
import { toFollow } from '../support/acts.js'

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

t.test('a server that drains completes the response in flight, and another one does not', async t => {
  t.same(await toFollow(t, true), { inFlight: 'ok', later: 'refused' })
  t.match(await toFollow(t, false), { inFlight: 'reset', later: 'refused' })
})

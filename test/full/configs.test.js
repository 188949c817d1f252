/**
 * Tests that the recommended configurations behave as production needs it, and that a wrong configuration of each kind
 * is found.
 */
import t from 'tap'
import { makeTempRoot } from '../../bench/machine/temp.js'
import { configsText } from '../../bench/report/configs-text.js'
import { checkConfigs, loadBehaviours } from '../../bench/studies/check/configs/configs-study.js'
import { hopbench, leavesNothing, makeWorkspace } from '../support/cli.js'
import { skipWithout } from '../support/needs.js'

/** @import { ConfigCell } from '../../bench/types.js' */

/**
 * For each behaviour a proxy and a fault in its configuration.
 * @type {Record<string, [string, (text: string) => string]>}
 */
const PLANTED = {
  'access-log': ['nginx', text => text.replace(/access_log .*;/, 'access_log off;')],
  addresses: ['nginx', text => text.replace(/listen (\d+)/, 'listen 127.0.0.1:$1').replace(/listen \[::\].*/, '')],
  'cache-poisoning': ['nginx', text => text.replace(/proxy_set_header X-Forwarded-Host .*/, '')],
  cookies: ['nginx', text => text.replaceAll('$http_authorization $private_cookie', '$http_authorization')],
  failover: ['nginx', text => text.replace('proxy_next_upstream error timeout;', 'proxy_next_upstream off;')
    .replaceAll('max_fails=1', 'max_fails=0')],
  'forged-headers': ['haproxy', text => text.replace(/http-request set-header X-Forwarded-For.*/, 'option forwardfor')],
  'large-upload': ['nginx', text => text.replace(/client_max_body_size .*/, '')],
  'private-responses': ['nginx', text => text.replace('proxy_cache app;', '$& proxy_ignore_headers Vary;')],
  'set-cookie': ['apache', text => text.replace('CacheIgnoreHeaders Set-Cookie', '')],
  'slow-headers': ['nginx', text => text.replace('client_max_body_size', 'client_header_timeout 1h; $&')],
  'slow-upload': ['caddy', text => text.replace('read_header 15s', 'read_body 30s')],
  'stale-on-error': ['nginx', text => text.replace(/proxy_cache_use_stale .*/, 'proxy_cache_use_stale off;')],
  streaming: ['varnish', text => text.replace('set beresp.keep', 'set beresp.do_stream = false; set beresp.keep')
    .replace('sub vcl_deliver', 'sub vcl_backend_response { set beresp.do_stream = false; }\nsub vcl_deliver')],
  websocket: ['nginx', text => text.replace('proxy_set_header Upgrade $websocket;', '')]
}

t.jobs = 2 // Most behaviours wait.
const skip = ['nginx', 'apache', 'haproxy', 'caddy', 'varnish'].map(name => skipWithout(name)).find(Boolean) ?? false

t.test('every recommended configuration holds every behaviour that it offers', { skip, buffered: true }, async t => {
  const workspace = makeWorkspace(t)
  const { exit, stdout, stderr } = await hopbench(['check', '--configs', '--json'], { workspace, timeoutSeconds: 300 })
  const record = JSON.parse(stdout)
  const failed = record.cells.filter((/** @type {ConfigCell} */ { outcome }) => outcome === 'fails')
  t.strictSame(failed, [], stderr)
  t.equal(exit, 0)
  t.equal(record.cells.length, 5 * (await loadBehaviours()).size)
  const gaps = record.cells.filter((/** @type {ConfigCell} */ { outcome }) => outcome !== 'holds')
  t.ok(gaps.every((/** @type {ConfigCell} */ { detail }) => detail), 'a reason for each gap')
  t.notMatch(configsText(record, { columns: 80 }), /FAILS/)
  await leavesNothing(t, workspace)
})

t.test('each behaviour finds a wrong configuration', { skip, buffered: true }, async t => {
  const behaviours = await loadBehaviours()
  t.strictSame(Object.keys(PLANTED).sort(), [...behaviours.keys()], 'a planted fault for each behaviour')
  await Promise.all(Object.entries(PLANTED).map(async ([name, [proxy, change]]) => {
    const temp = makeTempRoot()
    t.teardown(() => temp.remove())
    let changed = false
    const record = await checkConfigs({
      names: [proxy],
      temp: temp.path,
      say: () => {},
      behaviours: new Map([...behaviours].filter(([behaviour]) => behaviour === name)),
      change: text => {
        changed ||= change(text) !== text
        return change(text)
      }
    })
    t.ok(changed, `${name}: the fault is in the configuration`)
    t.match(record.cells, [{ outcome: 'fails', detail: String }], name)
    t.notMatch(record.cells[0].detail, /refused the configuration|ended with exit code/, name)
    t.comment(`${name}, ${proxy}: ${record.cells[0].detail}`)
  }))
})

t.test('rejects an unknown proxy, and other checks at the same time', async t => {
  const workspace = makeWorkspace(t)
  t.match(await hopbench(['check', '--configs', 'nginy'], { workspace }), { exit: 2, stderr: /--configs.*nginy/ })
  t.match(await hopbench(['check', '--configs', '--bare'], { workspace }), { exit: 2 })
})

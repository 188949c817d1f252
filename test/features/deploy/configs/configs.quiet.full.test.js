/**
 * Tests that recommended configurations and kits behave as production needs it, and that a wrong configuration of each
 * kind is found. All kits: test/features/deploy/configs/configs.soak.test.js.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../../support/tap.js'
import { findListeners } from '../../../../bench/machine/kernel-counts.js'
import { checkConfigs, getSubjects, loadBehaviours } from '../../../../bench/features/deploy/configs/study.js'
import { begin, hopbench, leavesNothing, makeWorkspace } from '../../../support/cli.js'
import { withoutNamespaces } from '../../../support/kill.js'
import { skipWithout } from '../../../support/needs.js'
import { everyCellHolds } from '../../../support/configs.js'
import { tempRoot } from '../../../support/temp.js'

/** @import { Workspace } from '../../../support/cli.js' */

/**
 * For each behaviour a proxy or kit, and a fault in its configuration or its start script.
 * @type {Record<string, [string, (text: string) => string]>}
 */
const PLANTED = {
  'access-log': ['nginx', text => text.replace(/access_log .*;/, 'access_log off;')],
  addresses: ['nginx', text => text.replace(/listen (\d+)/, 'listen 127.0.0.1:$1').replace(/listen \[::\].*/, '')],
  'cache-credentials': ['varnish', text => text.replace('req.http.X-API-Key ||', '')],
  'cache-hosts': ['apache', text => text.replace(/SetEnvIf Host .*/, '')],
  'cache-lifetimes': ['nginx', text => text.replace(/( \$upstream_http_set_cookie) \$not_permitted/, '$1')],
  'cache-methods': ['nginx', text => text.replace('proxy_cache app;', '$& proxy_cache_methods POST;')],
  'cache-poisoning': ['nginx', text => text.replace(/proxy_set_header X-Forwarded-Host .*/, '')],
  'cached-redirect': ['heroku', text => text.replace('proxy_cache_key $forwarded_proto', 'proxy_cache_key $scheme')],
  'certificate-renewal': ['docker', text => text.replace(/^if \[ -t 0 \].* HUP.*$/m, "trap 'finish 0' HUP")],
  'closed-connection': ['haproxy', text => text.replace(/http-request disable-l7-retry .*/, '')],
  'connection-header': ['apache', text => text.replace(/RequestHeader edit\* Connection .*/, '')],
  cookies: ['nginx', text => text.replaceAll(' $private_cookie $has_body', ' $has_body')],
  failover: ['nginx', text => text.replace('proxy_next_upstream error timeout;', 'proxy_next_upstream off;')],
  'file-app': ['nginx', text => text.replace('error_page 405 = @app;', '')],
  'file-gzip': ['caddy', text => text.replace('precompressed gzip', '')],
  'file-headers': ['apache', text => text.replace(/Header set Cache-Control .*immutable.*/, '')],
  'file-links': ['nginx', text => text.replace(/disable_symlinks .*/, '')],
  'file-secrets': ['docker', text => text.replace(/location ~ \/\\\. \{[^}]*\}/, '')],
  'forged-headers': ['haproxy', text => text.replace(/http-request set-header X-Forwarded-For.*/, 'option forwardfor')],
  'header-aliases': ['haproxy', text => text.replace(/http-request del-header \[.*/, '')],
  'host-signs': ['nginx', text => text.replace(/if \(\$host !~ .*\{\s*return 400;\s*\}/, '')],
  'http2-headers': ['nginx', text => text.replace(/proxy_set_header X-Forwarded-Host .*/, '')],
  'https-redirect': ['nginx', text => text.replace('return 308 https://', 'return 308 http://')],
  'https-scheme': ['haproxy', text => text.replace(/http-request set-header X-Forwarded-Proto https.*/, '')],
  'idle-connection': ['render', text => text.replace('keepalive_timeout 125s;', 'keepalive_timeout 15s;')],
  'ignored-upgrade': ['varnish', text => text.replace('sub vcl_recv {', `sub vcl_pipe {
    set bereq.http.Upgrade = req.http.Upgrade;
    set bereq.http.Connection = req.http.Connection;
}
sub vcl_recv {
    if (req.http.Upgrade) {
        return (pipe);
    }`)],
  'large-upload': ['nginx', text => text.replace(/client_max_body_size .*/, '')],
  'other-upgrades': ['caddy', text => text.replace('not vars_regexp {header.Upgrade}', 'not header_regexp Upgrade')],
  'private-responses': ['nginx', text => text.replace('proxy_cache app;', '$& proxy_ignore_headers Vary;')],
  'rolling-restart': ['nginx', text => text.replaceAll('max_fails=0', 'max_fails=1 fail_timeout=10s')
    .replaceAll('proxy_next_upstream error timeout;', 'proxy_next_upstream off;')],
  'router-address': ['render', text => text.replace('real_ip_header CF-Connecting-IP;', 'real_ip_header X-Real-IP;')],
  'set-cookie': ['apache', text => text.replace('-n resp(\'Set-Cookie\') || ', '')],
  'single-page': ['caddy', text => text.replace('not path *.*\n', '')],
  'site-hosts': ['caddy', text => text.replace('respond 421', 'respond 404')],
  'slow-headers': ['nginx', text => text.replace('client_max_body_size', 'client_header_timeout 1h; $&')],
  'slow-upload': ['caddy', text => text.replace('read_header 15s', 'read_body 30s')],
  'stale-on-error': ['nginx', text => text.replace(/proxy_cache_use_stale .*/, 'proxy_cache_use_stale off;')],
  streaming: ['varnish', text => text.replace('set beresp.keep', 'set beresp.do_stream = false; set beresp.keep')
    .replace('sub vcl_deliver', 'sub vcl_backend_response { set beresp.do_stream = false; }\nsub vcl_deliver')],
  'tls-http2': ['nginx', text => text.replaceAll(' ssl http2 ', ' ssl ').replace('http2 on;', '')],
  'tls-resumption': ['nginx', text => text.replace(/ssl_session_cache .*;/, 'ssl_session_cache off;')],
  'tls-versions': ['nginx', text => text.replace('ssl_protocols TLSv1.2 TLSv1.3;', 'ssl_protocols TLSv1.3;')],
  'two-hosts': ['nginx', text => text.replace('map "$host $http_host"', 'map $http_host').replace('^(\\S+) \\1', '')],
  websocket: ['nginx', text => text.replace('proxy_set_header Upgrade $websocket;', '')],
  'websocket-stop': ['docker', text => text.replace(/worker_shutdown_timeout .*;/, 'worker_shutdown_timeout 1h;')
    .replace(/^.* kill -USR2 "\$app" .*$/m, '')]
}

t.jobs = 2 // Most behaviours wait.
const programs = ['nginx', 'apache', 'haproxy', 'caddy', 'varnish']
const skip = programs.map(name => skipWithout(name)).find(Boolean) ?? false
const skipNetwork = skip || skipWithout('namespaces')
/** The proxies, and a kit with TLS of its own and one behind a router. */
const SUBJECTS = [...programs, 'docker', 'heroku']

t.test('every behaviour that is offered holds, out of reach of other machines', { skip, buffered: true }, async t => {
  const workspace = makeWorkspace(t)
  const { child, until, stdout, stderr } = begin(t, ['check', '--configs', ...SUBJECTS, '--json'], { workspace })
  if (!skipNetwork) {
    // Kept, because the next moment the proxy may have ended.
    let networks = findNetworks(workspace)
    await until(() => (networks = findNetworks(workspace)).length > 0 || child.ended() !== null)
    t.ok(networks.length > 0, stderr())
    const shared = networks.filter(network => network === readlinkSync('/proc/self/ns/net'))
    t.strictSame(shared, [], 'no proxy runs in the network of the machine')
  }
  const { code } = await child.exited
  everyCellHolds(t, JSON.parse(stdout()), { behaviours: await loadBehaviours(), subjects: SUBJECTS.length })
  t.equal(code, 0, stderr())
  t.notMatch(stderr(), 'refuses a private network')
  await leavesNothing(t, workspace)
})

t.test('without namespaces the check reports that others can reach the proxies', { skip, buffered: true }, async t => {
  const workspace = makeWorkspace(t)
  const env = withoutNamespaces(join(workspace.dir, 'bin'))
  const { child, until, stderr } = begin(t, ['check', '--configs', 'caddy'], { workspace, env })
  await until(() => /addresses (holds|fails)/.test(stderr()))
  t.match(stderr(), /refuses a private network[^]*caddy: addresses holds/)
  await child.stop()
})

/**
 * Returns the network namespaces of the proxies that a check runs. A program that does not listen, such as one that
 * tests a configuration or is on its way into a namespace, is none of them.
 * @param {Workspace} workspace
 */
function findNetworks ({ tmp }) {
  return readdirSync('/proc').filter(name => /^\d+$/.test(name)).flatMap(pid => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      const isProxy = line.includes(`${tmp}/`) && !line.includes('node') && findListeners([Number(pid)]).length > 0
      return isProxy ? [readlinkSync(`/proc/${pid}/ns/net`)] : []
    } catch {
      return []
    }
  })
}

t.test('each behaviour finds a wrong configuration', { skip, buffered: true }, async t => {
  const behaviours = await loadBehaviours()
  t.strictSame(Object.keys(PLANTED).sort(), [...behaviours.keys()], 'a planted fault for each behaviour')
  await Promise.all(Object.entries(PLANTED).map(async ([name, [subjectName, change]]) => {
    const temp = tempRoot(t)
    let changed = false
    const record = await checkConfigs({
      subjects: getSubjects().filter(subject => subject.name === subjectName),
      temp: temp.path,
      printProgress: () => {},
      behaviours: new Map([...behaviours].filter(([behaviour]) => behaviour === name)),
      change: text => {
        changed ||= change(text) !== text
        return change(text)
      }
    })
    t.ok(changed, `${name}: the fault is in the configuration`)
    t.match(record.cells, [{ outcome: 'fails', detail: String }], name)
    t.notMatch(record.cells[0].detail, /refused the configuration|ended with exit code/, name)
    t.comment(`${name}, ${subjectName}: ${record.cells[0].detail}`)
  }))
})

t.test('rejects an unknown proxy or kit, and other checks at the same time', async t => {
  const workspace = makeWorkspace(t)
  t.match(await hopbench(['check', '--configs', 'nginy'], { workspace }), { exit: 2, stderr: /--configs.*nginy/ })
  t.match(await hopbench(['check', '--configs', '--bare'], { workspace }), { exit: 2 })
})

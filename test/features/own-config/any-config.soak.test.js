/**
 * Tests that any configuration is tried or rejected with a sentence: no crash, no hang, nothing outside of the
 * namespaces, at most 90 s. Configurations are parts of posted ones with random changes.
 */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from '../../support/tap.js'
import { run } from '../../../bench/machine/process.js'
import { hopbench, makeWorkspace } from '../../support/cli.js'
import { skipWithout } from '../../support/needs.js'

/** @import { OwnRecord } from '../../../bench/features/own-config/types.js' */

const skip = skipWithout('nginx') || skipWithout('namespaces')
const RUNS = Number(process.env.HOPBENCH_SOAK_RUNS ?? 60)
const MAX_SECONDS = 95
/** File that no configuration may write. */
const OUTSIDE = '/usr/share/written-by-a-soak-test'

const setting = fc.constantFrom('client_max_body_size 1m;', 'proxy_buffering off;', 'gzip on;', 'return 204;',
  'deny all;', 'allow 10.0.0.0/8;', 'auth_basic x;', 'auth_basic_user_file a;', 'limit_req zone=none;',
  'proxy_http_version 1.1;',
  'if ($http_x) { return 403; }', 'error_page 502 /e;', 'proxy_cache pages;', 'access_log /dev/full;', 'root /proc;',
  `error_log ${OUTSIDE};`, 'include /etc/passwd;', 'include *;', 'set $x "$x$x";', 'resolver 127.0.0.11;', 'internal;')
const pass = fc.constantFrom('proxy_pass http://app:3000;', 'proxy_pass http://127.0.0.1:3000/;', 'alias /srv/;',
  'proxy_pass https://b;', 'proxy_pass http://unix:/run/a.sock:/;', 'grpc_pass a:1;', 'fastcgi_pass unix:/b;',
  'proxy_pass http://$host:1;', 'proxy_pass http://pool;', 'proxy_pass http://127.0.0.1:8080;', '')
const path = fc.constantFrom('/', '/a', '= /b', '~ ^/(c|d)', '@e', '^~ /f/')
const listen = fc.constantFrom('80', '8080', '[::]:80', '127.0.0.1:81', '10.1.1.1:80', 'unix:/run/s', '443 ssl',
  '80 proxy_protocol', '82 default_server', 'a.b:83', '65536', '443 quic')
const name = fc.constantFrom('a.example', '_', '""', '*.b.example', '~^(x|y)+$', '~(', '$hostname', '.c.example')
const location = fc.tuple(path, fc.array(setting, { maxLength: 2 }), pass)
  .map(([path, settings, pass]) => `location ${path} { ${settings.join(' ')} ${pass} }`)
const server = fc.tuple(fc.array(listen, { maxLength: 2 }), fc.array(name, { maxLength: 2 }),
  fc.array(setting, { maxLength: 2 }), fc.array(location, { minLength: 1, maxLength: 3 }))
  .map(([listens, names, settings, locations]) => `server { ${listens.map(listen => `listen ${listen};`).join(' ')} ` +
    `${names.length > 0 ? `server_name ${names.join(' ')};` : ''} ${settings.join(' ')} ${locations.join('\n')} }`)
const whole = fc.tuple(fc.array(server, { minLength: 1, maxLength: 6 }), fc.constantFrom('', '', 'daemon on;',
  'master_process off;', 'load_module /a.so;', 'stream { server { listen 1; proxy_pass a:1; } }', 'user root;'))
  .map(([servers, top]) => `${top}\nevents {}\nhttp {\nproxy_cache_path /tmp/c keys_zone=pages:1m;\n` +
    `upstream pool { server app1:1; server app2:2 backup; }\n${servers.join('\n')}\n}\n`)
/** A part of the text is left out, or replaced by another text. */
const other = fc.oneof(fc.constant(''), fc.string({ unit: 'binary' }))
const change = fc.record({ at: fc.nat(999), length: fc.nat(8), text: other })
const config = fc.tuple(whole, fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(change, { maxLength: 3 })))
  .map(([text, changes]) => changes.reduce((text, { at, length, text: other }) =>
    text.slice(0, at) + other + text.slice(at + length), text))

/** Returns the names of programs that run on this machine with a path below a folder. @param {string} folder */
const listPrograms = async folder => (await run(['pgrep', '-f', folder])).stdout

t.test('any configuration is tried, or rejected with a sentence, within 90 s', { skip }, async t => {
  await fc.assert(fc.asyncProperty(config, async text => {
    const workspace = makeWorkspace(t)
    writeFileSync(join(workspace.dir, 'nginx.conf'), text)
    const args = ['check', './nginx.conf', '--quick', '--json', '-o', workspace.results]
    const { exit, stdout, stderr } = await hopbench(args, { workspace, timeoutSeconds: 2 * MAX_SECONDS })
    if (/\[bad-option\]/.test(stderr)) return
    t.ok(exit === 0 || exit === 1, `${exit}: ${stderr}`)
    const { seconds, rejected, blocks, cells, skipped } = /** @type {OwnRecord} */ (JSON.parse(stdout))
    t.ok(seconds < MAX_SECONDS, `${seconds} s`)
    const sentences = [...skipped, ...rejected ? [rejected] : []]
    t.strictSame(sentences.filter(({ why }) => why === '' || /room ended|undefined|\[object/.test(why)), [], text)
    t.strictSame(cells.filter(({ detail }) => detail?.startsWith('not tried')), [], text)
    t.ok(blocks.length > 0 || sentences.length > 0 || !/proxy_pass/.test(text), 'each block is tried or named')
    t.equal(existsSync(OUTSIDE), false)
    t.equal(readFileSync(join(workspace.dir, 'nginx.conf'), 'utf8'), Buffer.from(text).toString())
    t.strictSame(readdirSync(workspace.dir).includes('nginx.conf'), true)
    t.equal(await listPrograms(workspace.dir), '')
  }), { numRuns: RUNS, endOnFailure: true })
})

/** Tests configurations of one's own with the real nginx: each gives its findings, and its patch mends them. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from '../../support/tap.js'
import { run } from '../../../bench/machine/process.js'
import { hopbench, leavesNothing, makeWorkspace } from '../../support/cli.js'
import { withoutNamespaces } from '../../support/kill.js'
import { skipWithout } from '../../support/needs.js'
import { openChecks } from '../../support/own-checks.js'

/** @import { Test } from 'tap' */
/** @import { OwnRecord } from '../../../bench/features/own-config/types.js' */

t.jobs = 2 // Most behaviours wait.
const skip = skipWithout('nginx') || skipWithout('namespaces')
/** Checks in one process. Other tests check by the command. */
const checkAt = openChecks(t)

/** A block of tutorials, one with a cache that keeps everything, and one for streams. */
const THREE = `user nobody-of-this-machine;
error_log /dev/stderr info;
pid /run/web/nginx.pid;
events { worker_connections 256; }
http {
    include mime.types;
    access_log /dev/stdout;
    error_log /var/log/shop/error.log;
    gzip on;
    gzip_types *;
    proxy_cache_path /var/cache/nginx/pages keys_zone=pages:1m;
    upstream shop {
        server 127.0.0.1:5001;
        server 127.0.0.1:5002;
    }
    server {
        listen 80;
        server_name shop.test;
        location / {
            proxy_pass http://shop;
            proxy_http_version 1.1;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection "upgrade";
            proxy_set_header Host $host;
            proxy_buffering off;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        }
    }
    server {
        listen 80;
        server_name pages.test;
        client_max_body_size 1m;
        location / {
            proxy_pass http://pages:8000;
            proxy_cache pages;
            proxy_cache_valid any 5m;
            proxy_ignore_headers Set-Cookie Cache-Control;
            proxy_buffering on;
        }
    }
    server {
        listen 8443 ssl;
        server_name api.test;
        client_max_body_size 1m;
        ssl_certificate /etc/letsencrypt/live/api.test/fullchain.pem;
        ssl_certificate_key /etc/letsencrypt/live/api.test/privkey.pem;
        ssl_protocols TLSv1 TLSv1.1 TLSv1.2;
        location /api/ { proxy_pass http://unix:/run/api/api.sock; }
    }
}
`
const HEADERS = ['forged-address', 'kept-host']
const EXPECTED = {
  'shop.test': ['plain-connection', 'large-upload', 'forged-address', 'rolling-restart'],
  'pages.test': [...HEADERS, 'cache-login', 'cache-private', 'cache-cookies', 'cache-errors'],
  'api.test': [...HEADERS, 'https-scheme', 'tls-versions', 'events']
}

const COMPOSE = `services:
  app:
    build: .
  proxy:
    image: nginx
    volumes: ["./proxy:/etc/nginx/conf.d:ro"]
`
const SITE = `server {
  listen 80;
  client_max_body_size 0;
  location /files { alias /srv/files/; }
  location /v1/ {
    proxy_pass http://app:3000/;
  }
  location / { proxy_pass http://app:3000; proxy_buffering off; }
}
`

/**
 * Writes files, and returns what checks a path of them.
 * @param {Test} t
 * @param {Record<string, string | Buffer>} files
 */
function prepare (t, files) {
  const workspace = makeWorkspace(t)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace.dir, name)), { recursive: true })
    writeFileSync(join(workspace.dir, name), text)
  }
  const check = async (/** @type {string[]} */ ...words) => {
    const args = ['check', ...words, '--quick', '-o', workspace.results]
    const { exit, stdout, stderr } = await hopbench(args, { workspace })
    return { exit, stdout, stderr }
  }
  const checkJson = async (/** @type {string[]} */ ...words) => {
    const { exit, stdout, stderr } = await check(...words, '--json')
    t.ok(stdout.startsWith('{'), stderr)
    return { exit, record: /** @type {OwnRecord} */ (JSON.parse(stdout)) }
  }
  const mend = async (patch = readFileSync(join(workspace.results, 'own-config.patch'), 'utf8')) => {
    const { exit, stdout } = await run(['patch', '-p1', '-d', workspace.dir], { input: patch })
    t.equal(exit, 0, stdout)
  }
  return { workspace, check, checkJson, mend }
}

/** Returns the failing behaviours by host. @param {OwnRecord} record */
const toFailures = ({ blocks, findings }) => Object.fromEntries(blocks.map(({ index, host }) =>
  [host, findings.filter(({ block }) => block === index).map(({ behaviour }) => behaviour)]))

t.test('each server block gives its findings, and after the patch none', { skip, buffered: true }, async t => {
  const { checkJson, mend, workspace } = prepare(t, { 'nginx.conf': THREE })
  const { exit, record } = await checkJson('./nginx.conf')
  t.strictSame(toFailures(record), EXPECTED)
  t.strictSame(record.supplied, [
    'the host pages',
    'a certificate for the run, /etc/letsencrypt/live/api.test/fullchain.pem',
    'the key /etc/letsencrypt/live/api.test/privkey.pem'
  ])
  t.strictSame(record.skipped, [])
  t.equal(exit, 1)
  await mend()
  const mended = await checkJson('./nginx.conf')
  t.strictSame(mended.record.findings, [])
  t.equal(mended.exit, 0)
  await leavesNothing(t, workspace)
})

t.test('the files that a compose file mounts give their findings, and after the patch none', { skip, buffered: true },
  async t => {
    const { workspace: { dir }, mend } = prepare(t, { 'compose.yaml': COMPOSE, 'proxy/default.conf': SITE })
    const record = await checkAt(dir, './compose.yaml')
    t.strictSame(record.findings.map(({ behaviour }) => behaviour),
      ['alias-folder', 'kept-path', 'moved-app', ...HEADERS])
    t.strictSame(record.findings.map(({ places: [{ file }] }) => file), Array(5).fill('proxy/default.conf'))
    await mend(record.patch)
    t.strictSame((await checkAt(dir, '.')).findings, [])
  })

const TWO = 'http://a.test {\n\treverse_proxy a:3000\n}\nhttp://b.test {\n\treverse_proxy b:3000\n\tencode gzip\n}\n'
t.test('--host chooses a block of Caddy', { skip: skip || skipWithout('caddy'), buffered: true }, async t => {
  const { checkJson } = prepare(t, { Caddyfile: TWO })
  const { record } = await checkJson('./Caddyfile', '--host', 'b.test')
  t.strictSame(record.blocks.map(({ host }) => host), ['b.test'])
  const none = await checkJson('./Caddyfile', '--host', 'c.test')
  t.strictSame(none.record.blocks, [])
  t.match(none.record.skipped, [{ why: 'no block passes on requests of c.test' }])
})

t.test('the recommended configuration has no finding', { skip, buffered: true }, async t => {
  const workspace = makeWorkspace(t)
  const spec = 'nginx:keepalive+balance=round-robin+cache=30s+tls=ecdsa-p256/express-json@node:2'
  const { stdout } = await hopbench(['config', spec], { workspace })
  writeFileSync(join(workspace.dir, 'site.conf'), stdout)
  const record = await checkAt(workspace.dir, './site.conf')
  t.strictSame(record.findings.map(({ behaviour, detail }) => `${behaviour}: ${detail}`), [])
  t.strictSame(record.cells.filter(({ outcome }) => outcome === 'holds').length, 14)
})

/** Prints one finding, as gixy does for a configuration on its standard input. */
const GIXY = `#!/bin/sh
grep -q '^# configuration file /etc/nginx/nginx.conf:' &&
  echo '[{ "plugin": "x", "severity": "LOW", "summary": "y", "line": 1 }]'
`

t.test('findings are printed as SARIF, and those of gixy are stored', { skip, buffered: true }, async t => {
  const site = 'server { location / { proxy_pass http://127.0.0.1:1; proxy_buffering on; } }'
  const { workspace } = prepare(t, { 'a/site': site, 'bin/gixy': GIXY })
  chmodSync(join(workspace.dir, 'bin/gixy'), 0o755)
  const env = { PATH: `${join(workspace.dir, 'bin')}:${process.env.PATH}` }
  const args = ['check', 'a/site', '--quick', '--sarif', '-o', workspace.results]
  const { exit, stdout } = await hopbench(args, { workspace, env })
  const [{ results }] = JSON.parse(stdout).runs
  t.strictSame(results.map((/** @type {{ ruleId: string }} */ { ruleId }) => ruleId), ['large-upload', ...HEADERS])
  const { gixy } = JSON.parse(readFileSync(join(workspace.results, 'own-config.json'), 'utf8'))
  t.strictSame(gixy, [{ plugin: 'x', severity: 'LOW', summary: 'y' }])
  t.equal(exit, 1)
})

/** Configurations that cannot be tried. @type {[text: string, why: string, line: number][]} */
const HOSTILE = [
  ['load_module /x/a.so;\nevents {} http {}', 'dlopen() "/x/a.so" failed (/x/a.so: cannot open shared object file: ' +
    'No such file or directory)', 1],
  ['user root; events {} http { error_log /usr/of-a-test.log; access_log /usr/of-a-test.log; }',
    'open() "/usr/of-a-test.log" failed (30: Read-only file system)', 0],
  ['events {}\nhttp { include /etc/shadow; }', 'open() "/etc/shadow" failed (2: No such file or directory)', 2],
  [`\n${'a { '.repeat(10_000)}`, 'unknown directive "a"', 2]
]

t.test('nothing outside of the namespaces is read or written', { skip, buffered: true }, async t => {
  const records = await Promise.all(HOSTILE.map(([text]) =>
    checkAt(prepare(t, { 'x/nginx.conf': text }).workspace.dir, './x')))
  for (const [i, [, why, line]] of HOSTILE.entries()) {
    const { rejected, blocks } = records[i]
    t.strictSame(rejected, { why, file: line === 0 ? null : 'x/nginx.conf', line })
    t.strictSame(blocks, [], 'nothing is tried')
  }
  t.notOk(existsSync('/usr/of-a-test.log'))
})

t.test('a script that HAProxy runs cannot write outside of its namespaces', { skip, buffered: true }, async t => {
  const lua = 'os.execute("mount -o remount,rw /usr; umount /usr; touch /usr/of-a-lua-test")\nerror("the script ran")'
  const { checkJson } = prepare(t, { 'haproxy.cfg': 'global\n  lua-load /etc/haproxy/x.lua\n', 'x.lua': lua })
  const { exit, record: { rejected } } = await checkJson('./haproxy.cfg')
  t.strictSame([rejected?.why.includes('the script ran'), rejected?.file, rejected?.line], [true, 'haproxy.cfg', 2])
  t.equal(exit, 1)
  t.notOk(existsSync('/usr/of-a-lua-test'))
})

t.test('without namespaces an error says so', { skip, buffered: true }, async t => {
  const workspace = makeWorkspace(t)
  writeFileSync(join(workspace.dir, 'x.conf'), 'events {}')
  const env = withoutNamespaces(join(workspace.dir, 'bin'))
  const { exit, stderr } = await hopbench(['check', './x.conf'], { workspace, env })
  t.match(stderr, /requires a file system of its own[^]*\[lab-needed\]/)
  t.equal(exit, 1)
})

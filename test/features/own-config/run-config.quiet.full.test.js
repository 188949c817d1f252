/** Tests measured configurations of one's own with the real nginx: what their arms are, and what their proofs state. */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from '../../support/tap.js'
import { hopbench, leavesNothing, makeWorkspace } from '../../support/cli.js'
import { skipWithout } from '../../support/needs.js'

/** @import { Test } from 'tap' */
/** @import { ArmResult, RunRecord } from '../../../bench/types.js' */

const skip = skipWithout('nginx') || skipWithout('namespaces')
const APP = `
import { createServer } from 'node:http'
createServer((request, response) => response.setHeader('Content-Type', 'text/html').end('hello '.repeat(20)))
  .listen(process.env.SOCKET ?? Number(process.env.PORT))
`
/** A block of tutorials, with two processes of the app. */
const TUTORIAL = `user nginx;
worker_processes 1;
events {}
http {
  upstream backend { server 127.0.0.1:3000; server backend:3001; }
  server {
    listen 80;
    server_name shop.test;
    location / {
      proxy_pass http://backend;
      proxy_http_version 1.1;
      proxy_set_header Connection 'upgrade';
    }
  }
}
`
/** TLS with a certificate of the server, a pooled socket, compression, logs of its own, and a daemon. */
const SOCKET = `daemon on;
error_log /var/log/site/error.log;
events {}
http {
  access_log off;
  gzip on;
  upstream app { server unix:/run/site/app.sock; keepalive 100; }
  server { listen 8080; server_name shop.test; return 301 https://$host$request_uri; }
  server {
    listen 8443 ssl;
    server_name www.shop.test;
    ssl_certificate /etc/letsencrypt/live/shop.test/fullchain.pem;
    ssl_certificate_key /etc/letsencrypt/live/shop.test/privkey.pem;
    access_log /var/log/site/access.log;
    location /assets/ { alias /srv/assets/; }
    location / { proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }
}
`

/**
 * Runs a smoke test of a configuration, and returns the stored record.
 * @param {Test} t
 * @param {Record<string, string>} files
 * @param {string[]} args
 */
async function measure (t, files, args) {
  const workspace = makeWorkspace(t)
  for (const [name, text] of Object.entries({ 'app.mjs': APP, ...files })) {
    mkdirSync(dirname(join(workspace.dir, name)), { recursive: true })
    writeFileSync(join(workspace.dir, name), text)
  }
  const { exit, stderr } = await hopbench(
    ['run', './nginx.conf', '--app', 'node app.mjs', '--smoke', '-o', workspace.results, ...args], { workspace })
  t.equal(exit, 0, stderr)
  for (const [name, text] of Object.entries(files)) t.equal(readFileSync(join(workspace.dir, name), 'utf8'), text)
  await leavesNothing(t, workspace)
  const [run] = readdirSync(workspace.results).filter(name => name.endsWith('-own-config'))
  return /** @type {RunRecord} */ (JSON.parse(readFileSync(join(workspace.results, run, 'run.json'), 'utf8')))
}

/** @param {RunRecord} record */
const toArms = ({ arms }) => arms.map(({ name, spec, invalid }) => ({ name, spec, invalid: invalid?.code ?? null }))

/** @param {RunRecord} record */
const getYours = ({ arms }) => /** @type {ArmResult} */ (arms.find(({ name }) => name === 'your configuration'))

t.test('measures the app alone, the configuration, and the recommended one', { skip, buffered: true }, async t => {
  const record = await measure(t, { 'nginx.conf': TUTORIAL }, ['--host', 'shop.test'])
  t.strictSame(toArms(record), [
    { name: 'the app alone', spec: 'app', invalid: null },
    {
      name: 'your configuration',
      spec: 'nginx:tcp+upstream_defaults+balance=round-robin/app@node:2',
      invalid: null
    },
    { name: 'recommended', spec: 'nginx:keepalive+production+balance=round-robin/app@node:2', invalid: null }
  ])
  const { topology, load, proof } = getYours(record)
  t.strictSame(topology.proxy?.config, { path: './nginx.conf', port: 80, apps: [3000, 3001], script: null })
  t.strictSame(load.headers, { Host: 'shop.test' })
  t.ok((proof.upstreamConnectionsPerRequest ?? 0) > 0.9, 'a connection for each request')
  t.strictSame(record.plan.answer?.fresh, {
    arm: 'your configuration',
    text: 'your configuration opens a connection to the app for each request (nginx.conf:12)'
  })
})

t.test('measures TLS, a socket, files and compression as the file has them', { skip, buffered: true }, async t => {
  const record = await measure(t, { 'nginx.conf': SOCKET, 'public/site.css': 'body { color: #123 }' },
    ['--listen', '$PORT,$SOCKET', '--path', '/'])
  const own = '+tls=ecdsa-p256+gzip'
  t.strictSame(toArms(record), [
    { name: 'the app alone', spec: 'app', invalid: null },
    { name: 'your configuration', spec: `nginx:uds-keepalive+upstream_defaults${own}/app`, invalid: null },
    { name: 'recommended', spec: `nginx:uds-keepalive+production${own}/app`, invalid: null }
  ])
  const { topology, load, proof } = getYours(record)
  t.strictSame(topology.proxy?.config, { path: './nginx.conf', port: 8443, apps: [], script: null })
  t.strictSame(load.headers, { Host: 'www.shop.test', 'Accept-Encoding': 'gzip' })
  t.ok((proof.upstreamConnectionsPerRequest ?? 1) < 0.1, 'connections are kept')
  t.equal(proof.socketType, 'unix')
})

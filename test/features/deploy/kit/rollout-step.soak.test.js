/**
 * The printed rollout with Docker Compose, carried out without Docker: in a namespace in which the name of the app has
 * the addresses that Docker would give it. Needs root.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../../support/tap.js'
import { run } from '../../../../bench/machine/process.js'
import { findTool } from '../../../../bench/machine/tools.js'
import { projectWithKit } from '../../../support/kit-root.js'
import { skipWithout } from '../../../support/needs.js'

const skip = skipWithout('namespaces', 'nginx') || (process.getuid?.() !== 0 && 'it needs root')

const SERVER = `
import http from 'node:http'
const { PORT, HOST, NAME } = process.env
const server = http.createServer((req, res) => setTimeout(() => res.end(NAME), 20)).listen(PORT, HOST)
process.on('SIGTERM', () => {
  server.close(() => process.exit())
  setInterval(() => server.closeIdleConnections(), 50)
})
`
/** Sends 125 requests per second, of which a quarter are POST, and prints the number of each response. */
const CLIENT = `
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
const agent = new http.Agent({ keepAlive: true, maxSockets: 30 })
const counts = {}
const count = outcome => { counts[outcome] = (counts[outcome] ?? 0) + 1 }
const send = method => new Promise(resolve => {
  const done = outcome => resolve(count(outcome))
  http.request({ host: '127.0.0.1', port: 8080, method, agent }, response => {
    let body = ''
    response.on('data', data => { body += data }).on('end', () => done(response.statusCode === 200 ? body : 'lost'))
  }).on('error', () => done('lost')).end(method === 'POST' ? 'a body' : undefined)
})
const all = []
const end = performance.now() + 14_000
for (let i = 0; performance.now() < end; i++) {
  all.push(send(i % 4 ? 'GET' : 'POST'))
  await sleep(8)
}
await Promise.all(all)
console.log(JSON.stringify(counts))
process.exit()
`
/** Starts the old app and the kit, then carries out the rollout. The new address is listed before the app listens. */
const STEPS = `set -e
ip link set lo up
for address in 10.1.1.2 10.1.1.3; do ip addr add "$address/32" dev lo; done
names () { for address in "$@"; do echo "$address app"; done > hosts; }
names 10.1.1.2
mount --bind hosts /etc/hosts
NAME=old HOST=10.1.1.2 node server.mjs & old=$!
sleep 2
PORT=8080 RUN=$PWD/run sh deploy/start.sh >&2 &
sleep 4
node client.mjs & client=$!
sleep 3
names 10.1.1.2 10.1.1.3
sleep 2
NAME=new HOST=10.1.1.3 node server.mjs &
sleep 1
kill -TERM $old
wait $old || :
names 10.1.1.3
wait $client
`

t.test('the printed rollout with Docker Compose loses no request', { skip }, async t => {
  const files = {
    Dockerfile: 'FROM node\nCMD ["node", "server.mjs"]\n',
    'package.json': '{ "name": "shop", "scripts": { "start": "node server.mjs" } }',
    'server.mjs': SERVER,
    'client.mjs': CLIENT
  }
  const args = ['--app', 'npm start']
  const { dir, project } = await projectWithKit(t, 'nginx:keepalive/app', 'docker', { args, files })
  const nginx = await findTool({ program: 'nginx', packages: { debian: ['nginx'] } })
  const program = join(dir, 'nginx.sh')
  const { LD_LIBRARY_PATH: libraries = '' } = nginx.env
  writeFileSync(program, `#!/bin/sh\nLD_LIBRARY_PATH='${libraries}' exec '${nginx.path}' "$@"\n`, { mode: 0o755 })
  const { exit, stdout, stderr } = await run(['unshare', '-mnpf', '--mount-proc', '--kill-child', 'sh', '-c', STEPS],
    { cwd: project, env: { NGINX_PROGRAM: program, PORT: '3000', NODE_OPTIONS: '' }, timeoutSeconds: 60 })
  t.equal(exit, 0) || t.comment(stderr)
  const { lost = 0, old = 0, new: next = 0 } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}')
  t.equal(lost, 0)
  t.ok(old > 100 && next > 100, `${old} and ${next} responses`)
})

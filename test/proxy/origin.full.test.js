import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { armFrom } from '../../bench/request/request.js'
import { transports } from '../../bench/plan/spec.js'
import { hopbench, makeWorkspace } from '../support/cli.js'
import { countRequests, staged } from '../support/stage.js'

for (const transport of transports) {
  t.test(`nginx:${transport}/nginx counts requests, connections and errors at both programs`, async t => {
    const arm = await staged(t, `nginx:${transport}/nginx+workers=2`, { path: '/1k.bin' })
    const { running, dir } = arm
    const { front, requests, connections, listening } = await countRequests(arm, 100)
    t.strictSame({ front, requests, listening },
      { front: 100, requests: 100, listening: transport.startsWith('uds') ? 'unix' : 'tcp' })
    if (transport.endsWith('keepalive')) {
      t.ok(connections <= 4, `${connections} pooled connections for 100 requests`)
    } else t.equal(connections, 100, 'a new connection for each request')
    t.equal((await running.origin())?.non2xx, 0)

    await countRequests(arm, 8, '/nowhere')
    t.equal((await running.origin())?.non2xx, 8, 'missing files count as errors')

    const { proxy, server } = running.pids()
    t.equal(proxy.length, 2, 'a master and a worker in front')
    t.equal(server.length, 3, 'a master and two workers behind')
    t.notOk(server.some(pid => proxy.includes(pid)))
    t.match(readFileSync(join(dir, 'nginx.conf'), 'utf8'), 'proxy_pass http://app;')
    t.match(readFileSync(join(dir, 'origin/nginx.conf'), 'utf8'), /worker_processes 2;[^]*root .*\/files;/)
  })
}

t.test('nginx in front of nginx speaks TLS to clients and plain HTTP upstream', async t => {
  const { running, target } = await staged(t, 'nginx:keepalive+tls=ecdsa-p256/nginx', { path: '/page.html' })
  t.match(target.url, /^https:/)
  t.match(running.originTarget, { url: /^http:/, socketPath: null })
  const requests = Number((await running.origin())?.requests)
  t.ok(requests > 200 && requests <= 202,
    `${requests}: those of the gate, and one for each tested handshake`)
})

t.test('hopbench config prints the configurations of both programs', async t => {
  const { stdout, exit } = await hopbench(['config', 'nginx:uds/nginx+sendfile=off'], { workspace: makeWorkspace(t) })
  t.equal(exit, 0)
  t.match(stdout, /proxy_pass http:\/\/app;[^]*# Behind it, a program of its own:[^]*sendfile off;[^]*root \/srv\/www;/)
})

/** Code and reason of each rejection. */
const rejections = {
  'nginx:uds/nginx@cluster:2': ['bad-topology', /nginx manages its own processes: nginx\+workers=4/],
  nginx: ['bad-topology', /nginx alone, as a static server, is written nginx\/files/],
  'nginx:uds+balance=round-robin/nginx': ['bad-topology', /nginx has one address/],
  'nginx:tcp/nginx+wrokers=2': ['bad-option', /did you mean workers/]
}
for (const [spec, [code, message]] of Object.entries(rejections)) {
  t.test(`${spec} is refused`, async t => t.rejects(armFrom(spec, { connections: 10 }), { code, exit: 2, message }))
}

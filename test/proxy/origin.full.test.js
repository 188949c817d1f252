import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { fetchResponses } from '../../bench/measure/gate/gate.js'
import { armFrom } from '../../bench/request/request.js'
import { transports } from '../../bench/plan/spec.js'
import { hopbench, makeWorkspace } from '../support/cli.js'
import { staged } from '../support/stage.js'

for (const transport of transports) {
  t.test(`nginx:${transport}/nginx counts requests, connections and errors at both programs`, async t => {
    const { running, arm, network, dir } = await staged(t, `nginx:${transport}/nginx+workers=2`, { path: '/1k.bin' })
    const before = { front: await running.front(), origin: await running.origin() }
    await fetchResponses({ target: running.target, load: arm.load, network, times: 100 })
    const after = { front: await running.front(), origin: await running.origin() }
    const added = (/** @type {'requests' | 'connections'} */ key) =>
      Number(after.origin?.[key]) - Number(before.origin?.[key])
    t.equal(after.front.requests - before.front.requests, 100)
    t.equal(added('requests'), 100)
    if (transport.endsWith('keepalive')) {
      t.ok(added('connections') <= 4, `${added('connections')} pooled connections for 100 requests`)
    } else t.equal(added('connections'), 100, 'a new connection for each request')
    t.equal(after.origin?.listening, transport.startsWith('uds') ? 'unix' : 'tcp')
    t.equal(after.origin?.non2xx, 0)

    await fetchResponses({ target: running.target, load: { ...arm.load, path: '/nowhere' }, network, times: 8 })
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

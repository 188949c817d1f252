/** Tests the behaviours of own configurations that last a minute. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { run } from '../../../bench/machine/process.js'
import { hopbench, makeWorkspace } from '../../support/cli.js'
import { skipWithout } from '../../support/needs.js'

const skip = skipWithout('nginx') || skipWithout('namespaces')
const CONFIG = `events {}
http {
  client_header_timeout 2m;
  map $http_upgrade $on_upgrade { default upgrade; '' close; }
  server {
    listen 8080;
    location /live { proxy_pass http://127.0.0.1:4000; proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $on_upgrade; }
    location / { proxy_pass http://127.0.0.1:4000; }
  }
}
`
const SECONDS = 120
const SLOW = ['idle-websocket', 'slow-headers']

t.test('an idle WebSocket and slow heads fail, and hold after the patch, each within 90 s', { skip }, async t => {
  const workspace = makeWorkspace(t)
  const file = join(workspace.dir, 'nginx.conf')
  writeFileSync(file, CONFIG)
  const check = async () => {
    const args = ['check', './nginx.conf', '--json', '-o', workspace.results]
    const { stdout } = await hopbench(args, { workspace, timeoutSeconds: SECONDS })
    const { cells, seconds } = JSON.parse(stdout)
    t.ok(seconds < 95, `${seconds} s`)
    return cells.filter((/** @type {{ behaviour: string }} */ { behaviour }) => SLOW.includes(behaviour))
      .map((/** @type {{ outcome: string }} */ { outcome }) => outcome)
  }
  t.strictSame(await check(), ['fails', 'fails'])
  const input = readFileSync(join(workspace.results, 'own-config.patch'), 'utf8')
  t.equal((await run(['patch', '-p1', '-d', workspace.dir], { input })).exit, 0)
  t.strictSame(await check(), ['holds', 'holds'])
})

/** `hopbench up`, from the printed address to Ctrl-C. */
import { existsSync, readFileSync } from 'node:fs'
import t from '../../support/tap.js'
import { begin, leavesNothing, makeWorkspace, processesOf } from '../../support/cli.js'

t.test('hopbench up prints address, PIDs and configuration of a topology, and ends it with Ctrl-C', async t => {
  const workspace = makeWorkspace(t)
  const up = begin(t, ['up', 'nginx:uds/http-json', '--json'], { workspace })
  await up.until(() => up.stdout().includes('\n'))
  const { url, pids, config } = JSON.parse(up.stdout())
  t.equal((await fetch(url)).status, 200)
  t.ok([...pids.proxy, ...pids.server].every(pid => existsSync(`/proc/${pid}`)),
    'PIDs as seen from the host')
  t.match(readFileSync(config[0], 'utf8'), 'proxy_pass')
  t.ok(processesOf(workspace).length > 2, 'this test can see its processes')
  up.child.signal('SIGINT')
  t.match(await up.child.exited, { code: 0 })
  await leavesNothing(t, workspace)
})

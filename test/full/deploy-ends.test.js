/** How deploy kits end: killed, without a signal, by a signal to every process; and the topologies that few deploy. */
import { join } from 'node:path'
import t from 'tap'
import { drains, get, passesTheGate, CLIENT_HEADERS, up } from '../support/kit-checks.js'
import { readStartCommand, projectWithKit, startKit } from '../support/kit-root.js'
import { skipWithout } from '../support/needs.js'

const skip = skipWithout('namespaces', 'nginx')
const LONGEST_MS = 120_000 // Ten times what it takes: what waits for ever is to fail, and not to use up the whole run.

for (const target of Object.keys(CLIENT_HEADERS)) {
  t.test(`${target}: if nginx or the app is killed, all of it ends with its exit code`, { skip }, async t => {
    for (const name of /** @type {const} */ (['nginx', 'app'])) {
      const { kit, processes } = await up(t, target, undefined, [])
      process.kill(/** @type {number} */ (processes()[name]), 'SIGKILL')
      t.match(await kit.exited, { code: 128 + 9 }, name)
      t.strictSame(processes().all, [])
    }
  })
}

t.test('an app that ends by itself ends all of it, with its own code', { skip }, async t => {
  const { kit, client } = await up(t, 'docker', undefined, [])
  await get(client, '/exit')
  t.match(await kit.exited, { code: 7 })
})

t.test('over TCP, with the cache, and with a new connection for each request', { skip }, async t => {
  for (const word of ['nginx:keepalive+cache=5s/./app.mjs', 'nginx:uds/./app.mjs@cluster:2']) {
    const running = await up(t, 'docker', word, [])
    await passesTheGate(t, running)
  }
})

t.test('without nginx the app itself drains, also where every process gets the signal, as on Heroku',
  { skip, timeout: LONGEST_MS }, async t => {
    for (const [target, word] of [['docker', './app.mjs'], ['heroku', './app.mjs@cluster:2']]) {
      const running = await up(t, target, word, [])
      await passesTheGate(t, running)
      await drains(t, running, ({ kit, processes }) => {
        // The first that was started need not have the lowest number: those begin again at some point.
        for (const pid of processes().all) if (pid !== kit.pid) process.kill(pid, 'SIGTERM')
      })
      t.match(await running.kit.exited, { code: 0 }, word)
    }
  })

t.test('a port that is none is refused', { skip }, async t => {
  const workspace = await projectWithKit(t, 'nginx/files', 'docker', { files: { 'public/index.html': '' } })
  const how = readStartCommand('docker', join(workspace.project, 'deploy'))
  const { kit } = await startKit(t, workspace, { ...how, env: { PORT: '80 80' } })
  t.match(await kit.exited, { code: 64 })
})

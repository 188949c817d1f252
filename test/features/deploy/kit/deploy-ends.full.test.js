/** Ends of deploy kits: by a killed process, by the app, by a signal to every process; and rare topologies. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from '../../../support/tap.js'
import { drains, get, passesTheGate, up } from '../../../support/kit-checks.js'
import { readStartCommand, projectWithKit, startKit } from '../../../support/kit-root.js'
import { skipWithout } from '../../../support/needs.js'

const skip = skipWithout('namespaces', 'nginx')
const MAX_MS = 120_000 // Ten times the usual time. A hanging test fails before the time limit of the file.

// The scripts of the platforms differ by the sockets of systemd alone.
for (const target of ['docker', 'systemd']) {
  t.test(`${target}: the kit ends with the exit code of a killed nginx or app`, { skip }, async t => {
    for (const name of /** @type {const} */ (['nginx', 'app'])) {
      const { kit, processes } = await up(t, target, undefined, [])
      process.kill(/** @type {number} */ (processes()[name]), 'SIGKILL')
      t.match(await kit.exited, { code: 128 + 9 }, name)
      t.strictSame(processes().all, [])
    }
  })
}

t.test('the kit ends with the exit code of an app that exits', { skip }, async t => {
  const { kit, client } = await up(t, 'docker', undefined, [])
  await get(client, '/exit')
  t.match(await kit.exited, { code: 7 })
})

t.test('kits over TCP with a cache, and with a new connection for each request, pass the gate', { skip }, async t => {
  for (const spec of ['nginx:keepalive+cache=5s/./app.mjs', 'nginx:uds/./app.mjs@cluster:2']) {
    const running = await up(t, 'docker', spec, [])
    await passesTheGate(t, running)
  }
})

t.test('without nginx the app itself drains, even if every process gets the signal, as on Heroku',
  { skip, timeout: MAX_MS }, async t => {
    for (const [target, spec] of [['docker', './app.mjs'], ['heroku', './app.mjs@cluster:2']]) {
      const running = await up(t, target, spec, [])
      await passesTheGate(t, running)
      await drains(t, running, ({ kit, processes }) => {
        // The first process need not have the lowest PID, because PIDs wrap around.
        for (const pid of processes().all) if (pid !== kit.pid) process.kill(pid, 'SIGTERM')
      })
      t.match(await running.kit.exited, { code: 0 }, spec)
    }
  })

t.test('on SIGHUP nginx reads its configuration again, and no request fails', { skip, timeout: MAX_MS }, async t => {
  const { kit, client, processes } = await up(t, 'docker', undefined, [])
  const { all: before, app, script } = processes()
  process.kill(/** @type {number} */ (script), 'SIGHUP')
  for (let i = 0; i < 50; i++) t.equal((await get(client, '/')).status, 200)
  for (let i = 0; i < 100 && processes().all.every(pid => before.includes(pid)); i++) await sleep(100)
  t.ok(processes().all.some(pid => !before.includes(pid)), 'nginx has new workers')
  t.equal(processes().app, app, 'the app goes on')
  process.kill(/** @type {number} */ (script), 'SIGTERM')
  t.match(await kit.exited, { code: 0 })
})

t.test('the kit ends with code 64 if PORT is not a port', { skip }, async t => {
  const workspace = await projectWithKit(t, 'nginx/files', 'docker', { files: { 'public/index.html': '' } })
  const command = readStartCommand('docker', join(workspace.project, 'deploy'))
  const { kit } = await startKit(t, workspace, { ...command, env: { PORT: '80 80' } })
  t.match(await kit.exited, { code: 64 })
})

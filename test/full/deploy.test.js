/** Deploy kits, run as their platforms would. The kit for docker: test/system/deploy.test.js. */
import { join } from 'node:path'
import t from 'tap'
import { jsonFixture } from '../../bench/topology/fixtures/fixtures.js'
import { answersAndDrains, get, passesTheGate, CLIENT_HEADERS, until } from '../support/kit-checks.js'
import { readStartCommand, packages, projectWithKit, startKit } from '../support/kit-root.js'
import { skipWithout } from '../support/needs.js'

const skip = skipWithout('namespaces', 'nginx')

for (const target of Object.keys(CLIENT_HEADERS).filter(name => name !== 'docker')) {
  t.test(`${target}: the kit passes the gate, and drains when it is stopped`, { skip },
    t => answersAndDrains(t, target))
}

t.test('a server of hopbench can be deployed with its packages', { skip }, async t => {
  const workspace = await projectWithKit(t, 'nginx:uds-keepalive/express-json', 'docker', { args: ['--out', '.'] })
  const running = await startKit(t, workspace, readStartCommand('docker', workspace.project), { packages })
  await until(() => get(running.client, '/').then(() => true, () => false))
  await passesTheGate(t, running)
})

t.test('a kit for files that nginx serves runs without Node', { skip }, async t => {
  const workspace = await projectWithKit(t, 'nginx/files', 'docker', { files: { 'public/index.html': jsonFixture() } })
  const running = await startKit(t, workspace, readStartCommand('docker', join(workspace.project, 'deploy')))
  await until(() => get(running.client, '/').then(() => true, () => false))
  t.match(await get(running.client, '/'), { status: 200, body: jsonFixture() })
  t.equal(running.processes().app, undefined)
})

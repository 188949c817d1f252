/** Deploy kits, each carried out as its platform would; docker: test/system/deploy.test.js. */
import { join } from 'node:path'
import t from 'tap'
import { jsonFixture } from '../../bench/topology/fixtures/fixtures.js'
import { answersAndDrains, get, passesTheGate, CLIENT_HEADERS, until } from '../support/kit-checks.js'
import { readStartCommand, packages, projectWithKit, startKit } from '../support/kit-root.js'
import { skipWithout } from '../support/needs.js'

const skip = skipWithout('namespaces', 'nginx')

for (const target of Object.keys(CLIENT_HEADERS).filter(name => name !== 'docker')) {
  t.test(`${target}: it answers as the gate wants it, and what was begun is finished when it is to stop`, { skip },
    t => answersAndDrains(t, target))
}

t.test('an example of hopbench is deployed as it is, with packages of its own', { skip }, async t => {
  const workspace = await projectWithKit(t, 'nginx:uds-keepalive/express-json', 'docker', { args: ['--out', '.'] })
  const running = await startKit(t, workspace, readStartCommand('docker', workspace.project), { packages })
  await until(() => get(running.client, '/').then(() => true, () => false))
  await passesTheGate(t, running)
})

t.test('files that nginx serves need no Node', { skip }, async t => {
  const workspace = await projectWithKit(t, 'nginx/files', 'docker', { files: { 'public/index.html': jsonFixture() } })
  const running = await startKit(t, workspace, readStartCommand('docker', join(workspace.project, 'deploy')))
  await until(() => get(running.client, '/').then(() => true, () => false))
  t.match(await get(running.client, '/'), { status: 200, body: jsonFixture() })
  t.equal(running.processes().app, undefined)
})

/** Deploy kits, run as their platforms would. The kit for docker: test/features/deploy/kit/deploy.system.test.js. */
import { join } from 'node:path'
import t from '../../../support/tap.js'
import { jsonFixture } from '../../../../bench/topology/fixtures/fixtures.js'
import { answersAndDrains, get, passesTheGate, CLIENT_HEADERS, until } from '../../../support/kit-checks.js'
import { readStartCommand, packages, projectWithKit, startKit } from '../../../support/kit-root.js'
import { skipWithout } from '../../../support/needs.js'

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

t.test('a kit for files compresses text, sends precompressed files, and lets browsers keep hashed names', { skip },
  async t => {
    const text = 'x'.repeat(5000)
    const kept = ['app.3f2a91bc.js', 'assets/index-BxGz3s2_.js', 'css/main-0a1b2c3d4e5f.chunk.css']
    const others = ['app.js', 'report-20240101.js', 'assets/Report-Version1.js', 'assets/overview.js', 'facade12.js']
    const files = Object.fromEntries([...kept, ...others].map(name => [`public/${name}`, text]))
    const workspace = await projectWithKit(t, 'nginx/files', 'docker',
      { files: { ...files, 'public/index.html': text, 'public/app.js.gz': 'compressed before' } })
    const { client } = await startKit(t, workspace, readStartCommand('docker', join(workspace.project, 'deploy')))
    await until(() => get(client, '/').then(() => true, () => false))
    const cacheControl = async (/** @type {string} */ path) => (await get(client, path)).headers['cache-control']
    for (const name of kept) t.equal(await cacheControl(`/${name}`), 'public, max-age=31536000, immutable', name)
    for (const name of others) t.equal(await cacheControl(`/${name}`), 'public, max-age=300', name)
    for (const path of ['/', '/index.html']) t.equal(await cacheControl(path), 'no-cache', path)
    t.equal(await cacheControl('/none.3f2a91bc.js'), undefined, 'a missing file is not kept')

    const gzip = { 'Accept-Encoding': 'gzip' }
    const compressed = await get(client, '/assets/overview.js', gzip)
    t.match(compressed.headers, { 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
    t.ok(compressed.body.length < text.length / 10)
    t.match(await get(client, '/app.js', gzip), { headers: { 'content-encoding': 'gzip' }, body: 'compressed before' })
    t.equal((await get(client, '/app.js')).body, text)
  })

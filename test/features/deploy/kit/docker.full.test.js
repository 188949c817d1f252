/** Deploy kits, built and run by a real Docker engine. */
import { readdirSync, readFileSync } from 'node:fs'
import t from '../../../support/tap.js'
import { jsonFixture } from '../../../../bench/topology/fixtures/fixtures.js'
import { groupsOf, openEngine } from '../../../support/docker-engine.js'
import { composes } from '../../../support/docker-compose.js'
import {
  PUBLIC, buildKits, checkKit, haveNoSecret, renewsItsCertificate, writeKit
} from '../../../support/docker-kits.js'
import { files as app } from '../../../support/kit-checks.js'
import { readCommandLine } from '../../../support/kit-root.js'
import { skipWithout } from '../../../support/needs.js'

const skip = skipWithout('docker', 'registry')
const page = { files: { 'public/index.html': jsonFixture() } }

t.test('a real engine builds the kits, runs them, and stops them', { skip }, async t => {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
  const engine = await openEngine(t)
  const kits = {
    example: await writeKit(t, 'example', { target: 'docker', spec: 'nginx:uds-keepalive/express-json' }),
    render: await writeKit(t, 'render', {
      target: 'render',
      spec: 'nginx:uds-keepalive+brotli+static/./app.mjs@cluster:2',
      args: ['--files', '/assets=./public'],
      files: { ...app, ...PUBLIC }
    }),
    fly: await writeKit(t, 'fly', { target: 'fly', spec: './app.mjs' }),
    tls: await writeKit(t, 'tls', {
      target: 'docker', spec: 'nginx:uds-keepalive+tls=ecdsa-p256+brotli/./app.mjs', args: ['--memory', '256']
    }),
    folder: await writeKit(t, 'folder', { target: 'docker', spec: 'nginx+gzip/files', ...page })
  }
  await buildKits(engine, Object.values(kits))
  await engine.isolate()

  await t.test('no layer has a secret', t => haveNoSecret(t, engine, Object.values(kits)))
  await t.test('containers', async t => {
    t.jobs = 2 // Each waits for its requests in flight.
    const names = /** @type {const} */ (['example', 'render', 'fly', 'folder'])
    await Promise.all(names.map(name => t.test(name, { buffered: true }, t => checkKit(t, engine, kits[name]))))
  })
  await t.test('a renewed certificate is used after SIGHUP, and no request fails',
    t => renewsItsCertificate(t, engine, kits.tls))
  // Kits without TLS: test/features/deploy/kit/docker-commands.soak.test.js.
  await t.test('docker-compose starts a kit, which becomes healthy, passes the secrets and maps port 443',
    t => composes(t, engine, kits.tls))

  await t.test('nothing is left', async t => {
    await engine.stop()
    t.strictSame(groupsOf(engine.group), [], 'no control group')
    t.strictSame(readFileSync('/proc/self/mountinfo', 'utf8'), mounts, 'no mount')
    const commands = readdirSync('/proc').filter(name => /^\d+$/.test(name)).map(readCommandLine)
    t.strictSame(commands.filter(command => command.includes(engine.dir)), [], 'no process')
  })
})

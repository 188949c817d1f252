import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { hopbench, leavesNothing, makeWorkspace } from '../../support/cli.js'
import { skipWithout } from '../../support/needs.js'
import { openSshHosts } from '../../support/ssh-hosts.js'

const skip = skipWithout('namespaces')

const SMOKE = ['--smoke', '--json']

t.test('measures a topology on one machine, with load from a second one, led by a third', { skip }, async t => {
  const hosts = await openSshHosts(t, { server: {}, load: {} })
  const workspace = makeWorkspace(t)
  const { exit, stdout, stderr } = await hopbench([
    'run', 'nginx:tcp/express-json', 'nginx:uds/express-json', ...SMOKE, '--results', workspace.results,
    '--server', hosts.destination('server'), '--load-hosts', hosts.destination('load'), '--ssh', hosts.ssh
  ], { workspace, via: hosts.via, timeoutSeconds: 240 })
  t.equal(exit, 0, stderr)
  const record = JSON.parse(stdout)
  t.match(record.environment.hosts, {
    server: hosts.destination('server'),
    load: [{ name: hosts.destination('load'), node: process.versions.node }]
  })
  t.match(record.contrasts, [{ arm: 'nginx:uds/express-json', blocks: 1 }])
  for (const { name, rps, errors, proof, cpuMicrosPerRequest: cpu } of record.arms) {
    t.ok(rps?.median > 0, name)
    t.same(errors, { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 }, name)
    t.ok(proof.upstreamConnectionsPerRequest > 0.9, 'the proofs of the other machine')
    t.ok(cpu.load > 0 && cpu.proxy > 0 && cpu.server > 0, 'CPU time of all roles')
  }
  const kept = readdirSync(join(workspace.results, record.run))
  t.ok(kept.some(name => existsSync(join(workspace.results, record.run, name, 'nginx.conf'))),
    'the configurations are copied back')
  t.same(hosts.left(), [], 'all files are removed from the machines')
  await leavesNothing(t, workspace)
})

t.test('measures a local topology with load from two machines', { skip }, async t => {
  const hosts = await openSshHosts(t, { one: {}, two: {} })
  const workspace = makeWorkspace(t)
  const { exit, stdout, stderr } = await hopbench([
    'run',
    'http-json',
    ...SMOKE,
    '--results',
    workspace.results,
    '--load-hosts',
    `${hosts.destination('one')},${hosts.destination('two')}`,
    '--ssh',
    hosts.ssh
  ], { workspace, via: hosts.via, timeoutSeconds: 240 })
  t.equal(exit, 0, stderr)
  const { environment, arms: [arm] } = JSON.parse(stdout)
  t.equal(environment.cores.generators, 2)
  t.equal(environment.hosts.load.length, 2)
  t.ok(arm.rps?.median > 0)
  t.same(arm.errors, { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 })
  await leavesNothing(t, workspace)
})

/** Load from other machines, each a network namespace with a real sshd. */
import { delimiter, dirname } from 'node:path'
import t from '../../support/tap.js'
import { findEngine } from '../../../bench/load/find-engine.js'
import { hopbench, leavesNothing, makeWorkspace } from '../../support/cli.js'
import { skipWithout } from '../../support/needs.js'
import { program } from '../../support/provoke.js'
import { openSshHosts } from '../../support/ssh-hosts.js'

/** @import { Test } from 'tap' */

/**
 * Measures one block with load from other machines.
 * @param {Test} t
 * @param {{ words: string[], names: string[], env: Record<string, string>, folder: string }} options env, folder: of
 *   the load generator on the machines
 */
async function measure (t, { words, names, env, folder }) {
  const path = { ...env, PATH: [folder, process.env.PATH].join(delimiter) }
  const hosts = await openSshHosts(t, Object.fromEntries(names.map(name => [name, { env: path }])))
  const workspace = makeWorkspace(t)
  const { exit, stdout, stderr } = await hopbench([
    'run', ...words, '--smoke', '--json', '--results', workspace.results,
    '--load-hosts', names.map(hosts.destination).join(','), '--ssh', hosts.ssh
  ], { workspace, via: hosts.via, timeoutSeconds: 300 })
  t.equal(exit, 0, stderr)
  t.strictSame([hosts.left(), hosts.loads()], [[], []], 'nothing remains on the machines')
  await leavesNothing(t, workspace)
  return { record: JSON.parse(stdout), hosts }
}

t.test('measures topologies on this machine with wrk on another one', { skip: skipWithout('namespaces', 'nginx') },
  async t => {
    const words = ['nginx:tcp/express-json', 'nginx:uds/express-json']
    const { program: wrk, env } = await findEngine('wrk')
    const { record, hosts } = await measure(t, { words, names: ['load'], env, folder: dirname(wrk) })
    t.match(record.environment.hosts, { load: [{ name: hosts.destination('load'), cpu: { cores: Number } }] })
    t.match(record.contrasts, [{ arm: 'nginx:uds/express-json', blocks: 1 }])
    t.match(record.tools, { wrk: String })
    for (const { name, rps, errors, proof, cpuMicrosPerRequest: cpu } of record.arms) {
      t.ok(rps?.median > 0, name)
      t.same(errors, { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 }, name)
      t.ok(proof.upstreamConnectionsPerRequest > 0.9, name)
      t.ok(cpu.load > 0 && cpu.proxy > 0 && cpu.server > 0, `${name}: CPU time of both machines`)
    }
  })

t.test("spreads Locust's users over workers on two machines", { skip: skipWithout('namespaces', 'locust') },
  async t => {
    const folder = t.testdir({})
    program(folder, 'locust', `exec ${(await findEngine('locust')).program} -m locust "$@"`)
    const { record } = await measure(t, { words: ['users'], names: ['one', 'two'], env: {}, folder })
    const { environment, arms } = record
    t.equal(environment.hosts.load.length, 2)
    t.equal(environment.cores.generators, environment.hosts.load[0].cpu.cores * 2)
    for (const { name, rps, cpuMicrosPerRequest: cpu } of arms) t.ok(rps?.median > 0 && cpu.load > 0, name)
  })

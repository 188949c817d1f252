/** Load from other machines, each a network namespace with a real sshd. */
import { writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import t from '../../support/tap.js'
import { findEngine } from '../../../bench/load/find-engine.js'
import { hopbench, leavesNothing, makeWorkspace } from '../../support/cli.js'
import { skipWithout } from '../../support/needs.js'
import { copyOfProject } from '../../support/project.js'
import { program } from '../../support/provoke.js'
import { openSshHosts } from '../../support/ssh-hosts.js'

/** @import { Test } from 'tap' */

/**
 * An experiment with users, who arrive as the first ones of `users` do. Locust takes some 30 ms of CPU time to make
 * one, so there are few.
 */
const FEW_USERS = `export default {
  title: 'a few users',
  question: 'Are they spread over all machines?',
  arms: {
    fewer: { topology: 'nginx/files', load: { connections: 50, spawnPerSecond: 50 } },
    more: { topology: 'nginx/files', load: { connections: 100, spawnPerSecond: 100 } }
  },
  contrasts: [],
  protocol: 'series',
  blocks: { full: 1, quick: 1 },
  budgetSeconds: { full: 300, quick: 300 },
  errorsAreResults: true,
  load: { engine: 'locust', path: '/page.html', perUserPerSecond: 1 }
}
`

/**
 * Measures one block with load from other machines.
 * @param {Test} t
 * @param {{ words: string[], names: string[], env: Record<string, string>, folder: string, from?: string }} options
 *   env, folder: of the load generator on the machines; from: folder of the project
 */
async function measure (t, { words, names, env, folder, from }) {
  const path = { ...env, PATH: [folder, process.env.PATH].join(delimiter) }
  const hosts = await openSshHosts(t, Object.fromEntries(names.map(name => [name, { env: path }])))
  const workspace = makeWorkspace(t)
  const { exit, stdout, stderr } = await hopbench([
    'run', ...words, '--smoke', '--json', '--results', workspace.results,
    '--load-hosts', names.map(hosts.destination).join(','), '--ssh', hosts.ssh
  ], { workspace, from, via: hosts.via, timeoutSeconds: 300 })
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
    const from = copyOfProject(t)
    writeFileSync(join(from, 'bench/experiments/few-users.js'), FEW_USERS)
    const { record } = await measure(t, { words: ['few-users'], names: ['one', 'two'], env: {}, folder, from })
    const { environment, arms } = record
    t.strictSame(arms.map((/** @type {{ name: string }} */ { name }) => name), ['fewer', 'more'])
    t.equal(environment.hosts.load.length, 2)
    t.equal(environment.cores.generators, environment.hosts.load[0].cpu.cores * 2)
    for (const { name, rps, cpuMicrosPerRequest: cpu } of arms) t.ok(rps?.median > 0 && cpu.load > 0, name)
  })

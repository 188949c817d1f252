import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from '../support/tap.js'
import { begin, hopbench, leavesNothing, makeWorkspace, processesOf, recordIn, samplesIn } from '../support/cli.js'
import { skipWithout } from '../support/needs.js'
import { openSshHosts, otherPath } from '../support/ssh-hosts.js'

const skip = skipWithout('namespaces')
const ENDS_SECONDS = 180 // The loss of a machine is detected after 20 s of silence.

t.test('reports why a machine cannot take part, and leaves nothing on it', { skip }, async t => {
  const workspace = makeWorkspace(t)
  const paths = t.testdir({ none: {}, old: {} })
  const hosts = await openSshHosts(t, {
    good: {},
    noNode: { path: await otherPath(join(paths, 'none'), { node: null }) },
    old: { path: await otherPath(join(paths, 'old'), { node: '16.20.0' }) }
  })
  const refused = async (
    /** @type {string} */ destination,
    /** @type {string} */ ssh,
    /** @type {RegExp} */ message
  ) => {
    const { exit, stdout, stderr } = await hopbench(['run', 'http-json', '--quick', '--results', workspace.results,
      '--server', destination, '--ssh', ssh], { workspace, via: hosts.via })
    t.equal(exit, 1, stderr)
    t.equal(stdout, '')
    t.match(stderr, message)
    t.notMatch(stderr, /\n\s+at /, 'no stack')
  }
  await refused(hosts.destination('noNode'), hosts.ssh,
    /cannot take part: there is no node on its PATH\.\nTry: Install Node there/)
  await refused(hosts.destination('old'), hosts.ssh, /cannot take part: it has Node 16\.20\.0, and hopbench requires/)
  const good = hosts.destination('good')
  await refused(good, `${hosts.ssh}-stranger`,
    /requires a password[\s\S]*\[ssh-denied\]/)
  await refused(good, `${hosts.ssh} -p 2223`,
    /cannot be reached over ssh\.[\s\S]*refused[\s\S]*Try: .*\[ssh-failed\]/)
  writeFileSync(join(hosts.dir, 'known_hosts'), '')
  await refused(good, hosts.ssh, /the host key of bench@\S+[\s\S]*\[ssh-host-key\]/)
  t.equal(readFileSync(join(hosts.dir, 'known_hosts'), 'utf8'), '', 'the key was not accepted')
  t.notOk(existsSync(workspace.results), 'no run was started')
  t.same(hosts.left(), [])
})

t.test('after a lost link the samples are kept, and the other machine ends and cleans up by itself', { skip },
  async t => {
    const hosts = await openSshHosts(t, { server: {} })
    const workspace = makeWorkspace(t)
    const run = begin(t, ['run', 'http-json', 'express-json', '--budget', '200s', '--results', workspace.results,
      '--server', hosts.destination('server'), '--ssh', hosts.ssh], { workspace, via: hosts.via })
    await run.until(() => samplesIn(workspace).length > 3)
    await hosts.cut('server')
    const end = await Promise.race([run.child.exited, sleep(ENDS_SECONDS * 1000, null, { ref: false })])
    t.equal(end?.code, 1, `it ends within ${ENDS_SECONDS} s`) || t.comment(run.stderr(), processesOf(workspace))
    t.match(run.stderr(), /bench@\S+ was lost during the run: .*\.\nTry: .*\[host-lost\]/)
    t.match(recordIn(workspace), {
      ended: 'failed', arms: [{ name: 'http-json' }, { name: 'express-json' }, { name: 'http-json (twin)' }]
    })
    t.ok(samplesIn(workspace).length > 3)
    const deadline = Date.now() + 60_000
    while (hosts.left().length > 0 && Date.now() < deadline) await sleep(500)
    t.same(hosts.left(), [], 'the other machine removed the project')
    await leavesNothing(t, workspace)
  })

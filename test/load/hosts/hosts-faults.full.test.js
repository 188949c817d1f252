/** Faults of machines that make load, each a network namespace with a real sshd. */
import { delimiter, dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from '../../support/tap.js'
import { findEngine } from '../../../bench/load/find-engine.js'
import { begin, leavesNothing, makeWorkspace, processesOf, recordIn, samplesIn } from '../../support/cli.js'
import { skipWithout } from '../../support/needs.js'
import { openSshHosts } from '../../support/ssh-hosts.js'

/** @import { SshHosts } from '../../support/ssh-hosts.js' */
/** @import { Test } from 'tap' */

const skip = skipWithout('namespaces')
const ENDS_SECONDS = 120 // ssh reports a lost link after 15 s.
/** The host ends a load without words after 40 s. */
const LEFT_SECONDS = 60

t.jobs = 2 // The tests mostly wait.

/**
 * Starts a run with wrk on another machine, and waits for its first samples.
 * @param {Test} t
 */
async function beginRun (t) {
  const { program, env } = await findEngine('wrk')
  const hosts = await openSshHosts(t,
    { load: { env: { ...env, PATH: [dirname(program), process.env.PATH].join(delimiter) } } })
  const workspace = makeWorkspace(t)
  const run = begin(t, ['run', 'http-json', 'express-json', '--warm-up', '1s', '--budget', '200s', '--results',
    workspace.results, '--load-hosts', hosts.destination('load'), '--ssh', hosts.ssh], { workspace, via: hosts.via })
  await run.until(() => samplesIn(workspace).length > 3)
  t.ok(hosts.loads().length > 0, 'the load is found')
  return { hosts, workspace, run }
}

/**
 * Asserts that a machine has ended its load and removed the files of the load.
 * @param {Test} t
 * @param {SshHosts} hosts
 */
async function endsLoad (t, hosts) {
  const deadline = Date.now() + LEFT_SECONDS * 1000
  while (hosts.left().length + hosts.loads().length > 0 && Date.now() < deadline) await sleep(500)
  t.same([hosts.left(), hosts.loads()], [[], []], 'nothing remains on the machine')
}

t.test('after a lost link the samples are kept, and the other machine ends its load by itself', {
  skip, buffered: true
}, async t => {
  const { hosts, workspace, run } = await beginRun(t)
  await hosts.cut('load')
  const end = await Promise.race([run.child.exited, sleep(ENDS_SECONDS * 1000, null, { ref: false })])
  t.equal(end?.code, 1, `it ends within ${ENDS_SECONDS} s`) || t.comment(run.stderr(), processesOf(workspace))
  t.match(run.stderr(), /bench@\S+ was lost during the run: .*\.\nTry: .*\[host-lost\]/)
  t.match(recordIn(workspace), {
    ended: 'failed', arms: [{ name: 'http-json' }, { name: 'express-json' }, { name: 'http-json (twin)' }]
  })
  t.ok(samplesIn(workspace).length > 3)
  await endsLoad(t, hosts)
  await leavesNothing(t, workspace)
})

t.test('a load ends with the hopbench that started it', { skip, buffered: true }, async t => {
  const { hosts, run } = await beginRun(t)
  await run.child.stop({ signal: 'SIGKILL' })
  await endsLoad(t, hosts)
})

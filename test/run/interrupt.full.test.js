/** Ends of a run by Ctrl-C, once and twice. By kill -9: kill.full.test.js. */
import { setTimeout as sleep } from 'node:timers/promises'
import t from '../support/tap.js'
import { findFault } from '../../bench/store/record-format.js'
import {
  begin, beginRun, hopbench, leavesNothing, makeWorkspace, recordIn, runDir, samplesIn
} from '../support/cli.js'

/** @import { Test } from 'tap' */

/**
 * Starts a run of a minute and waits for its first sample.
 * @param {Test} t
 */
async function measuring (t) {
  const workspace = makeWorkspace(t)
  return { workspace, call: await beginRun(t, ['http-json', 'nginx:uds/http-json'], { workspace }) }
}

t.test('Ctrl-C ends a run with a report and keeps its samples, and the run can be resumed', async t => {
  const { workspace, call } = await measuring(t)
  call.child.signal('SIGINT')
  t.match(await call.child.exited, { code: 1 })
  t.match(call.stderr(), /^Ending after this slice.*press Ctrl-C again to stop at once\.$/m)
  t.match(call.stdout(), 'nginx:uds/http-json', 'there is a report')
  const record = recordIn(workspace)
  t.match(record, { complete: false, ended: 'interrupted' })
  t.equal(findFault('record', record), null)
  const before = samplesIn(workspace)
  t.ok(before.length > 0)
  await leavesNothing(t, workspace)

  const dir = runDir(workspace)
  const resumed = begin(t, ['run', '--resume', dir, '--results', workspace.results], { workspace })
  await resumed.until(() => samplesIn(workspace).length > before.length + 2)
  resumed.child.signal('SIGINT')
  await resumed.child.exited
  t.strictSame(samplesIn(workspace).slice(0, before.length), before, 'earlier samples are kept')
  t.equal(recordIn(workspace).seed, record.seed)
  await leavesNothing(t, workspace)
})

/**
 * Sends SIGINT until the process has ended. hopbench takes a signal that follows another one within 300 ms for the same
 * press, because npm repeats the signals of the terminal.
 * @param {Awaited<ReturnType<typeof measuring>>['call']['child']} child
 */
async function pressAgain (child) {
  await sleep(400)
  while (!child.ended()) {
    child.signal('SIGINT')
    // Node ends by a signal that arrives while it exits.
    await Promise.race([child.exited, sleep(3000)])
  }
}

t.test('a second Ctrl-C stops a run at once and keeps the stored samples', async t => {
  const { workspace, call } = await measuring(t)
  call.child.signal('SIGINT')
  await call.until(() => call.stderr().includes('Ending after this slice'))
  await pressAgain(call.child)
  t.match(await call.child.exited, { code: 1 })
  t.ok(samplesIn(workspace).length > 0)
  t.equal(recordIn(workspace).complete, false)
  t.equal((await hopbench(['report', runDir(workspace)], { workspace })).exit, 0, 'it can be reported')
  await leavesNothing(t, workspace)
})

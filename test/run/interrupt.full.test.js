/** Ends of a run by Ctrl-C, once and twice. By kill -9: killed-processes.full.test.js, and kill.soak.test.js. */
import { setTimeout as sleep } from 'node:timers/promises'
import t from '../support/tap.js'
import { findFault } from '../../bench/store/record-format.js'
import {
  begin, beginRun, hopbench, leavesNothing, makeWorkspace, recordIn, runDir, samplesIn
} from '../support/cli.js'

/**
 * Sends SIGINT until the process has ended. hopbench takes a signal that follows another one within 300 ms for the same
 * press, because npm repeats the signals of the terminal.
 * @param {ReturnType<typeof begin>['child']} child
 */
async function pressAgain (child) {
  await sleep(400)
  while (!child.ended()) {
    child.signal('SIGINT')
    // Node ends by a signal that arrives while it exits.
    await Promise.race([child.exited, sleep(3000)])
  }
}

t.test('Ctrl-C ends a run with a report, and a second one stops the resumed run at once', async t => {
  const workspace = makeWorkspace(t)
  const call = await beginRun(t, ['http-json', 'nginx:uds/http-json'], { workspace })
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
  // The log is that of both runs.
  const { length } = resumed.stderr()
  resumed.child.signal('SIGINT')
  await resumed.until(() => resumed.stderr().slice(length).includes('Ending after this slice'))
  await pressAgain(resumed.child)
  t.match(await resumed.child.exited, { code: 1 })
  const after = samplesIn(workspace)
  t.strictSame(after.slice(0, before.length), before, 'earlier samples are kept')
  t.ok(after.length > before.length + 2, 'and so are those of the resumed run')
  const stopped = recordIn(workspace)
  t.match(stopped, { complete: false, seed: record.seed })
  t.equal(findFault('record', stopped), null)
  t.equal((await hopbench(['report', dir], { workspace })).exit, 0, 'it can be reported')
  await leavesNothing(t, workspace)
})
